import TestSupport

extension VocabularyExamples {
    /// Each paginator brings in animals 1 and 2 from two pages, unless it says to read fewer.
    static let pages: [VocabularyExample] = [
        .init(
            "paginator: { type: auto }",
            [
                .get("zoo.example/animals", gives: first("", link: #"<?page=2>; rel="next""#)),
                .get("zoo.example/animals?page=2", gives: second()),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: single_page }",
            [.get("zoo.example/animals", gives: first(#","next":"?page=2""#))], stores: ["1"]),
        .init(
            "paginator: { type: json_link, next_url_path: $.links.more }",
            [
                .get("zoo.example/animals", gives: first(#","links":{"next":"/wrong","more":"/animals?after=1"}"#)),
                .get("zoo.example/animals?after=1", gives: second(#","links":{}"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: header_link, rel: next }",
            [
                .get(
                    "zoo.example/animals",
                    gives: first(#","next":"/wrong""#, link: "</wrong>; rel=last, </animals?p=2>; rel=next")),
                .get("zoo.example/animals?p=2", gives: second()),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: header_cursor, cursor_header: X-Next, cursor_param: after }",
            [
                .get("zoo.example/animals", gives: .json(#"{"data":[{"id":1}]}"#, headers: [("X-Next", "a b")])),
                .get("zoo.example/animals?after=a%20b", gives: second()),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: cursor, cursor_path: $.next, cursor_param: after, has_more_path: $.more }",
            [
                .get("zoo.example/animals", gives: first(#","next":"b","more":true"#)),
                .get("zoo.example/animals?after=b", gives: second(#","next":"c","more":false"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: offset, offset_param: from, limit_param: size, limit: 1, total_path: $.total }",
            [
                .get("zoo.example/animals?from=0&size=1", gives: first(#","total":2"#)),
                .get("zoo.example/animals?from=1&size=1", gives: second(#","total":2"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: offset, base_offset: 1, limit: 1, total_path: $.total }",
            [
                .get("zoo.example/animals?offset=1&limit=1", gives: first(#","total":2"#)),
                .get("zoo.example/animals?offset=2&limit=1", gives: second(#","total":2"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: offset, omit_first: true, limit: 1, total_path: $.total }",
            [
                .get("zoo.example/animals?limit=1", gives: first(#","total":2"#)),
                .get("zoo.example/animals?limit=1&offset=1", gives: second(#","total":2"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: page_number, page_param: p, base_page: 0, page_size_param: size, page_size: 1, total_path: $.total }",
            [
                .get("zoo.example/animals?p=0&size=1", gives: first(#","total":2"#)),
                .get("zoo.example/animals?p=1&size=1", gives: second(#","total":2"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: auto, ignore_total: true }",
            [.get("zoo.example/animals", gives: .json(#"{"data":[{"id":1}],"total":2}"#))], stores: ["1"]),
        .init(
            "paginator: { type: page_number, total_pages_path: $.pages }",
            [
                .get("zoo.example/animals?page=1", gives: first(#","pages":2"#)),
                .get("zoo.example/animals?page=2", gives: second(#","pages":2"#)),
                .get("zoo.example/animals?page=0", gives: first(#","pages":2"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: page_number, has_more_path: $.more }",
            [
                .get("zoo.example/animals?page=1", gives: first(#","more":true"#)),
                .get("zoo.example/animals?page=2", gives: second(#","more":false"#)),
                .get("zoo.example/animals?page=0", gives: .response(status: 404, body: "no such page")),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: json_link, next_url_path: $.next, max_pages: 1 }",
            [.get("zoo.example/animals", gives: first(#","next":"?page=2""#))], stores: ["1"]),
        .init(
            "paginator: { type: json_link, next_url_path: $.next, stop_after_empty_page: true }",
            [
                .get("zoo.example/animals", gives: first(#","next":"?page=2""#)),
                .get("zoo.example/animals?page=2", gives: .json(#"{"data":[],"next":"?page=3"}"#)),
            ], stores: ["1"]),
        .init(
            "paginator: { type: json_link, next_url_path: $.next, stop_after_empty_page: false }",
            [
                .get("zoo.example/animals", gives: first(#","next":"?page=2""#)),
                .get("zoo.example/animals?page=2", gives: .json(#"{"data":[],"next":"?page=3"}"#)),
                .get("zoo.example/animals?page=3", gives: second()),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { type: page_number, base_page: 0, last_when: $.last == true }",
            [
                .get("zoo.example/animals?page=0", gives: first(#","last":false"#)),
                .get("zoo.example/animals?page=1", gives: second(#","last":true"#)),
            ], stores: ["1", "2"]),
        .init(
            "paginator: { ignore: [$.truncated] }",
            [.get("zoo.example/animals", gives: first(#","truncated":true,"next":null"#))], stores: ["1"]),
        .init(
            "paginator: { type: cursor, cursor_path: [$.meta.next, $.next] }",
            [
                .get("zoo.example/animals", gives: first(#","meta":{"next":null},"next":"b""#)),
                .get("zoo.example/animals?cursor=b", gives: second(#","meta":{"next":null}"#)),
            ], stores: ["1", "2"]),
        .init(
            """
            params: { limit: "{page.offset},1" }
            paginator: { type: offset, limit: 1, total_path: $.total }
            """,
            [
                .get("zoo.example/animals?limit=0%2C1", gives: first(#","total":2"#)),
                .get("zoo.example/animals?limit=1%2C1", gives: second(#","total":2"#)),
            ], stores: ["1", "2"]),
        .init(
            """
            path: "animals/{page.number}"
            paginator: { type: page_number, total_pages_path: $.pages }
            """,
            [
                .get("zoo.example/animals/1", gives: first(#","pages":2"#)),
                .get("zoo.example/animals/2", gives: second(#","pages":2"#)),
            ], stores: ["1", "2"]),
        .init(
            """
            params: { q: "from {page.cursor}", key: "${KEY}" }
            paginator: { type: cursor, cursor_path: $.next, first_cursor: "*" }
            """,
            [
                .get("zoo.example/animals?q=from%20%2A&key=s3cret-KEY", gives: first(#","next":"b""#)),
                .get("zoo.example/animals?q=from%20b&key=s3cret-KEY", gives: second(#","next":null"#)),
            ], stores: ["1", "2"]),
        .init(
            """
            headers: { X-After: "{page.cursor}" }
            paginator: { type: header_cursor, cursor_header: X-Next }
            """,
            [
                .get(
                    "zoo.example/animals", ["X-After": nil],
                    gives: .json(#"{"data":[{"id":1}]}"#, headers: [("X-Next", "b")])),
                .get("zoo.example/animals", ["X-After": "b"], gives: second()),
            ], stores: ["1", "2"]),
        .init(
            """
            json: { size: 1, after: "{page.cursor}" }
            paginator: { type: cursor, cursor_path: $.next }
            """,
            [
                .post("zoo.example/animals", body: #"{"size":1}"#, gives: first(#","next":7"#)),
                .post("zoo.example/animals", body: #"{"size":1,"after":7}"#, gives: second(#","next":null"#)),
            ], stores: ["1", "2"]),
        .init(
            """
            json: { size: 1 }
            paginator: { type: offset, offset_param: $.from, limit_param: $.size, limit: 1, total_path: $.total }
            """,
            [
                .post("zoo.example/animals", body: #"{"size":1,"from":0}"#, gives: first(#","total":2"#)),
                .post("zoo.example/animals", body: #"{"size":1,"from":1}"#, gives: second(#","total":2"#)),
            ], stores: ["1", "2"]),
    ]

    /// A page with animal 1, and members behind its records.
    private static func first(_ members: String, link: String? = nil) -> LoopbackReply {
        .json(#"{"data":[{"id":1}]\#(members)}"#, headers: link.map { [("Link", $0)] } ?? [])
    }

    private static func second(_ members: String = "") -> LoopbackReply { .json(#"{"data":[{"id":2}]\#(members)}"#) }
}
