/// One bad manner of a server: what it does, at which pages, and how often.
struct Manner: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// A connection is closed without a word.
        case closes
        /// A request is refused for some seconds, with the time to wait.
        case waits
        /// A request is accepted, and its answer is not there yet.
        case accepts
        /// A refusal has the status 200.
        case refuses
        /// Records are missing on a page, which says so.
        case partial
        /// The list ends early, and its last page says that there is more.
        case truncated
        /// Behind the last page, something else comes than an empty page.
        case nothingBehind
        /// Behind the last page, that page comes again.
        case lastAgain
        /// From some page in mid-list on, the page before it comes again.
        case stuck
        /// The last page has another word for "none" in the place of the next page.
        case oddEnd
        /// The next page is told in a way that leads nowhere.
        case oddNext
        /// The next page is told under a name that may mean anything.
        case vague
        /// A page says that it is the last one, although a link names a later one.
        case lastLink
        /// Totals are -1, 0, texts, or count only what is left.
        case oddTotal
        /// Pages become smaller in mid-list.
        case smaller
        /// Pages are counted from 0, and each says which one lies before it.
        case fromZero
        /// Blanks stand behind the values of header fields.
        case blanks
        /// The body is a gzip file of two members.
        case gzip
        /// What stands around the records has another name.
        case renamed
        /// The records stand under another name, and an empty list stands beside them.
        case elsewhere
        /// A page leads to another path, such as a page to log in, where the list is empty.
        case redirects
        /// From the second page on, every other record has the key of the one before it.
        case twins
        /// A page is refused once, as if it lay behind the last one.
        case refusedOnce
        /// Answers to requests that are under way together come from lists in any order, and arrive in any order.
        case overtaking
        /// A page says falsely that it is the last one.
        case falseEnd
        /// The list ends early, and nothing shows it.
        case cutShort
        /// A page in mid-list is refused each time, as if it lay behind the last one.
        case missingPage
        /// The total is smaller than the list.
        case wrongTotal
    }

    var kind: Kind
    /// The number of the page from which, or at which, it shows. Pages count from 1.
    var page: Int
    /// Which of the forms of the kind it has.
    var form: Int
    /// The number of times, or of records.
    var times: Int

    /// The number of times that stands for "each time".
    static let always = 9

    /// The texts that this form puts into an answer: the name of a member and its value, or a body.
    var words: (name: String, value: String) {
        let forms = Self.forms[kind] ?? [("", "")]
        return forms[form % forms.count]
    }

    /// The forms of the kinds that have some.
    static let forms: [Kind: [(name: String, value: String)]] = [
        .closes: [("closed", ""), ("lost", "")],
        .waits: [
            ("429", "decimal"), ("429", "date"), ("503", "date"), ("403", "seconds"), ("403", "reset"),
            ("429", "microseconds"), ("503", "decimal"), ("429", "milliseconds"),
        ],
        .accepts: [
            ("", ""), ("", "{}"), ("", #"{"status":"pending"}"#), ("", #"{"id":7,"state":"running"}"#), ("", "[]"),
            ("", #"{"data":[]}"#),
        ],
        .refuses: [
            ("success", "false"), ("ok", "false"), ("isSuccess", "\"false\""), ("status", "\"error\""),
            ("stat", "\"fail\""), ("status", "\"FAILED\""), ("code", "\"denied\""), ("code", "429"),
            ("statusCode", "\"503\""), ("cod", "401"), ("meta", #"{"code":400,"message":"too many"}"#),
            ("status", "\"failure\""), ("status", "\"maintenance\""), ("status", "false"),
            ("error", #"{"message":"try later"}"#), ("errcode", "45009"), ("isError", "true"), ("throttled", "true"),
            ("failed", "true"), ("error", "1"),
        ],
        .partial: [
            ("incomplete_results", "true"), ("timed_out", "true"),
            ("_shards", #"{"total":5,"successful":4,"skipped":0,"failed":1}"#), ("partial", "true"),
            ("partialFailureError", #"{"code":3,"message":"one shard is away"}"#), ("errors", #"["shard 3 is away"]"#),
            ("errorCode", #""E17""#), ("isError", "true"), ("failures", #"[{"shard":3}]"#),
            ("error", #""one shard is away""#),
        ],
        .truncated: [
            ("truncated", "true"), ("isTruncated", "true"), ("exceededTransferLimit", "true"), ("has_more", "true"),
            ("hasMore", "true"), ("last", "false"), ("isLast", "false"), ("is_last", "false"), ("done", "false"),
            ("end_of_stream", "false"), ("eof", "false"), ("finished", "false"), ("is_end", "false"),
            ("moreResults", "true"), ("more_pages_available", "true"), ("no_more", "false"), ("more", "\"Y\""),
            ("limitExceeded", "true"),
        ],
        .nothingBehind: bodies, .refusedOnce: bodies,
        .missingPage: [("404", ""), ("400", ""), ("416", ""), ("422", "")],
        .oddEnd: [("", "false"), ("", "{}"), ("", "0"), ("", "\"\""), ("", "[]"), ("", "null")],
        .oddNext: [
            ("", "true"), ("", #"{"token":{"S":"x7"}}"#), ("", #"["a","b"]"#), ("", #"{"href":{"x":1}}"#),
            ("", #"[{"k":1}]"#),
        ],
        .vague: [
            ("cursor", "\"x7\""), ("X-Next-Cursor", "x7"), ("continuation", "\"x7\""), ("nextKey", "\"x7\""),
            ("LastEvaluatedKey", #"{"id":{"S":"x7"}}"#), ("After", "x7"), ("remaining", "41"),
            ("next_marker", "\"x7\""),
            ("complete", "false"), ("about", #"{"next_url":"/v1/more"}"#), ("stream", #"{"nextPageToken":"x7"}"#),
            ("about", #"{"next_cursor":"x7"}"#),
            ("page_state", "\"x7\""),
            ("X-Continuation-Token", "x7"),
        ],
        .lastLink: [("Link", ""), ("links", ""), ("_links", ""), ("Link", "")],
        .oddTotal: [("", "-1"), ("", "text"), ("", "rest"), ("", "0"), ("", "null")],
        .redirects: [("301", ""), ("302", "few"), ("303", ""), ("307", "few")],
        .fromZero: [("prev", ""), ("previous_page", ""), ("has_previous", "")],
        .renamed: [
            ("additional_data", ""), ("navigation", ""), ("envelope", ""), ("pagination_info", ""), ("cursors", ""),
            ("zed", ""), ("about", ""),
        ],
        .elsewhere: [("errors", ""), ("included", ""), ("warnings", ""), ("", "")],
    ]

    /// A status or a body, as servers give them for a page that they do not have.
    static let bodies: [(name: String, value: String)] = [
        ("204", ""), ("200", "null"), ("200", "{}"), ("200", ""), ("200", #"{"data":{}}"#), ("404", ""), ("400", ""),
        ("416", ""), ("422", ""), ("200", nullInPlace), ("200", #"{"result":{}}"#), ("200", #"{"data":{}}"#),
        ("200", #"{"response":{"data":{}}}"#), ("200", #"{"items":{}}"#),
    ]

    /// The API's own body, with null in the place of the list.
    static let nullInPlace = "null in the place of the list"

    /// True if the records are the members of an object.
    var isMap: Bool { kind == .elsewhere && form >= 30 }

    /// True if that object stands where the list stood.
    var isInPlace: Bool { isMap && form >= 45 }

    /// How a link in a header field tells the next page: in single quotes, by a relation that nobody knows, or as the last page.
    var linkRelation: String { ["'next'", "\"following\"", "\"last\"", "\"next-page\""][form % 4] }

    /// True if a read is what it would be without it.
    var isHarmless: Bool { kind == .blanks || kind == .gzip || kind == .waits && times < Self.always }

    /// True if it shows only behind pages that are counted, and that nothing announces.
    var needsCounting: Bool {
        [.fromZero, .lastAgain, .nothingBehind, .stuck].contains(kind) || kind == .refusedOnce && page > 1
    }

    /// Returns true if a server of that shape can have it.
    func suits(_ shape: APIShape) -> Bool {
        switch kind {
        case .refuses, .partial, .truncated: shape.isObject
        case .oddEnd: shape.isObject && !shape.nexts.isEmpty
        case .oddNext, .vague: shape.isObject && !shape.nexts.isEmpty || shape.hasLink
        case .lastLink: shape.pageParameter != nil && (words.name == "Link" || shape.isObject)
        case .overtaking: shape.isNumbered || shape.countingLine != nil
        case .lastAgain, .nothingBehind, .stuck, .refusedOnce: !needsCounting || shape.countingLine != nil
        case .oddTotal, .wrongTotal: !shape.totals.isEmpty || !shape.totalHeaders.isEmpty
        case .fromZero: shape.pageParameter != nil && shape.countingLine != nil
        case .renamed: !shape.wrappers.isEmpty || !shape.markers.isEmpty
        case .elsewhere: shape.isObject && !shape.list.isEmpty
        case .twins: shape.hasKey
        default: true
        }
    }

    /// Returns the manner as people read it.
    ///
    /// - Parameter isByLink: True if only a header field tells the next page.
    func told(isByLink: Bool = false) -> String {
        let often = times >= Self.always ? "each time" : "\(times) times"
        let (name, value) = words
        return switch kind {
        case .closes: "page \(page): the connection is closed without a word (\(name)), \(often)"
        case .waits: "page \(page): \(name) with the time to wait as \(value), \(often)"
        case .accepts: "page \(page): 202 with the body '\(value)', \(often)"
        case .refuses: "page \(page): 200 and no records, \(name): \(value), \(often)"
        case .partial: "page \(page): \(times) records are missing, \(name): \(value)"
        case .truncated: "the list is cut behind record \(cut), and its last page says \(name): \(value)"
        case .nothingBehind: "behind the last page: \(name) with the body '\(value)'"
        case .lastAgain: "behind the last page: the last page again"
        case .oddEnd: "the last page has \(value) in the place of the next page"
        case .oddNext:
            "from page \(page) on, the next page is told by "
                + (isByLink ? "rel=\(linkRelation)" : value)
        case .vague: "from page \(page) on, only \(name): \(value) tells of the next page"
        case .lastLink:
            "page \(page) says that it is the last one, and \(name) \(times > 1 ? "of the pages before " : "")names a later one"
        case .stuck: "page \(page) and those behind it are the page before"
        case .oddTotal: "totals are '\(value)'"
        case .smaller: "from page \(page) on, pages are half as large"
        case .fromZero: "pages are counted from 0, and \(name) says which lies before"
        case .blanks: "blanks stand behind the values of header fields"
        case .gzip: "bodies are gzip files of two members"
        case .renamed: "from page \(page) on, what stands around the records is called \(name)"
        case .elsewhere:
            "from page \(page) on, the records are \(isMap ? "members of what is " : "")\(isInPlace ? "in the place of the list" : "called objects"), beside an empty list '\(name)'"
        case .redirects: "page \(page): \(name) to a list of \(value.isEmpty ? "none" : "a few records"), \(often)"
        case .twins: "from page 2 on, every other record has the key of the one before it"
        case .refusedOnce:
            "page \(page) is refused once by \(name) '\(value)'"
                + (times > 1 ? ", behind a page that is one short" : "")
        case .overtaking: "the list \(form.isMultiple(of: 2) ? "grows" : "shrinks") while requests overtake each other"
        case .falseEnd: "lie: page \(page) says that it is the last one"
        case .cutShort: "lie: the list is cut behind record \(cut)"
        case .missingPage: "lie: page \(page) is refused by \(name)"
        case .wrongTotal: "lie: the total is \(cut)"
        }
    }

    /// The number of records that a list which is cut still has.
    var cut: Int { page * 8 + times }
}
