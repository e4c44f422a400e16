import GarnerModel

/// The query of a collection's URL, with its parameters sorted by their use.
package struct StarterQuery: Sendable, Equatable {
    package struct Parameter: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package struct SecretParameter: Sendable, Equatable {
        package let name: String
        package let variable: String
        package let value: Secret
    }

    package struct Size: Sendable, Equatable {
        package let name: String
        /// The size, at least 1.
        package let value: Int
    }

    package struct Position: Sendable, Equatable {
        package let name: String
        package let value: String
        package let role: ParameterRole

        /// True if it is that of the first page, with which APIs may answer in another way than without it.
        package var isStart: Bool { role == .page || role == .offset ? ["0", "1"].contains(value) : value == "*" }
    }

    /// The parameters that are sent as they are.
    package private(set) var params: [Parameter] = []
    package private(set) var secrets: [SecretParameter] = []
    package private(set) var size: Size?
    /// The parameters that select a page. Those of another page than the first are left out, so that all pages are read.
    package private(set) var positions: [Position] = []
    /// The names of the parameters that cannot be written down; `…` for a name that cannot be shown.
    package private(set) var omitted: [String] = []
    /// The parameters that a mapping cannot hold, such as repeated names, as they are written, with `&` between them.
    package private(set) var unnamed = ""

    /// The parameter that limits the records to those since a time, with the format of its value; nil if there is none.
    package var since: (parameter: Parameter, format: DatetimeFormat)? {
        let formats: [DatetimeFormat] = [.date, .rfc3339, .epoch, .epochMilliseconds]
        return params.lazy.compactMap { parameter in
            let words = Set(parameter.name.nameWords)
            guard !words.isDisjoint(with: Self.beginnings), words.isDisjoint(with: Self.ends) else { return nil }
            // Seconds and milliseconds of the years since 2001.
            let format = formats.first { format in
                format.instant(of: parameter.value, in: .utc).map { $0.millisecondsSince1970 > 1_000_000_000_000 }
                    ?? false
            }
            return format.map { (parameter, $0) }
        }.first
    }

    private static let beginnings: Set = [
        "after", "begin", "changed", "from", "gt", "gte", "min", "modified", "newer", "since", "start", "updated",
    ]
    private static let ends: Set = ["before", "created", "end", "lt", "lte", "max", "to", "until"]

    /// Takes the parameters of an existing stream.
    package init(of stream: StreamConfiguration) {
        let items = stream.request.params.compactMap { parameter -> String? in
            guard case .literal(let value) = parameter.value else { return nil }
            return "\(PercentEncoding.encoded(parameter.name))=\(PercentEncoding.encoded(value))"
        }
        self.init(items.joined(separator: "&"), source: stream.name.source)
    }

    init(_ query: String, source: String) {
        let items = query.split(separator: "&").map(Item.init)
        var rest: [Substring] = []
        for item in items {
            let isRepeated = items.count { $0.name == item.name } > 1
            if item.isNamedLikeSecret {
                omitted.append("…")
            } else if let role = ParameterRole(name: item.name, value: item.value), role != .size {
                guard !positions.contains(where: { $0.name == item.name }) else { continue }
                positions.append(Position(name: item.name, value: item.value, role: role))
            } else if item.isSecret {
                add(secret: item, source)
            } else if ParameterRole(name: item.name, value: item.value) == .size, !isRepeated, item.isNameable {
                add(size: item)
            } else if item.isNameable, item.isPlain, !isRepeated {
                params.append(Parameter(name: item.name, value: item.value))
            } else {
                rest.append(item.written)
            }
        }
        unnamed = rest.joined(separator: "&")
    }

    private mutating func add(secret item: Item, _ source: String) {
        let isKnown = secrets.contains { $0.name == item.name }
        guard item.isNameable, !item.value.isEmpty, !isKnown else {
            return omitted.append(item.isNameable ? item.name : "…")
        }
        let word = "\(source)_\(item.name)".uppercased().unicodeScalars.map {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) ? String($0) : "_"
        }.joined()
        let variable = (0...).lazy.map { $0 == 0 ? word : "\(word)_\($0 + 1)" }
            .first { name in !secrets.contains { $0.variable == name } }
        secrets.append(SecretParameter(name: item.name, variable: variable ?? word, value: Secret(item.value)))
    }

    /// Adds a page size. One of 0 or less is omitted, since it would read no records.
    private mutating func add(size item: Item) {
        guard let value = Int(item.value), (1...Int(Int32.max)).contains(value) else {
            return omitted.append(item.name)
        }
        if size == nil {
            size = Size(name: item.name, value: value)
        } else {
            params.append(Parameter(name: item.name, value: item.value))
        }
    }
}

private struct Item {
    let written: Substring
    let name: String
    let value: String

    init(_ written: Substring) {
        self.written = written
        let mark = written.firstIndex(of: "=")
        name = PercentEncoding.decoded(written[..<(mark ?? written.endIndex)])
        value = mark.map { PercentEncoding.decoded(written[$0...].dropFirst()) } ?? ""
    }

    /// True if the name can be the key of a mapping.
    var isNameable: Bool {
        !name.isEmpty && name.utf8.count <= 128 && !name.contains("${") && name.unicodeScalars.allSatisfy(Self.isPlain)
    }

    /// True if the file can hold the value as it is sent. Braces would be placeholders.
    var isPlain: Bool {
        written.contains("=") && value.unicodeScalars.allSatisfy { $0 != "{" && Self.isPlain($0) }
    }

    var isSecret: Bool { SensitiveName.isParameter(name, orLooksSecret: value) || SensitiveName.isWithin(value) }

    /// True if the parameter is a token without a name.
    var isNamedLikeSecret: Bool { SensitiveName.looksSecret(name) }

    /// Returns false for control characters, and for the replacement of bytes that are not UTF-8.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: scalar != "\u{FFFD}"
        }
    }
}

/// The role of a query parameter in paging, as its name and value suggest it.
package enum ParameterRole: Sendable, Equatable {
    case page
    /// The number of records that are skipped.
    case offset
    /// The token from the previous page.
    case cursor
    /// The number of records on a page.
    case size

    /// Returns nil if the parameter has no role in paging.
    package init?(name: String, value: String) {
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

    package static func isPage(_ name: String) -> Bool { pages.contains(letters(of: name)) }

    /// Returns true for a name of a number of skipped records.
    package static func isOffset(_ name: String) -> Bool { offsets.contains(letters(of: name)) }

    package static func isSize(_ name: String) -> Bool { sizes.contains(letters(of: name)) }

    /// Returns the letters of names such as `per_page`, `per-page`, `perPage`, `$top`, `_limit` and `page[number]`.
    private static func letters(of name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { !"_-$[]".unicodeScalars.contains($0) })
    }

    private static let pages: Set = [
        "page", "pageindex", "pageno", "pagenum", "pagenumber", "currentpage", "searchcriteriacurrentpage",
    ]
    private static let offsets: Set = ["offset", "pageoffset", "skip", "start", "startat", "startindex"]
    private static let sizes: Set = [
        "count", "hitsperpage", "itemsperpage", "limit", "maxresults", "pagelimit", "pagesize", "perpage",
        "resultsperpage", "rows", "searchcriteriapagesize", "size", "take", "top",
    ]
    private static let cursors: Set = [
        "after", "continuation", "continuationtoken", "cursor", "endcursor", "marker", "nextcursor", "nextpagetoken",
        "nexttoken", "pageafter", "pagecursor", "pagetoken", "scrollid", "startingafter",
    ]
    /// The number from which a value may be a time in seconds since 1970, and is no offset or cursor.
    private static let leastInstant = 100_000_000
}
