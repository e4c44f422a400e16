/// What a query parameter does for paging, as far as its name and value tell.
package enum ParameterRole: Sendable, Equatable {
    /// The number of the page.
    case page
    /// How many records are skipped.
    case offset
    /// The token that a page before gave.
    case cursor
    /// How many records a page may have.
    case size

    /// nil where it has nothing to do with paging.
    init?(name: String, value: String) {
        let letters = Self.letters(of: name)
        let number = value.utf8.allSatisfy(PercentEncoding.isDigit) ? Int(value) : nil
        let isInteger = number != nil || value.hasPrefix("-") && Int(value) != nil
        if Self.pages.contains(letters), isInteger {
            self = .page
        } else if Self.offsets.contains(letters), isInteger, number ?? 0 < Self.leastInstant {
            self = .offset
        } else if Self.sizes.contains(letters), isInteger {
            self = .size
        } else if Self.cursors.contains(letters), Timestamp(rfc3339: value) == nil, number ?? 0 < Self.leastInstant {
            self = .cursor
        } else {
            return nil
        }
    }

    /// Names the number of a page.
    package static func isPage(_ name: String) -> Bool { pages.contains(letters(of: name)) }

    /// Names a number of records to skip.
    package static func isOffset(_ name: String) -> Bool { offsets.contains(letters(of: name)) }

    /// Names how many records a page may have.
    package static func isSize(_ name: String) -> Bool { sizes.contains(letters(of: name)) }

    /// `per_page`, `per-page`, `perPage`, `$top`, `_limit` and `page[number]` without what is between their letters.
    private static func letters(of name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { !"_-$[]".unicodeScalars.contains($0) })
    }

    private static let pages: Set = ["page", "pageindex", "pageno", "pagenum", "pagenumber", "currentpage"]
    private static let offsets: Set = ["offset", "pageoffset", "skip", "start", "startat", "startindex"]
    private static let sizes: Set = [
        "count", "hitsperpage", "itemsperpage", "limit", "maxresults", "pagelimit", "pagesize", "perpage",
        "resultsperpage", "rows", "size", "take", "top",
    ]
    private static let cursors: Set = [
        "after", "continuation", "continuationtoken", "cursor", "endcursor", "marker", "nextcursor", "nextpagetoken",
        "nexttoken", "pageafter", "pagecursor", "pagetoken", "scrollid", "startingafter",
    ]
    /// What is as large as this may be a time in seconds since 1970, from which something is asked for.
    private static let leastInstant = 100_000_000
}
