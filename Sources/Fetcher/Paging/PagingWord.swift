import GarnerJSON

/// A word by which answers tell of their pages. `auto`, `init`, the judgement on a read and the hints share this table.
///
/// Names are in lower case, without `_` and `-`.
enum PagingWord {
    /// True means that another page follows, and false that none does.
    case more
    /// True means that this is the last page, and false that another one follows.
    case end
    /// True on the last page means that there is more, without a way to ask for it.
    case cutOff
    /// True on any page means that the answer lacks a part of what was asked for.
    case partMissing
    /// False on any page means the same.
    case whole
    /// True on the first page means that others lie before it.
    case pagesBefore
    /// False on the first page means that others lie before it, and so does the address or the number of a lower one.
    case firstPage
    /// The address, the number or the cursor of the page before.
    case previous
    /// The address of the next page. Any other value is not understood.
    case nextLink
    /// A text for people. It says nothing of the pages.
    case remark

    init?(_ name: String) {
        guard let word = Self.table[name] ?? Self.built(name) else { return nil }
        self = word
    }

    /// Returns the word of a name such as `hasMoreResults`, `more_pages_available` or `noMoreItems`; nil if it is none.
    private static func built(_ name: String) -> PagingWord? {
        guard let (start, word) = starts.first(where: { name.hasPrefix($0.0) }) else { return nil }
        var noun = name.dropFirst(start.count)
        if noun.hasSuffix("available") { noun = noun.dropLast("available".count) }
        return noun.isEmpty || nouns.contains(String(noun)) ? word : nil
    }

    private static let starts: [(String, PagingWord)] = [
        ("hasmore", .more), ("more", .more), ("hasnext", .more), ("hasadditional", .more), ("ismore", .more),
        ("loadmore", .more), ("showmore", .more), ("nomore", .end),
    ]
    private static let nouns: Set = [
        "data", "entries", "items", "objects", "page", "pages", "records", "results", "rows",
    ]

    /// True if the word also names other things, so that it counts only beside the records and in usual wrappers.
    static func isWeak(_ name: String) -> Bool { weak.contains(name) }

    private static let weak: Set = [
        "total", "count", "size", "start", "offset", "limit", "more", "last", "done", "current",
        "exhausted", "showmore",
    ]

    private static let table: [String: PagingWord] = [
        "moreitemsincollection": .more, "canloadmore": .more, "nextpageexists": .more,
        "last": .end, "islast": .end, "islastpage": .end, "done": .end, "endofstream": .end, "eof": .end,
        "finished": .end, "isend": .end, "atend": .end, "endoflist": .end, "endofresults": .end, "endreached": .end,
        "endofrecords": .end, "lastpage": .end, "exhausted": .end, "reachedend": .end, "listcomplete": .end,
        "truncated": .cutOff, "istruncated": .cutOff, "exceededtransferlimit": .cutOff, "limitexceeded": .cutOff,
        "limitreached": .cutOff, "resulttruncated": .cutOff, "resultstruncated": .cutOff, "exceededlimit": .cutOff,
        "incompleteresults": .partMissing, "timedout": .partMissing, "partial": .partMissing,
        "ispartial": .partMissing, "partialresults": .partMissing, "incomplete": .partMissing,
        "terminatedearly": .partMissing, "searchcutoff": .partMissing, "hasfailures": .partMissing,
        "incompletesearch": .partMissing, "partialfailure": .partMissing, "throttled": .partMissing,
        "jobcomplete": .whole, "searchedcompletely": .whole,
        "hasprevious": .pagesBefore, "haspreviouspage": .pagesBefore, "hasprev": .pagesBefore,
        "hasprevpage": .pagesBefore,
        "first": .firstPage, "isfirst": .firstPage, "isfirstpage": .firstPage, "firstpage": .firstPage,
        "firsturl": .firstPage, "firstlink": .firstPage, "firsthref": .firstPage, "firstpageurl": .firstPage,
        "prev": .previous, "previous": .previous, "prevpage": .previous, "previouspage": .previous,
        "prevurl": .previous, "previousurl": .previous, "prevpageurl": .previous, "previouspageurl": .previous,
        "prevlink": .previous, "previouslink": .previous,
        "nexturl": .nextLink, "nextlink": .nextLink, "@odata.nextlink": .nextLink, "odata.nextlink": .nextLink,
        "nextrecordsurl": .nextLink, "nextpageurl": .nextLink, "afterurl": .nextLink, "nexthref": .nextLink,
        "nexturi": .nextLink, "nextpagelink": .nextLink, "nextpageuri": .nextLink,
        "warning": .remark, "warnings": .remark, "messages": .remark,
    ]
}

/// A value of an answer that says something of the whole read, with its place.
struct PageStatement: Hashable {
    /// The JSONPath, or the name of a field of the head.
    let path: String
    /// A short text for people, such as `true` or `an object`. It holds no text of the server, which may repeat a secret.
    let value: String

    init(path: String, value: String) { (self.path, self.value) = (path, value) }

    init(_ path: String, _ node: Node) {
        self.path = path
        value = [.true, .false, .null, .integer].contains(node.kind) ? node.text : node.kind.noun
    }

    var json: JSONText { .object([("path", .string(path)), ("value", .string(value))]) }

    init?(stored node: Node?) {
        guard let path = node?["path"]?.string, let value = node?["value"]?.string else { return nil }
        self.init(path: path, value: value)
    }
}

extension [(String, JSONText)] {
    mutating func add(_ name: String, _ texts: [String]) {
        if !texts.isEmpty { append((name, .array(texts.map { .string($0) }))) }
    }

    mutating func add(_ name: String, _ statement: PageStatement?) {
        if let statement { append((name, statement.json)) }
    }
}

extension Node {
    /// The truth of a boolean, of a text such as `yes`, and of 0 and 1 where the name asks a question; nil for another value.
    func truth(named name: String) -> Bool? {
        switch kind {
        case .true: true
        case .false: false
        case .string where utf8.count <= 5: Self.truths[text.lowercased()]
        case .integer where name.hasPrefix("has") || name.hasPrefix("is"): [1: true, 0: false][integer]
        default: nil
        }
    }

    /// True for the offset of a time zone, such as `+01:00` or `UTC-5`.
    var isZoneOffset: Bool {
        guard kind == .string, (2...9).contains(utf8.count) else { return false }
        return text.wholeMatch(of: /(UTC|GMT)?[+-][0-9]{1,2}(:?[0-9]{2})?/) != nil
    }

    /// The value of an object of one member; nil for anything else.
    var onlyMember: Node? {
        guard kind == .object else { return nil }
        let first = members.prefix(2).map(\.value)
        return first.count == 1 ? first[0] : nil
    }

    /// The element of an array of one; nil for anything else.
    var onlyElement: Node? {
        guard kind == .array else { return nil }
        let first = elements.prefix(2).map(\.self)
        return first.count == 1 ? first[0] : nil
    }

    /// True for a text of nothing but white space.
    var isBlank: Bool { kind == .string && !utf8.isEmpty && text.allSatisfy(\.isWhitespace) }

    private static let truths = ["true": true, "y": true, "yes": true, "false": false, "n": false, "no": false]

    /// True for the values with which servers say that there is nothing: null, false, 0, and an empty text, object or list.
    var saysNothing: Bool {
        switch kind {
        case .null, .false: true
        case .string: utf8.isEmpty
        case .integer: integer == 0
        case .object: !members.contains { _ in true }
        case .array: !elements.contains { _ in true }
        case .true, .real, .number: false
        }
    }
}
