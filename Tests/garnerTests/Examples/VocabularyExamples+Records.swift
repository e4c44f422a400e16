import TestSupport

extension VocabularyExamples {
    static let records: [VocabularyExample] = [
        .init(
            "record_selector: $.result.animals[*]",
            [.get("zoo.example/animals", gives: .json(#"{"result":{"zoos":[{"id":9}],"animals":[{"id":1}]}}"#))],
            stores: ["1"]),
        .init(
            "record_selector: $.result", [.get("zoo.example/animals", gives: .json(#"{"result":{"id":1},"id":9}"#))],
            stores: ["1"]),
        .init("primary_key: id", [.get("zoo.example/animals", gives: .json(#"{"id":1}"#))], stores: ["1"]),
        .init(
            "sync_mode: full_refresh",
            Example(round(#"[{"id":1}]"#, stored: ["1"]), round(#"[{"id":2}]"#, stored: ["1", "2"]))),
        .init(
            "write_disposition: merge\nprimary_key: id",
            Example(round(#"[{"id":1,"n":1}]"#, stored: ["1|1"]), round(#"[{"id":1,"n":2}]"#, stored: ["1|2"]))),
        .init(
            "write_disposition: append",
            Example(round(#"[{"id":1}]"#, stored: ["1"]), round(#"[{"id":1}]"#, stored: ["1", "1"]))),
        .init(
            "write_disposition: replace\nmax_delete_ratio: 1.0",
            Example(
                round(#"[{"id":1,"n":1},{"id":2,"n":1}]"#, stored: ["1|1", "2|1"]),
                round(#"[{"id":1,"n":2}]"#, stored: ["1|2"]))),
        .init(
            "write_disposition: replace",
            Example(
                round(#"[{"n":1},{"n":1}]"#, stored: ["1", "1"]), round(#"[{"n":1},{"n":1}]"#, stored: ["1", "1"]),
                round(#"[{"n":2}]"#, stored: ["2"]))),
        .init("delete_missing: ignore", Example(round(three, stored: ids), round(two, stored: ids))),
        .init(
            "delete_missing: soft\npaginator: { type: single_page }",
            Example(
                .init([.get("zoo.example/animals", gives: .json(three))], stored: [marks: ["1|1", "2|1", "3|1"]]),
                .init([.get("zoo.example/animals", gives: .json(two))], stored: [marks: ["1|1", "2|1", "3|0"]]))),
        .init(
            "delete_missing: hard\npaginator: { type: single_page }",
            Example(round(three, stored: ids), round(two, stored: ["1", "2"]))),
        .init(
            "delete_missing: hard\nmax_delete_ratio: 0.9\npaginator: { type: single_page }",
            Example(round(three, stored: ids), round(#"[{"id":1}]"#, stored: ["1"]))),
        .init(
            "history: true\ndelete_missing: hard\npaginator: { type: single_page }",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(three))], stored: [versions: ["1|1|", "2|1|", "3|1|"]]),
                .init([.get("zoo.example/animals", gives: .json(two))], stored: [versions: ["1|1|", "2|1|", "3|1|2"]]))
        ),
        .init(
            "search: [name]",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(#"[{"id":1,"name":"Kea"},{"id":2,"name":"Moa"}]"#))],
                    stored: ["SELECT rowid FROM _garner_search_1 WHERE _garner_search_1 MATCH 'kea'": ["1"]]))),
        .init(
            "keep_runs: 2",
            Example(kept("1"), kept("1", "2"), kept("1", "2", "3"), kept("1", "3", "4"))),
        .init("keep_runs: 0", Example(kept("1"), kept("1", "2"), kept("1", "2", "3"))),
        .init(
            "keep_history: 365d\nhistory: true\ndelete_missing: hard\npaginator: { type: single_page }",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(three))], stored: [versions: ["1|1|", "2|1|", "3|1|"]]),
                .init([.get("zoo.example/animals", gives: .json(two))], stored: [versions: ["1|1|", "2|1|", "3|1|2"]]))
        ),
        .init("flatten_depth: 0", Example(round(nested, stored: [#"1|{"b":{"c":{"d":2}}}"#]))),
        .init("flatten_depth: 1", Example(round(nested, stored: [#"1|{"c":{"d":2}}"#]))),
        .init("flatten_depth: 3", Example(round(nested, stored: ["1|2"]))),
        .init("child_tables: false", Example(round(visits(2), stored: [#"1|[{"n":1},{"n":2}]"#]))),
        .init(
            "child_tables: true",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(visits(2)))],
                    stored: ["animals": ["1"], "animals__visits": ["1|0|1", "1|1|2"]]),
                .init(
                    [.get("zoo.example/animals", gives: .json(visits(1)))],
                    stored: ["animals": ["1"], "animals__visits": ["1|0|1"]]))),
        .init(
            "table: beasts\nprimary_key: [zoo, name]",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(#"[{"zoo":1,"name":"Kea"},{"zoo":2,"name":"Kea"}]"#))],
                    stored: ["beasts": ["1|Kea", "2|Kea"]]))),
        .init(
            #"""
            path: animals/since/{incremental.start_value}
            sync_mode: incremental
            json: { to: "{incremental.end_value}" }
            incremental: { cursor_field: id, initial_value: 0, end_value: 10, step: 5, lookback_window: 1 }
            """#,
            Example(
                .init(
                    [
                        .post("zoo.example/animals/since/0", body: #"{"to":"5"}"#, gives: .json(#"[{"id":4}]"#)),
                        .post("zoo.example/animals/since/5", body: #"{"to":"10"}"#, gives: .json(#"[{"id":7}]"#)),
                    ], stored: ["animals": ["4", "7"]]),
                .init(
                    [.post("zoo.example/animals/since/6", body: #"{"to":"10"}"#, gives: .json(#"[{"id":9}]"#))],
                    stored: ["animals": ["4", "7", "9"]]))),
        .init(
            #"""
            params: { updated_since: "{incremental.start_value}" }
            incremental: { cursor_field: at }
            """#,
            Example(
                round(#"[{"id":1,"at":"2024-05-01"}]"#, stored: ["1|2024-05-01"]),
                .init(
                    [
                        .get(
                            "zoo.example/animals?updated_since=2024-05-01",
                            gives: .json(#"[{"id":2,"at":"2024-05-02"}]"#))
                    ], stored: ["animals": ["1|2024-05-01", "2|2024-05-02"]]))),
        .init(
            "incremental: { cursor_field: id, stop_at_known: true }",
            Example(
                .init(
                    [
                        .get("zoo.example/animals", gives: .json(#"{"data":[{"id":2}],"next":"?page=2"}"#)),
                        .get("zoo.example/animals?page=2", gives: .json(#"{"data":[{"id":1}],"next":null}"#)),
                    ], stored: ["animals": ["1", "2"]]),
                .init(
                    [
                        .get("zoo.example/animals", gives: .json(#"{"data":[{"id":3},{"id":1}],"next":"?page=2"}"#))
                    ], stored: ["animals": ["1", "2", "3"]]))),
        .init(
            #"""
            params: { since: "{incremental.start_value}", day: "{incremental.start_value, date}" }
            incremental:
              cursor_field: at
              cursor_datetime_format: epoch
              datetime_format: "%d.%m.%Y %H:%M"
              timezone: Europe/Berlin
              lookback_window: 1h
            """#,
            Example(
                round(#"[{"id":1,"at":1769774400}]"#, stored: ["1|1769774400"]),
                .init(
                    [
                        .get(
                            "zoo.example/animals?since=30.01.2026%2012%3A00&day=2026-01-30",
                            gives: .json(#"[{"id":2,"at":1769774400}]"#))
                    ], stored: ["animals": ["1|1769774400", "2|1769774400"]]))),
        .init(
            #"""
            params: { since: "{incremental.start_value}", until: "{now + 1d, date}" }
            incremental: { initial_value: "2026-01-01T00:00:00Z" }
            """#,
            Example(
                .init(
                    [
                        .get(
                            "zoo.example/animals?since=2026-01-01T00%3A00%3A00Z&until=2*",
                            gives: .json(#"[{"id":1}]"#))
                    ], stored: ["animals": ["1"]]),
                .init(
                    [.get("zoo.example/animals?since=2*Z&until=2*", gives: .json(#"[{"id":2}]"#))],
                    stored: ["animals": ["1", "2"]]))),
    ]

    private static let three = #"[{"id":1},{"id":2},{"id":3}]"#
    private static let two = #"[{"id":1},{"id":2}]"#
    private static let ids = ["1", "2", "3"]
    private static let marks = "SELECT id, _garner_deleted_at IS NULL FROM animals"
    private static let versions = "SELECT id, _garner_run, _garner_end_run FROM _garner_history_animals"
    private static let nested = #"[{"id":1,"a":{"b":{"c":{"d":2}}}}]"#

    private static func visits(_ count: Int) -> String {
        let visits = (1...count).map { #"{"n":\#($0)}"# }.joined(separator: ",")
        return #"[{"id":1,"visits":[\#(visits)]}]"#
    }

    /// A read of the same record, after which there are these runs.
    private static func kept(_ runs: String...) -> Example.Round {
        .init(
            [.get("zoo.example/animals", gives: .json(#"[{"id":1}]"#))],
            stored: ["SELECT run_id FROM _garner_runs": runs])
    }

    private static func round(_ answer: String, stored: [String]) -> Example.Round {
        .init([.get("zoo.example/animals", gives: .json(answer))], stored: ["animals": stored])
    }
}
