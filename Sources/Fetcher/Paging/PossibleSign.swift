import GarnerCatalog
import GarnerJSON

/// A place of an answer that may lead to more records, although nothing tells how: `$.cursor`, `$.continuation`, or a header such as
/// `X-Next-Cursor`. A read that ends beside one is `unknown`, unless the answer or a count says the end.
struct PossibleSign {
    let statement: PageStatement
    /// The text that may ask for more; nil if it is not known.
    let cursor: String?
    /// The name of the header; nil for a place of the body.
    let header: String?
    /// The place of the body; nil for a header.
    let node: Node?

    static let cursors: Set = [
        "after", "aftercursor", "continuation", "continuationtoken", "cursor", "iterator", "lastevaluatedkey", "marker",
        "nextcontinuationtoken", "nextid", "nextkey", "nextmarker", "nextmaxid", "nextpagecursor", "nextpageid",
        "nextpagekey", "nextresults", "nextstartkey", "pagestate", "pagingstate", "resumptiontoken", "searchafter",
        "nextbatch", "nextcursormark", "nextoffset", "$skiptoken", "skiptoken",
    ]
    /// Numbers of records, which is what they are where they are greater than the number on the page.
    private static let counts: Set = [
        "found", "hitcount", "matched", "matches", "nrows", "numitems", "numrecords", "numresults", "numrows",
        "recordcount", "rowcount", "totalestimatedmatches", "totalfound", "totalhits", "totalmatches",
    ]
    /// Numbers of all that a search has found. Ordinary answers give these names no other meaning, unlike `matches`, which may be places in
    /// texts, `num_items` of an order and `row_count` of a file.
    private static let finds: Set = [
        "availableresults", "found", "hitcount", "hits", "matched", "numhits", "numrecords", "numresults",
        "recordcount",
        "totaldocs", "totaldocuments", "totalfound", "totalhits", "totalmatches",
    ]
    /// Names beside which a number is that of a thing, as `hits` of a page that has been looked at, or of a cache.
    private static let ofThings: Set = ["id", "key", "misses", "name", "slug", "title", "uuid"]
    private static let remainders: Set = [
        "itemsleft", "pagesleft", "recordsleft", "remaining", "remainingcount", "remainingitemcount", "remainingitems",
        "remainingpages",
        "remainingrecords", "remainingresults", "resultsleft",
    ]

    /// Reads a member beside the records; fails if it leads nowhere.
    init?(
        _ member: Envelope.Member, in envelope: Envelope, count: Int, asked locator: PageLocator,
        endsWithZero: Bool = false
    ) {
        let (name, node) = (member.name, member.node)
        func isBeside(_ names: Set<String>) -> Bool {
            envelope.members.contains { $0.object == member.object && names.contains($0.name) }
        }
        func isGreater(than count: Int) -> Bool { node.kind == .integer && node.integer > count }
        let leads =
            switch name {
            case "iterator": node.kind == .object && node["next"].map { !$0.saysNothing } == true
            case _ where Self.cursors.contains(name):
                ![.true, .real].contains(node.kind) && !node.saysNothing && !envelope.holdsRecords(node)
                    && !node.isNoCursor(behindOthers: endsWithZero)
            case _ where Self.counts.contains(name): isGreater(than: count)
            // Beside these it is what is left of the requests that one may make.
            case _ where Self.remainders.contains(name):
                isGreater(than: 0) && !isBeside(["limit", "quota", "ratelimit", "reset"])
            case "of": isGreater(than: count) && isBeside(["to"])
            // An answer may well be complete where the list is not.
            case "complete", "iscomplete": node.truth(named: name) == false
            default: false
            }
        guard leads, node.pagingText.map({ locator.sends($0) }) != true else { return nil }
        statement = PageStatement(member.path, node)
        cursor = Self.cursors.contains(name) ? node.pagingText : nil
        (self.node, header) = (node, nil)
    }

    /// Returns the greatest number of all that a search has found; nil if an answer states none. A number that the request has under the same
    /// name is an echo.
    ///
    /// It counts even where an answer says that its page is the last one, since no list is whole that has fewer records.
    ///
    /// - Parameter before: The number of records on the pages before. Names that are only built of usual words count behind a first page.
    static func found(in envelope: Envelope, asked locator: PageLocator, behind before: Int) -> PageStatement? {
        var found: (path: String, value: Int)?
        func note(_ member: Envelope.Member, beside members: [Envelope.Member]) {
            guard let stated = member.node.statedCount ?? member.node.countWithin?.count,
                stated.isExact || stated.isLeast, stated.value > found?.value ?? -1,
                !locator.sends("\(stated.value)", as: member.name),
                !members.contains(where: { $0.object == member.object && ofThings.contains($0.name) })
            else { return }
            found = (member.path, stated.value)
        }
        // Behind the first page, a name of the list and of a number is that of all, where no other total stands beside it.
        func counts(_ member: Envelope.Member, beside members: [Envelope.Member]) -> Bool {
            countsAll(member.name)
                || countsAll(member.name, as: envelope.nouns(at: locator.address))
                    && !members.contains { $0.object == member.object && PaginationDetection.totals.contains($0.name) }
        }
        func isFound(_ member: Envelope.Member, beside members: [Envelope.Member]) -> Bool {
            if finds.contains(member.name) { return true }
            guard before > 0, !PaginationDetection.totals.contains(member.name), counts(member, beside: members) else {
                return false
            }
            // Beside counts of other kinds it is that of all kinds, and beside amounts their sum.
            return !members.contains {
                $0.object == member.object && $0.name != "count" && !counts($0, beside: members)
                    && ($0.name.hasSuffix("count") && $0.name != "pagecount" || $0.name.mentions(amounts))
            }
        }
        for member in envelope.members {
            let owner = envelope.names[member.object]
            if isFound(member, beside: envelope.members),
                owner.isEmpty || owner.hasPrefix("$") || Wrapper(owner).contains(.page)
            {
                note(member, beside: envelope.members)
            }
            // The objects around the records have been read already, and a number beside another list is that of its records.
            guard member.node.kind == .object, Wrapper(member.name).contains(.search),
                !envelope.names.contains(member.path), !member.node.members.contains(where: { $0.value.kind == .array })
            else { continue }
            let way = [(path: member.path, node: member.node), (path: "", node: member.node)]
            let inner = Envelope(root: member.node, way: way).members.filter { !envelope.isIgnored($0.node) }
            for member in inner
            where isFound(member, beside: inner) || PaginationDetection.totals.contains(member.name) {
                note(member, beside: inner)
            }
        }
        return found.map { PageStatement(path: $0.path, value: "\($0.value)") }
    }

    private static let amounts: [StaticString] = ["amount", "balance", "currency", "price", "tax"]
    private static let measures: [StaticString] = ["count", "num", "total"]

    /// Returns true for a name of words for a number and for all records, and of nothing else: `totalItemCount`, `number_of_records`, `allCount`.
    private static func countsAll(_ name: String, as nouns: @autoclosure () -> [String] = []) -> Bool {
        (7...40).contains(name.utf8.count) && name.mentions(measures) && isMade(of: nouns() + wordsOfAll, name[...])
    }

    /// Words in names of heads whose totals count no records.
    private static let otherNumbers: [StaticString] = [
        "cost", "credit", "error", "job", "limit", "page", "quota", "rate", "request", "retry", "time", "usage",
    ]
    private static let wordsOfAll = [
        "all", "available", "count", "doc", "docs", "document", "documents", "element", "elements", "entries", "full",
        "grand", "hit", "hits", "item", "items", "num", "number", "object", "objects", "of", "record", "records",
        "result", "results", "row", "rows", "total",
    ]

    /// Returns true for a name that is some of the words, one behind the other. A regular expression takes half a millisecond to be read.
    private static func isMade(of words: [String], _ name: Substring) -> Bool {
        name.isEmpty || words.contains { name.hasPrefix($0) && isMade(of: words, name.dropFirst($0.utf8.count)) }
    }

    /// Returns true for such a field of the head, such as `X-Item-Count`, and for `X-Count`.
    static func countsAll(field: String) -> Bool {
        guard field.withPlainBytes({ $0.mention(measures) }),
            !HeadTotals.names.contains(where: { $0.lowercased() == field.lowercased() })
        else { return false }
        var words = field.lowercased().split { "-_".contains($0) }.map(String.init)
        if words.first == "x" { words.removeFirst() }
        func counts(_ words: some Collection<String>) -> Bool {
            countsAll(words.joined(), as: ["pagination", "paging"])
        }
        if words == ["count"] || counts(words) { return true }
        // The API may have its name before, as in Recurly-Total-Records and X-Tracker-Pagination-Total.
        guard words.count > 1, !words[0].mentions(otherNumbers) else { return false }
        return words[1...] == ["total"] || counts(words[1...])
    }

    /// True if the place has the name of a cursor's, and not that of a number.
    static func isOfCursor(_ place: String) -> Bool {
        let name = Envelope.normalized(place)
        return cursors.contains(where: name.hasSuffix)
    }

    private static let onlyOfNext: Set = ["nextcursor", "nextpagetoken", "nexttoken"]
    private static let (mostMembers, longestName) = (100, 32)

    /// Looks into the objects beside the records whose names do not tell of pages, as in `"about": { "next_url": "/a?page=2" }`; fails
    /// if none has a text, a list or an object under a name that only the next page has.
    init?(in envelope: Envelope) {
        for member in envelope.members where member.node.kind == .object && !envelope.holdsRecords(member.node) {
            guard !envelope.isIgnored(member.node) else { continue }
            for (key, value) in member.node.members.prefix(Self.mostMembers) {
                guard [.string, .array, .object].contains(value.kind), !value.saysNothing,
                    key.utf8.count <= Self.longestName,
                    !envelope.isIgnored(value)
                else { continue }
                let spelling = key.text
                let name = Envelope.normalized(spelling)
                let isOfNext = PagingWord(name) == .nextLink || Self.onlyOfNext.contains(name)
                // The members of an object that is known have been read already.
                guard isOfNext, !envelope.members.contains(where: { $0.node.isSame(as: value) }) else { continue }
                statement = PageStatement(member.path + Selector.shortSegment(named: spelling), value)
                (cursor, header, node) = (nil, nil, value)
                return
            }
        }
        return nil
    }

    /// Reads a head; fails if no field leads anywhere.
    init?(_ head: ResponseHead, asked locator: PageLocator? = nil) {
        // PostgREST says so with 200 of a whole list, whose length it has not counted.
        if head.status == 206, head.headers.rangeOfUnits?.hasSuffix("/*") == true {
            statement = PageStatement(path: "Content-Range", value: "a text")
            (cursor, header, node) = (nil, "Content-Range", nil)
            return
        }
        let field = head.headers.all.first { name, value in
            Self.leadsOn(name) && !Self.nothing.contains(value.lowercased()) && locator?.sends(value) != true
        }
        guard let field else { return nil }
        statement = PageStatement(path: field.name, value: "a text")
        cursor = ["1", "true", "y", "yes"].contains(field.value.lowercased()) ? nil : field.value
        (header, node) = (field.name, nil)
    }

    private static let headers: [StaticString] = [
        "cbafter", "continuation", "cursor", "hasmore", "nextid", "nextkey", "nextlink", "nextmarker", "nextoffset",
        "nextpage", "nextrange", "nexttoken", "nexturl", "pagetoken", "paginationtoken", "resumptiontoken",
    ]
    static let nothing: Set = ["", "-1", "0", "false", "none", "null", "undefined"]

    /// Returns true for the name of a header that may lead to more, such as `X-Next-Cursor` or `After`.
    private static func leadsOn(_ header: String) -> Bool {
        header.withPlainBytes { $0.mention(headers) }
            || header.utf8.count <= longestWord && words.contains(header.lowercased())
    }

    private static let words: Set = ["after", "more", "next", "x-after", "x-more", "x-next"]
    private static let longestWord = 7
}

extension PageLocator {
    /// Returns true if the request has this value.
    ///
    /// - Parameter name: The name under which it has the value, in lower case, without `_` and `-`; nil for any.
    func sends(_ value: String, as name: String? = nil) -> Bool {
        address.parameters.contains { $0.value == value && (name == nil || Envelope.normalized($0.name) == name) }
            || body?.holds(value, as: name) == true
    }
}

extension BodyValue {
    /// - Parameter name: The name of a member around the value; nil for any.
    fileprivate func holds(_ value: String, as name: String?) -> Bool {
        switch self {
        case .text(.literal(let text)), .number(let text): name == nil && text == value
        case .array(let elements): elements.contains { $0.holds(value, as: name) }
        case .object(let members):
            members.contains { $0.value.holds(value, as: Envelope.normalized($0.name) == name ? nil : name) }
        case .null, .flag, .text(.secret): false
        }
    }
}
