import TestSupport

// Advice that depends on what an answer says of itself, on its keys and cursors, or on what an earlier sync has stored.
extension PlayedAdvice {
    /// Verdict.Cause, StatusMembers, AnswerShape, FetchError: what an answer says against itself.
    static let statements: [PlayedAdvice] = [
        .init(
            place: "a part is missing", found: .ignoring("$.timed_out"), ids: Array(1...7)
        ) { _ in .items(from: 0, of: 7) { #""timed_out":true,"has_more":false,"data":\#($0)"# } },
        .init(
            place: "the last page says that there is more", found: .ignoring("$.truncated"), ids: Array(1...7)
        ) { _ in .items(from: 0, of: 7) { #""truncated":true,"next":null,"data":\#($0)"# } },
        .init(place: "a number that is not that of the page", found: .ignoring("$.page")) { request in
            let page = request.number(of: "page") ?? 0
            let next = page < 2 ? "\"?page=\(page + 1)\"" : "null"
            return .items(page: page) { #""page":\#(page * page * page),"next":\#(next),"data":\#($0)"# }
        },
        .init(
            place: "a next page that is not asked of the same list",
            lines: [
                "path: items", "primary_key: id", "params: { part: \"{partition.part}\" }", "partitions: { part: [a] }",
            ],
            found: .setting("set a paginator that counts pages", in: "paginator: { type: page_number }")
        ) { request in
            let page = request.number(of: "page") ?? 1
            let next = page < 3 ? "\"?page=\(page + 1)\"" : "null"
            return .items(page: page - 1) { #""next":\#(next),"data":\#($0)"# }
        },
        .init(
            place: "a next page that is not understood", found: .ignoring("$.next"), ids: Array(1...7),
            completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { #""next":{"id":4},"data":\#($0)"# } },
        .init(
            place: "a value that may lead to more",
            lines: ["path: items", "primary_key: id", "paginator: { type: single_page }"],
            found: .setting("ignore: [\"$.cursor\"]", in: "paginator: { type: single_page, ignore: [\"$.cursor\"] }"),
            replaces: "paginator", ids: Array(1...7)
        ) { _ in .items(from: 0, of: 7) { #""cursor":"of this page","data":\#($0)"# } },
        .init(
            place: "a header that may lead to more",
            lines: ["path: items", "primary_key: id", "paginator: { type: single_page }"],
            found: .setting("ignore: [\"X-Cursor\"]", in: "paginator: { type: single_page, ignore: [\"X-Cursor\"] }"),
            replaces: "paginator", ids: [1, 2, 3]
        ) { _ in .json(#"[{"id":1},{"id":2},{"id":3}]"#, headers: [("X-Cursor", "of this page")]) },
        .init(
            place: "a failure in the object around an empty list", found: .ignoring("$.response.error"),
            ids: Array(1...7),
            earlier: { _ in .items(from: 0, of: 7) { #""response":{"has_more":false,"items":\#($0)}"# } }
        ) { _ in .json(#"{"response":{"has_more":false,"error":1,"items":[]}}"#) },
        .init(
            place: "an error beside the records", found: .ignoring("$.errorCode"), ids: Array(1...7)
        ) { _ in .items(from: 0, of: 7) { #""errorCode":7,"has_more":false,"data":\#($0)"# } },
        .init(
            place: "a total that is no number",
            lines: ["path: items", "primary_key: id", "paginator: { type: page_number, total_path: $.total }"],
            found: .setting(
                "ignore: [\"$.total\"]",
                in: "paginator: { type: page_number, total_path: $.total, ignore: [\"$.total\"] }"),
            replaces: "paginator", ids: Array(1...7)
        ) { request in
            .items(from: ((request.number(of: "page") ?? 1) - 1) * 10, of: 7) { #""total":"several","data":\#($0)"# }
        },
        .init(
            place: "no list where there are none",
            lines: ["path: items", "primary_key: id", "record_selector: \"$.data[*]\""],
            found: .setting(
                "response_actions with body_contains and action: ignore",
                in: #"response_actions: [{ status: 200, body_contains: '"total":0', action: ignore }]"#),
            ids: Array(1...7),
            earlier: { _ in .items(from: 0, of: 7) { #""total":7,"data":\#($0)"# } }
        ) { _ in .json(#"{"total":0}"#) },
        .init(
            place: "an empty list behind a redirect", found: .setting("set base_url and path", in: "path: moved/items"),
            replaces: "path", ids: Array(1...7),
            earlier: { _ in .items(from: 0, of: 7) { #""has_more":false,"data":\#($0)"# } }
        ) { request in
            request.target.contains("moved")
                ? .json(#"{"has_more":false,"data":[]}"#)
                : .response(status: 302, headers: [("Location", "/moved/items")])
        },
        .init(
            place: "a parameter that takes no cursor",
            lines: ["path: items", "primary_key: id", "paginator: { type: cursor, cursor_path: $.next_cursor }"],
            found: .setting(
                "Set cursor_param", in: "paginator: { type: cursor, cursor_path: $.next_cursor, cursor_param: from }"),
            replaces: "paginator"
        ) { request in
            let from = request.number(of: "from") ?? 0
            return .items(from: from) {
                #""next_cursor":\#(from + 10 < 23 ? "\"\(from + 10)\"" : "null"),"data":\#($0)"#
            }
        },
        .init(
            place: "pages before the first one",
            lines: ["path: items", "primary_key: id", "paginator: { type: page_number, has_more_path: $.more }"],
            found: .setting(
                "base_page: 0", in: "paginator: { type: page_number, has_more_path: $.more, base_page: 0 }"),
            replaces: "paginator"
        ) { request in
            let page = request.number(of: "page") ?? 0
            return .items(page: page) { #""has_previous":\#(page > 0),"more":\#(page < 2),"data":\#($0)"# }
        },
        .init(
            place: "the end is a refusal",
            lines: ["path: items", "primary_key: id", "paginator: { type: page_number }"],
            found: .setting("last_when", in: #"paginator: { type: page_number, last_when: "$.final == 1" }"#),
            replaces: "paginator", ids: Array(1...20)
        ) { request in
            let page = (request.number(of: "page") ?? 1) - 1
            guard page < 2 else { return .response(status: 404) }
            return .items(page: page, of: 20) { #""final":\#(page),"data":\#($0)"# }
        },
        .init(
            place: "an empty list beside another code", found: .ignoring("$.code"), ids: Array(1...7),
            earlier: { _ in .items(from: 0, of: 7) { #""code":0,"data":\#($0)"# } }
        ) { _ in .json(#"{"code":7,"data":[]}"#) },
        .init(
            place: "another place", found: .setting("set record_selector", in: "record_selector: $.objects[*]"),
            ids: Array(1...7), completeness: "unknown",
            earlier: { _ in .items(from: 0, of: 7) { #""data":\#($0)"# } }
        ) { _ in .items(from: 0, of: 7) { #""objects":\#($0)"# } },
        .init(
            place: "an empty list beside another value",
            found: .setting("set record_selector to the one that is meant", in: "record_selector: $.result.items[*]"),
            ids: Array(1...7), completeness: "unknown"
        ) { _ in .items(from: 0, of: 7) { #""data":[],"result":{"items":\#($0)}"# } },
        .init(
            place: "a refusal that is a record",
            found: .setting("record_selector: $ takes the body", in: "record_selector: $"), ids: [9]
        ) { _ in .json(#"{"id":9,"code":401,"message":"a door is locked","data":[]}"#) },
    ]

    /// DatabaseWriter, StreamStatus, SliceOverlap, KeyDistinction, FarCursors, CursorWindows: what is stored.
    static let storing: [PlayedAdvice] = [
        .init(
            place: "too many rows are missing", lines: ["path: items", "primary_key: id", "delete_missing: hard"],
            found: .setting("unless max_delete_ratio is set", in: "max_delete_ratio: 1"), ids: [1, 2, 3],
            earlier: { _ in .counted(23) }
        ) { _ in .counted(3) },
        .init(
            place: "fewer than half replace the rest", lines: ["path: items", "write_disposition: replace"],
            found: .setting("max_delete_ratio: 1"), ids: [1, 2, 3], completeness: "unknown",
            earlier: { _ in .items(from: 0, of: 9) }
        ) { _ in .items(from: 0, of: 3) },
        .init(
            place: "one key in two partitions",
            lines: ["path: \"items/{partition.half}\"", "primary_key: id", "partitions: { half: [a, b] }"],
            found: .setting("primary_key: [_half, id]"), replaces: "primary_key", dropsTable: true, ids: [1, 1],
            completeness: "unknown"
        ) { .json(#"[{"id":1,"of":"\#($0.target)"}]"#) },
        .init(
            place: "a key that repeats", lines: ["path: items"], found: .setting("primary_key: [id, lang]"),
            dropsTable: true, ids: (1...12).flatMap { [$0, $0] }, completeness: "unknown",
            earlier: { _ in .translated(into: ["de"]) }
        ) { _ in .translated(into: ["de", "en"]) },
        .init(
            place: "cursors of the far future",
            lines: [
                "path: items", "primary_key: id", "params: { since: \"{incremental.start_value}\" }",
                "incremental: { cursor_field: at }",
            ],
            found: .setting(
                "set cursor_datetime_format",
                in: #"incremental: { cursor_field: at, cursor_datetime_format: "%d%m/%Y" }"#),
            replaces: "incremental", ids: [1], completeness: "unknown"
        ) { _ in .json(#"[{"id":1,"at":"3101/2026"}]"#) },
        .init(
            place: "cursors that stand for never",
            lines: [
                "path: items", "primary_key: id", "params: { since: \"{incremental.start_value}\" }",
                "incremental: { cursor_field: at }",
            ],
            found: .setting(
                "or cursor_field to a field with the times of changes", in: "incremental: { cursor_field: changed }"),
            replaces: "incremental", ids: [1], completeness: "unknown"
        ) { _ in .json(#"[{"id":1,"at":"9999-12-31T00:00:00Z","changed":"2026-01-31T08:00:00Z"}]"#) },
        .init(
            place: "a range of cursors that are no numbers to Garner",
            lines: [
                "path: items", "primary_key: id", "params: { since: \"{incremental.start_value}\" }",
                "incremental: { cursor_field: at }",
            ],
            command: ["sync", "items", "--from", "2026-01-31"],
            found: .setting(
                "cursor_datetime_format: epoch or epoch_ms",
                in: "incremental: { cursor_field: at, cursor_datetime_format: epoch }"), replaces: "incremental",
            ids: [1], completeness: "unknown", earlier: { _ in .json(#"[{"id":1,"at":1769817600}]"#) }
        ) { _ in .json(#"[{"id":1,"at":1769817600}]"#) },
    ]
}

extension PlayedAdvice.Found {
    /// The line that says that a place of the answer says nothing.
    static func ignoring(_ place: String) -> PlayedAdvice.Found {
        .setting("ignore: [\"\(place)\"]", in: "paginator: { ignore: [\"\(place)\"] }")
    }
}

extension LoopbackReply {
    /// All of so many items, and their total.
    fileprivate static func counted(_ count: Int) -> LoopbackReply {
        .json(#"{"total":\#(count),"data":[\#((1...count).map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#)
    }

    /// Twelve items in each of the languages.
    fileprivate static func translated(into languages: [String]) -> LoopbackReply {
        let items = (1...12).flatMap { id in languages.map { #"{"id":\#(id),"lang":"\#($0)"}"# } }
        return .json("[\(items.joined(separator: ","))]")
    }
}
