import TestSupport
import Testing

/// A server, the advice on it, and what comes of following that.
struct PlayedAdvice: Sendable, CustomTestStringConvertible {
    /// The part of Garner that prints it, and the case.
    let place: String
    /// The lines of the stream that lead to the advice.
    var lines = ["path: items", "primary_key: id"]
    var command = ["sync"]
    var environment: [String: String] = [:]
    let found: Found
    /// The beginning of the line that is replaced; nil if a line is added.
    var replaces: String?
    /// True if the line belongs into the source.
    var isOfSource = false
    /// True if the table is to be dropped, as the advice says.
    var dropsTable = false
    var ids: [Int64] = Array(1...23)
    var completeness = "complete"
    /// The answer to a sync before the one with the advice; nil if that is the first one.
    var earlier: (@Sendable (LoopbackRequest) -> LoopbackReply)?
    let answer: @Sendable (LoopbackRequest) -> LoopbackReply

    var testDescription: String { place }

    /// The way in which the text to paste is found in what is printed.
    enum Found: Sendable {
        /// The line with this condition behind it, of those to choose from.
        case line(if: String)
        /// A setting, and the line that it stands in.
        case setting(String, in: String)

        /// A setting that is a line of its own.
        static func setting(_ words: String) -> Found { .setting(words, in: words) }
    }

    func pasted(from text: String) -> String? {
        switch found {
        case .line(let condition):
            Self.lines(in: text).first { $0.hasSuffix(condition) }
                .map { $0.dropLast(condition.count).trimmingSuffix(while: \.isWhitespace) }.map(String.init)
        case .setting(let words, let line): text.contains(words) ? line : nil
        }
    }

    /// Returns the lines of which one is to be pasted.
    static func lines(in text: String) -> [Substring] {
        let start = "Try: add one of these lines to the stream: "
        guard let hint = text.split(separator: "\n").first(where: { $0.hasPrefix(start) }) else { return [] }
        return hint.dropFirst(start.count).split(separator: "; or ")
    }

    func configuration(_ url: String, with line: String? = nil, instead old: String? = nil) -> String {
        let kept = lines.filter { line in old.map { !line.hasPrefix($0) } ?? true }
        let added = line.map { [$0] } ?? []
        return Self.configuration(url, kept + (isOfSource ? [] : added), source: isOfSource ? added : [])
    }

    static func configuration(_ url: String, _ lines: [String], source: [String] = []) -> String {
        let settings = (["retry: { max_attempts: 1 }"] + source).map { "    \($0)\n" }.joined()
        return "version: 1\nsources:\n  zoo:\n    base_url: \(url)\n\(settings)    streams:\n      items:\n"
            + lines.map { "        \($0)\n" }.joined()
    }
}

extension PlayedAdvice {
    /// The error of a first sync that announces more without a way to it (`PagingAdvice`).
    static let lines: [PlayedAdvice] = [
        .init(place: "a total, pages from 1", found: .line(if: "if its pages are numbered from 1")) {
            .items(page: ($0.number(of: "page") ?? 1) - 1) { "\"total\":23,\"data\":\($0)" }
        },
        .init(place: "a total, pages from 0", found: .line(if: "if its pages are numbered from 0")) {
            .items(page: $0.number(of: "page") ?? 0) { "\"total\":23,\"data\":\($0)" }
        },
        .init(place: "a total, offsets", found: .line(if: "if it skips records")) {
            .items(from: $0.number(of: "offset") ?? 0) { "\"total\":23,\"data\":\($0)" }
        },
        .init(
            place: "a total of something else", found: .line(if: "if $.total does not count these records"),
            ids: Array(1...7), completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { "\"total\":99,\"data\":\($0)" } },
        .init(
            place: "a total, and one page is enough", found: .line(if: "if only the first page is wanted"),
            ids: Array(1...10), completeness: "partial"
        ) { .items(page: ($0.number(of: "page") ?? 1) - 1) { "\"total\":23,\"data\":\($0)" } },
        .init(place: "a number of pages", found: .line(if: "if its pages are numbered from 1")) {
            .items(page: ($0.number(of: "page") ?? 1) - 1) { "\"total_pages\":3,\"data\":\($0)" }
        },
        .init(
            place: "a number of pages of something else",
            found: .line(if: "if $.total_pages does not count these pages"),
            ids: Array(1...7), completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { "\"total_pages\":9,\"data\":\($0)" } },
        .init(place: "has_more, pages from 1", found: .line(if: "if its pages are numbered from 1")) { request in
            let page = (request.number(of: "page") ?? 1) - 1
            return .items(page: page) { "\"has_more\":\(page < 2),\"data\":\($0)" }
        },
        .init(place: "last, pages from 0", found: .line(if: "if its pages are numbered from 0")) { request in
            let page = request.number(of: "page") ?? 0
            return .items(page: page) { "\"last\":\(page > 1),\"content\":\($0)" }
        },
        .init(place: "has_more, offsets", found: .line(if: "if it skips records")) { request in
            let from = request.number(of: "offset") ?? 0
            return .items(from: from) { "\"has_more\":\(from < 20),\"data\":\($0)" }
        },
        .init(place: "a flag, and offsets in the words of Jira", found: .line(if: "if it skips records")) { request in
            let from = request.number(of: "startAt") ?? 0
            return .items(from: from) {
                "\"maxResults\":10,\"startAt\":\(from),\"isLast\":\(from >= 20),\"values\":\($0)"
            }
        },
        .init(place: "has_more, by the last record", found: .line(if: "if the next page begins after the last record"))
        {
            let from = $0.number(of: "starting_after") ?? 0
            return .items(from: from) { "\"has_more\":\(from < 20),\"data\":\($0)" }
        },
        .init(place: "a flag in numbers", found: .line(if: "if its pages are numbered from 1")) { request in
            let page = (request.number(of: "page") ?? 1) - 1
            return .items(page: page) { "\"hasNext\":\(page < 2 ? 1 : 0),\"data\":\($0)" }
        },
        .init(place: "a token", found: .line(if: "if the parameter cursor takes it")) { request in
            let from = request.number(of: "cursor") ?? 0
            return .items(from: from) { "\"next\":\(from < 20 ? "\"\(from + 10)\"" : "null"),\"data\":\($0)" }
        },
        .init(
            place: "a total, posted", lines: ["path: items", "primary_key: id", "json: { kind: all }"],
            found: .line(if: "if its pages are numbered from 1")
        ) { request in
            .items(page: (request.inBody("page") ?? 1) - 1) { "\"total\":23,\"data\":\($0)" }
        },
    ]

    /// Settings in the other words of Garner.
    static let settings: [PlayedAdvice] = [
        .init(
            place: "an object beside the list", lines: ["path: items", "record_selector: $.meta"],
            found: .setting("write record_selector: \"$.data[*]\"", in: "record_selector: \"$.data[*]\""),
            replaces: "record_selector", dropsTable: true, ids: Array(1...7), completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { "\"meta\":{\"page\":1,\"took\":3},\"data\":\($0)" } },
        .init(
            place: "a cursor under another name",
            lines: ["path: items", "primary_key: id", "paginator: { type: cursor, cursor_path: $.paging.next }"],
            found: .setting(
                "write cursor_path: $.paging.after in paginator",
                in: "paginator: { type: cursor, cursor_path: $.paging.after }"),
            replaces: "paginator"
        ) { request in
            let from = request.number(of: "cursor") ?? 0
            return .items(from: from) {
                "\"paging\":{\"after\":\(from < 20 ? "\"\(from + 10)\"" : "null")},\"data\":\($0)"
            }
        },
        .init(
            place: "the number of the next page where a link is expected",
            lines: ["path: items", "primary_key: id", "paginator: { type: json_link, next_url_path: $.next }"],
            found: .setting("paginator: { type: cursor, cursor_path: $.next, cursor_param: page }"),
            replaces: "paginator"
        ) { request in
            let page = request.number(of: "page") ?? 1
            return .items(page: page - 1) { "\"next\":\(page < 3 ? "\(page + 1)" : "null"),\"data\":\($0)" }
        },
        // Judgement, Stream+Remedy: what a read that is not complete says, in warnings, `status` and the dashboard.
        .init(
            place: "an empty page that leads on, at the end",
            lines: ["path: items", "primary_key: id", "paginator: { type: json_link, next_url_path: $.next }"],
            found: .setting(
                "stop_after_empty_page: true",
                in: "paginator: { type: json_link, next_url_path: $.next, stop_after_empty_page: true }"),
            replaces: "paginator"
        ) { request in
            let page = request.number(of: "page") ?? 0
            return .items(page: page) { "\"next\":\"?page=\(page + 1)\",\"data\":\($0)" }
        },
        // Paging: a link that leads nowhere.
        .init(
            place: "a cursor in the place of a link",
            lines: ["path: items", "primary_key: id", "paginator: { type: json_link, next_url_path: $.next }"],
            found: .setting("paginator: { type: cursor, cursor_path: $.next }"), replaces: "paginator"
        ) { request in
            guard request.target.hasPrefix("/items") else { return .status(404) }
            let from = request.number(of: "cursor") ?? 0
            return .items(from: from) { "\"next\":\(from < 20 ? "\"\(from + 10)\"" : "null"),\"data\":\($0)" }
        },
        .init(
            place: "an empty page that leads on, in the middle",
            lines: ["path: items", "primary_key: id", "paginator: { type: json_link, next_url_path: $.next }"],
            found: .setting(
                "stop_after_empty_page: false",
                in: "paginator: { type: json_link, next_url_path: $.next, stop_after_empty_page: false }"),
            replaces: "paginator"
        ) { request in
            let page = request.number(of: "page") ?? 0
            let from = page == 0 ? 0 : page == 1 ? 99 : page * 10 - 10
            return .items(from: from) { "\"next\":\(page < 3 ? "\"?page=\(page + 1)\"" : "null"),\"data\":\($0)" }
        },
        .init(
            place: "a total that is always greater",
            lines: ["path: items", "primary_key: id", "paginator: { type: page_number, total_path: $.total }"],
            found: .setting(
                "ignore_total: true", in: "paginator: { type: page_number, total_path: $.total, ignore_total: true }"),
            replaces: "paginator"
        ) { .items(page: ($0.number(of: "page") ?? 1) - 1) { "\"total\":30,\"data\":\($0)" } },
        .init(
            place: "a total that is always greater, found by itself",
            found: .setting(
                "set ignore_total: true in paginator if its total is always wrong",
                in: "paginator: { ignore_total: true }"), ids: Array(1...7)
        ) { _ in .items(from: 0, of: 7) { "\"total\":9,\"has_more\":false,\"data\":\($0)" } },
        .init(
            place: "a total that always changes, behind links without numbers",
            found: .setting(
                "set ignore_total: true in paginator if that total always changes",
                in: "paginator: { ignore_total: true }")
        ) { request in
            let marks = [5, 97, 31]
            let page = request.number(of: "mark").flatMap { marks.firstIndex(of: $0) } ?? 0
            let next = page < 2 ? "\"?mark=\(marks[page + 1])\"" : "null"
            return .items(page: page) { "\"total\":\(25 - page),\"next\":\(next),\"data\":\($0)" }
        },
        .endedByAction(
            "a page that was announced", "{ body_contains: '\"id\":11,', action: end }",
            "remove that action if the page should come", fails: { _ in false }),
        .endedByAction(
            "a failure", "{ status: 500, action: end }", "remove that action, so that the page is asked for again",
            fails: { $0 % 2 == 1 }),
        .init(
            place: "a list that is read as one record", found: .setting("to $ if the body", in: "record_selector: $"),
            ids: [9]
        ) { _ in .json(#"{"id":9,"name":"x","has_more":false}"#) },
        .init(
            place: "a list that is read as one record, with records below",
            found: .setting("set record_selector to where the records stand", in: "record_selector: $.parts.a"),
            // The body stays, which was taken for a record.
            ids: [7, 9]
        ) { _ in .json(#"{"id":9,"total":1,"parts":{"a":{"id":7}}}"#) },
        .init(
            place: "one full page, deletions",
            lines: ["path: items", "primary_key: id", "paginator: { type: single_page }", "delete_missing: hard"],
            found: .setting(
                "set write_disposition: replace instead of delete_missing", in: "write_disposition: replace"),
            replaces: "delete_missing", ids: Array(1...10), completeness: "unknown"
        ) { _ in .items(page: 0) },
        .renamedBackwards, .takenByAdded("drop", "{ drop: [name], add: { name: \"{record.id}\" } }"),
        .takenByAdded("rename", "{ rename: { name: title }, add: { name: \"{record.id}\" } }"),
        .takenByAdded("choose another new name", "{ add: { title: \"{record.id}\" } }"),
        .pagesFromZero("a total"), .pagesFromZero("a total at total_path", ", total_path: $.total"),
        .pagesFromZero("a total, and no empty page", behind: .status(404)), .pageZeroAgain,
        .pagesFromOne("a total"), .pagesFromOne("a total at total_path", ", total_path: $.total"),
        .pagesFromOne("a total, deletions", deleting: ["delete_missing: hard"]),
        // FetchError: the form of an answer.
        .init(
            place: "several arrays", found: .setting("record_selector: $.many[*]"), ids: Array(1...7),
            completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { "\"few\":[{\"id\":99}],\"many\":\($0)" } },
        .init(
            place: "an array in a record", found: .setting("record_selector: $.tags[*]"), ids: Array(1...7),
            completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { "\"id\":99,\"name\":\"x\",\"tags\":\($0)" } },
        .init(
            place: "a record with an array", found: .setting("record_selector: $ ", in: "record_selector: $"), ids: [99]
        ) {
            _ in .items(from: 0, of: 7) { "\"id\":99,\"name\":\"x\",\"tags\":\($0)" }
        },
        .init(
            place: "JSON lines", found: .setting("response: { format: json_lines }"), ids: [1, 2],
            completeness: "unknown"
        ) { _ in .json("{\"id\":1}\n{\"id\":2}\n") },
        .init(
            place: "another charset", found: .setting("response: { charset: iso-8859-1 }"), ids: [1],
            completeness: "unknown"
        ) { _ in
            .response(headers: [("Content-Type", "application/json; charset=ISO-8859-1")], body: #"[{"id":1}]"#)
        },
        .init(
            place: "another media type",
            found: .setting("add text/plain to media_types in response", in: "response: { media_types: [text/plain] }"),
            ids: [1], completeness: "unknown"
        ) { _ in .response(headers: [("Content-Type", "text/plain")], body: #"[{"id":1}]"#) },
        .init(
            place: "a link to another origin",
            lines: [
                "path: items", "primary_key: id", "paginator: { type: json_link, next_url_path: $.next }",
                "allow_private_network: true",
            ],
            found: .setting(
                "allow_cross_origin: true",
                in: "paginator: { type: json_link, next_url_path: $.next, allow_cross_origin: true }"),
            replaces: "paginator"
        ) { .elsewhere($0) },
        .init(
            place: "a link into a private network",
            lines: [
                "path: items", "primary_key: id",
                "paginator: { type: json_link, next_url_path: $.next, allow_cross_origin: true }",
            ],
            found: .setting("allow_private_network: true")
        ) { .elsewhere($0) },
        .init(
            place: "a proxy that does not answer", environment: ["http_proxy": "http://127.0.0.1:9"],
            found: .setting("proxy: none"), isOfSource: true, ids: Array(1...7), completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) },
        // StreamCheck.
        .init(
            place: "one record that deletes nothing",
            lines: ["path: items", "primary_key: id", "record_selector: $", "delete_missing: hard"],
            command: ["check", "--connect"], found: .setting("write_disposition: replace"),
            replaces: "delete_missing", ids: [7]
        ) { _ in .json(#"{"id":7,"name":"x"}"#) },
    ]
}

extension LoopbackRequest {
    /// The number that a member of the body has.
    fileprivate func inBody(_ name: String) -> Int? {
        body.firstRange(of: "\"\(name)\":").flatMap { Int(body[$0.upperBound...].prefix { $0.isNumber }) }
    }
}

extension LoopbackReply {
    /// A page of 23 records that links to the next one on the same server under another name, which is another origin.
    fileprivate static func elsewhere(_ request: LoopbackRequest) -> LoopbackReply {
        let page = request.number(of: "page") ?? 0
        let host = (request["Host"] ?? "").replacing("127.0.0.1", with: "localhost")
        let link = page < 2 ? "\"http://\(host)/items?page=\(page + 1)\"" : "null"
        return .items(page: page) { "\"next\":\(link),\"data\":\($0)" }
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isMeant: (Character) -> Bool) -> SubSequence {
        guard let last = lastIndex(where: { !isMeant($0) }) else { return self[startIndex..<startIndex] }
        return self[...last]
    }
}

extension PlayedAdvice {
    /// A list whose pages are numbered from 1, and that is asked for page 0.
    private static func pagesFromOne(_ place: String, _ settings: String = "", deleting: [String] = [])
        -> PlayedAdvice
    {
        let paginator = "paginator: { type: page_number, base_page:"
        return .init(
            place: "page 0 of pages from 1, \(place)",
            lines: ["path: items", "primary_key: id", "\(paginator) 0\(settings) }"] + deleting,
            found: .setting("write base_page: 1 in paginator", in: "\(paginator) 1\(settings) }"), replaces: "paginator"
        ) { request in
            let page = request.number(of: "page") ?? 1
            return .items(from: page == 0 ? 99 : page * 10 - 10) { "\"total\":23,\"data\":\($0)" }
        }
    }

    /// Pages that are counted from 0, and read from page 1 on.
    private static func pagesFromZero(_ place: String, _ settings: String = "", behind reply: LoopbackReply? = nil)
        -> PlayedAdvice
    {
        let paginator = "paginator: { type: page_number\(settings)"
        return .init(
            place: "page 1 of pages from 0, \(place)", lines: ["path: items", "primary_key: id", "\(paginator) }"],
            found: .setting("write base_page: 0 in paginator", in: "\(paginator), base_page: 0 }"),
            replaces: "paginator"
        ) { request in
            let page = request.number(of: "page") ?? 0
            if page > 2, let reply { return reply }
            return .items(page: page) { "\"total\":23,\"data\":\($0)" }
        }
    }

    /// A list that takes page 0 for page 1.
    private static let pageZeroAgain = PlayedAdvice(
        place: "page 0 that is page 1",
        lines: ["path: items", "primary_key: id", "paginator: { type: page_number, base_page: 0 }"],
        found: .setting("write base_page: 1 in paginator", in: "paginator: { type: page_number, base_page: 1 }"),
        replaces: "paginator"
    ) { .items(page: max(0, ($0.number(of: "page") ?? 1) - 1)) }

    /// A list whose second page an action of `response_actions` takes for its end.
    ///
    /// - Parameter fails: whether the server fails at a request for that page, by their number.
    private static func endedByAction(
        _ place: String, _ action: String, _ advice: String, fails: @escaping @Sendable (Int) -> Bool
    ) -> PlayedAdvice {
        let requests = Watched(0)
        return .init(
            place: "an action ends the list at \(place)",
            lines: [
                "path: items", "primary_key: id", "paginator: { type: json_link, next_url_path: $.next }",
                "retry: { max_attempts: 2, base_delay: 1ms }", "response_actions: [ \(action) ]",
            ],
            found: .setting(advice, in: ""), replaces: "response_actions"
        ) { request in
            let page = request.number(of: "page") ?? 0
            if page == 1 {
                requests.change { $0 += 1 }
                if fails(requests.value) { return .response(status: 500) }
            }
            return .items(page: page) { "\"next\":\(page < 2 ? "\"?page=\(page + 1)\"" : "null"),\"data\":\($0)" }
        }
    }

    /// A field that is renamed the wrong way round.
    private static let renamedBackwards = PlayedAdvice(
        place: "a new name in the place of the old one",
        lines: ["path: items", "primary_key: id", "fields: { rename: { title: name } }"],
        found: .setting("write rename: { name: NEW }", in: "fields: { rename: { name: title } }"),
        replaces: "fields", ids: Array(1...7), completeness: "unknown"
    ) { _ in .items(from: 0, of: 7) }

    /// Records with the name of a column of `fields.add`.
    private static func takenByAdded(_ way: String, _ fields: String) -> PlayedAdvice {
        .init(
            place: "a column with the name of a field, \(way)",
            lines: ["path: items", "primary_key: id", "fields: { add: { name: \"{record.id}\" } }"],
            found: .setting(
                "drop or rename that field too in 'fields', or choose another new name", in: "fields: \(fields)"),
            replaces: "fields", ids: Array(1...7), completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) }
    }
}
