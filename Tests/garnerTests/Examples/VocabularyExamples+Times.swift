import TestSupport

extension VocabularyExamples {
    static let times: [VocabularyExample] = [
        .init(
            "response_actions: [ { status: 404, body_contains: none yet, action: ignore } ]",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .response(status: 404, body: "none yet"))],
                    stored: ["SELECT status FROM _garner_runs": ["succeeded"]]),
                .init(
                    [.get("zoo.example/animals", gives: .response(status: 404, body: "gone"))],
                    stored: ["SELECT status FROM _garner_runs": ["succeeded", "failed"]], code: 69))),
        .init(
            "response_actions: [ { body_contains: try again, action: retry } ]\nretry: { base_delay: 1ms }",
            [
                .get("zoo.example/animals", gives: .json(#"{"message":"try again"}"#)),
                .get("zoo.example/animals", gives: animals),
            ], stores: ["1"]),
        .init(
            "response_actions: [ { when: $.code == 40100, action: retry } ]\nretry: { base_delay: 1ms }",
            [
                .get("zoo.example/animals", gives: .json(#"{"code":40100}"#)),
                .get("zoo.example/animals", gives: animals),
            ], stores: ["1"]),
        .init(
            "paginator: { type: page_number }\nresponse_actions: [ { status: 400, action: end } ]",
            Example(
                .init(
                    [
                        .get("zoo.example/animals?page=1", gives: animals),
                        .get("zoo.example/animals?page=2", gives: .response(status: 400, body: "no such page")),
                        .get("zoo.example/animals?page=0", gives: .response(status: 400, body: "no such page")),
                    ], stored: ["SELECT completeness FROM _garner_runs": ["complete"]]))),
        .init(
            "response_actions: [ { status: 202, action: accept } ]",
            [
                .get(
                    "zoo.example/animals",
                    gives: .response(
                        status: 202, headers: [("Content-Type", "application/json")], body: #"[{"id":1}]"#))
            ], stores: ["1"]),
        .init(
            "response_actions: [ { status: 200, body_contains: quota, action: fail } ]",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(#"[{"id":"quota"}]"#))],
                    stored: ["SELECT error_kind FROM _garner_runs": ["response_action"]], code: 69))),
        .init(
            "retry: { max_attempts: 2, base_delay: 1ms, max_delay: 1s, respect_retry_after: false }",
            Example(
                .init(
                    [
                        .get("zoo.example/animals", gives: unavailable), .get("zoo.example/animals", gives: animals),
                    ], stored: ["animals": ["1"]]),
                .init(
                    [
                        .get("zoo.example/animals", gives: unavailable),
                        .get("zoo.example/animals", gives: unavailable),
                    ], stored: ["animals": ["1"]], code: 69))),
        .init(
            "limits: { body: 1KiB, ratio: 100, head: 1KiB, connect: 10s, first_byte: 30s, idle: 30s, total: 5m }",
            Example(
                .init([.get("zoo.example/animals", gives: animals)], stored: ["animals": ["1"]]),
                .init(
                    [.get("zoo.example/animals", gives: .json(#"["\#(String(repeating: "a", count: 1100))"]"#))],
                    stored: ["animals": ["1"]], code: 69))),
        .init(
            """
            wait_for_connectivity: 2m
            respect_cache_control: true
            schedule: { every: 15m, jitter: 30s }
            """, [.get("zoo.example/animals", gives: animals)], stores: ["1"]),
        .init(
            """
            retry: { max_attempts: 3, base_delay: PT0.001S, max_delay: PT1S }
            schedule: { every: 1h30m }
            """, [.get("zoo.example/animals", gives: animals)], stores: ["1"]),
        .init(
            """
            hooks:
              on_failure: [ { post: "https://told.example/down", after: 1 }, { run: [touch, down], after: 3 } ]
              on_recovery: [ { post: "https://told.example/up" }, { run: [touch, up], after: 3 } ]
              on_stale: [ { post: "https://told.example/stale" } ]
            """,
            Example(
                .init(
                    [
                        .get("zoo.example/animals", gives: .status(404)),
                        .post(
                            "told.example/down", body: #"{*"hook":"on_failure"}"#, gives: .status(200)),
                    ], stored: [:], code: 69),
                .init(
                    [
                        .get("zoo.example/animals", gives: animals),
                        .post("told.example/up", body: #"{*"hook":"on_recovery"}"#, gives: .status(200)),
                    ], stored: ["animals": ["1"]], warns: true))),
        .init(
            """
            hooks:
              ping: "https://ping.example/${PING_KEY}/?a=b"
              on_success: [ { post: "https://told.example/", headers: { X-Zoo: "${ZOO}" } } ]
              timeout: 20s
            """,
            [
                .get("ping.example/s3cret-PING_KEY/start?a=b", gives: .status(200)),
                .get("zoo.example/animals", gives: animals),
                .get("ping.example/s3cret-PING_KEY/?a=b", gives: .status(200)),
                .post(
                    "told.example/", ["X-Zoo": "s3cret-ZOO"], body: #"{"stream":"zoo.animals",*}"#, gives: .status(204)),
            ], stores: ["1"]),
        .init(
            "attachments: [ { field: photo, media_types: [image/png] } ]",
            Example(
                .init(
                    [
                        .get("zoo.example/animals", gives: .json(#"[{"id":1,"photo":"a.png"}]"#)),
                        .get("zoo.example/a.png", ["Accept": "image/png"], gives: .file("image/png", "a")),
                    ], stored: ["SELECT content FROM _garner_blobs": ["a"]]))),
    ]

    static let schedules = [
        "every: 15m, anchor: epoch, overlap: skip, catch_up: latest, misfire_grace: 0s",
        "every: PT15M, anchor: finish, jitter: 15m, overlap: cancel_running, catch_up: latest",
        "cron: \"0,30 8-18/2 1-31 jan-DEC 1-5\", timezone: America/Argentina/Buenos_Aires, overlap: queue_one",
        "cron: \"@hourly\", catch_up: none, misfire_grace: 10m, jitter: 5m",
    ].map { keys in
        VocabularyExample(
            "schedule: { \(keys) }", [.get("zoo.example/animals", gives: animals)], stores: ["1"])
    }

    private static let unavailable = LoopbackReply.response(
        status: 503, headers: [("Retry-After", "3600")], body: "{}")
}
