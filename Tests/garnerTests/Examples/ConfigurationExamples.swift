import TestSupport

/// The expected results of the examples in docs/configuration.md, by heading.
enum ConfigurationExamples {
    static let all: [String: Example] = [
        "Configuration": configuration, "The file": files, "The file 2": published, "Secrets": secrets,
        "Requests": requests,
        "Placeholders": placeholders, "Authentication": authentication,
        "Authentication 2": command, "Authentication 3": session,
        "Pages": lastPages, "Pages 2": pages, "Pages 3": placedPages, "Streams of streams": streamsOfStreams,
        "Streams of streams 2": changedParents,
        "Streams of streams 3": partitionSources, "Reading only what changed": readingOnlyWhatChanged,
        "Responses": responses, "Responses 2": shapes, "Storing": storing, "Schedules": schedules,
        "Times and limits": timesAndLimits,
        "Hooks": hooks,
        "Network": network,
        "All together": allTogether,
    ]

    private static let configuration = Example(
        .init(
            [
                .get(
                    "127.0.0.1:8080/animals?per_page=100",
                    gives: .json(
                        #"{"data":[{"id":1,"name":"Otter"}],"next":"http://127.0.0.1:8080/animals?page=2"}"#)),
                .get(
                    "127.0.0.1:8080/animals?page=2", gives: .json(#"{"data":[{"id":2,"name":"Kea"}],"next":null}"#)),
            ], stored: ["animals": ["1|Otter", "2|Kea"]]))

    private static let files = Example(
        files: [
            "sources/shop.yaml":
                "sources:\n  shop:\n    base_url: http://shop.example/\n    streams: { orders: { path: /orders } }\n"
        ],
        .init(
            [
                .get("zoo.example/animals", gives: .json(#"[{"id":1}]"#)),
                .get("shop.example/orders", gives: .json(#"[{"id":2}]"#)),
            ], stored: ["animals": ["1"], "orders": ["2"]]))

    private static let published = Example(
        .init(
            [.get("zoo.example/animals", gives: .json(#"[{"id":1}]"#))], stored: ["animals": ["1"]], warns: true))

    private static let secrets = Example(
        .init(
            [
                .get(
                    "zoo.example/v1/animals",
                    ["Authorization": "Bearer s3cret-ZOO_TOKEN", "X-Tenant": "berlin-s3cret-TENANT"],
                    gives: .json(#"[{"id":1}]"#))
            ], stored: ["animals": ["1"]]))

    private static let requests = Example(
        .init(
            [
                .get(
                    "zoo.example/animals?sort=id&per_page=100", ["Accept": "application/json"],
                    gives: .json(#"[{"id":1}]"#)),
                .post(
                    "zoo.example/graphql", ["Accept": "application/json", "Content-Type": "application/json"],
                    body:
                        #"{"query":"query($first: Int) { sightings(first: $first) { id place } }","variables":{"first":100}}"#,
                    gives: .json(#"{"data":{"zoos":[],"sightings":[{"id":7,"place":"Havel"}]}}"#)),
                .post(
                    "zoo.example/search?field=name&field=section",
                    ["Content-Type": "application/x-www-form-urlencoded"],
                    body: "query=section%3Abirds&status=active&status=on_leave", gives: .json(#"[{"id":3}]"#)),
                .post(
                    "zoo.example/sparql", ["Content-Type": "application/sparql-query"],
                    body: "SELECT ?id ?name WHERE { ?id :name ?name }", gives: .json(#"[{"id":4,"name":"Kea"}]"#)),
            ],
            stored: ["animals": ["1"], "sightings": ["7|Havel"], "keepers": ["3"], "species": ["4|Kea"]]))

    private static let placeholders = Example(
        .init(
            [
                .get("zoo.example/north/visitors?from=2*&to=2*", gives: .json(#"[{"id":1}]"#)),
                .get("zoo.example/south/visitors?from=2*&to=2*", gives: .json(#"[{"id":2}]"#)),
            ], stored: ["visitors": ["north|1", "south|2"]]))

    private static let authentication = Example(
        .init(
            [
                .post(
                    "login.zoo.example/token",
                    // garner:s3cret-ZOO_SECRET
                    ["Authorization": "Basic Z2FybmVyOnMzY3JldC1aT09fU0VDUkVU"],
                    body: "grant_type=client_credentials&scope=animals%3Aread%20keepers%3Aread",
                    gives: .json(#"{"access_token":"s3cret-access","token_type":"Bearer","expires_in":3600}"#)),
                .get(
                    "zoo.example/v1/animals", ["Authorization": "Bearer s3cret-access"],
                    gives: .json(#"[{"id":1}]"#)),
                .get("zoo.example/v1/open", ["Authorization": nil], gives: .json(#"[{"id":"monday"}]"#)),
            ], stored: ["animals": ["1"], "opening_hours": ["monday"]]))

    private static let shapes = Example(
        .init(
            [
                .get("zoo.example/hours", gives: .json(#"{"hourly":{"time":["08:00","09:00"],"visitors":[12,40]}}"#)),
                .get(
                    "zoo.example/members",
                    gives: .json(
                        #"[{"id":1,"mail":"o@zoo.example","phone":"s3cret-phone","since":2020,"postcode":"8001","visits":3,"plan_id":7},{"id":2,"since":2021}]"#
                    )
                ),
            ],
            stored: [
                "visitors": ["08:00|12", "09:00|40"],
                // printf o@zoo.example | openssl dgst -sha256 -hmac s3cret-ZOO_HASH_KEY
                "SELECT id, email, since, fetched_at GLOB '20*T*:*:*Z', country, plan FROM members": [
                    "1|3ccf44727252aeb6e592a5faff629057db3d723a5fc37173f580752cada70345|2020|1|ch|7"
                ],
            ]))

    private static let command = Example(
        files: ["token.sh": "#!/bin/sh\necho \"s3cret-$1\"\n"],
        .init(
            [
                .get(
                    "zoo.example/v1/animals", ["Authorization": "Bearer s3cret-animals"],
                    gives: .json(#"[{"id":1}]"#))
            ], stored: ["animals": ["1"]]))

    private static let session = Example(
        .init(
            [
                .post(
                    "zoo.example/v1/login", ["Authorization": nil],
                    body: #"{"user":"garner","password":"s3cret-ZOO_PASSWORD"}"#,
                    gives: .json(#"{"access_token":"s3cret-session"}"#)),
                .get(
                    "zoo.example/v1/animals", ["X-Session": "s3cret-session", "Authorization": nil],
                    gives: .json(#"[{"id":1}]"#)),
                .get(
                    "login.aquarium.example/session?scope=read",
                    ["Authorization": "Basic Z2FybmVyOnMzY3JldC1BUVVBUklVTV9QQVNTV09SRA=="],
                    gives: .json(#"{"token":"s3cret-fish"}"#)),
                .get(
                    "aquarium.example/fish?session=s3cret-fish", ["Authorization": nil],
                    gives: .json(#"[{"id":2}]"#)),
            ], stored: ["animals": ["1"], "fish": ["2"]]))

    private static let lastPages = Example(
        .init(
            [
                .get("zoo.example/animals?page=0", gives: .json(#"{"data":[{"id":1}],"last":false}"#)),
                .get("zoo.example/animals?page=1", gives: .json(#"{"data":[{"id":2}],"last":true}"#)),
                .get(
                    "zoo.example/visits/export",
                    gives: .json(#"{"data":[{"id":3}],"next_page":"?at=7","end_of_stream":false}"#)),
                .get(
                    "zoo.example/visits/export?at=7",
                    gives: .json(#"{"data":[{"id":4}],"next_page":"?at=9","end_of_stream":true}"#)),
            ], stored: ["animals": ["1", "2"], "visits": ["3", "4"]]))

    private static let pages = Example(
        .init(
            [
                .get(
                    "zoo.example/animals",
                    gives: .json(#"{"data":[{"id":1}],"meta":{"next_cursor":"b","more":true}}"#)),
                .get(
                    "zoo.example/animals?cursor=b",
                    gives: .json(#"{"data":[{"id":2}],"meta":{"next_cursor":"c","more":false}}"#)),
                .post(
                    "zoo.example/keepers/search", body: #"{"filter":{"active":true},"page":{"size":50}}"#,
                    gives: .json(#"{"data":[{"id":3}],"page":{"after":"k"}}"#)),
                .post(
                    "zoo.example/keepers/search", body: #"{"filter":{"active":true},"page":{"size":50,"after":"k"}}"#,
                    gives: .json(#"{"data":[{"id":4}],"page":{"after":null}}"#)),
                .get("zoo.example/tickets", gives: .json(#"[{"id":5}]"#, headers: [("X-Next-Cursor", "t")])),
                .get("zoo.example/tickets?after=t", gives: .json(#"[{"id":6}]"#)),
            ], stored: ["animals": ["1", "2"], "keepers": ["3", "4"], "tickets": ["5", "6"]]))

    private static let placedPages = Example(
        .init(
            [
                .get("zoo.example/animals?limit=0%2C50", gives: .json(#"[{"id":1}]"#)),
                .get("zoo.example/animals?limit=1%2C50", gives: .json("[]")),
                .get("zoo.example/keepers/page/1", gives: .json(#"[{"id":2}]"#)),
                .get("zoo.example/keepers/page/2", gives: .json("[]")),
                .get(
                    "zoo.example/visits", body: #"{"size":50}"#, gives: .json(#"{"visits":[{"id":3,"sort":[8,"x"]}]}"#)),
                .get(
                    "zoo.example/visits", body: #"{"size":50,"search_after":[8,"x"]}"#, gives: .json(#"{"visits":[]}"#)),
                .get(
                    "zoo.example/tickets?filter=open%20from%20%2A", gives: .json(#"{"data":[{"id":4}],"next":"b"}"#)),
                .get("zoo.example/tickets?filter=open%20from%20b", gives: .json(#"{"data":[{"id":5}],"next":null}"#)),
            ],
            stored: ["animals": ["1"], "keepers": ["2"], "visits": [#"3|[8,"x"]"#], "tickets": ["4", "5"]]))

    private static let storing: Example = {
        let records = (1...12).map { number in
            #"{"zoo":"berlin","number":\#(number),"origin":{"place":{"country":"DE","grid":{"x":1}}}}"#
        }
        let rows =
            "SELECT zoo, number, origin__place__country, origin__place__grid, _garner_deleted_at IS NULL "
            + "FROM zoo_animals"
        let shown = (1...12).map { #"berlin|\#($0)|DE|{"x":1}|1"# }
        func round(_ count: Int, stored: [String]) -> Example.Round {
            .init(
                [.get("zoo.example/animals", gives: .json("[\(records.prefix(count).joined(separator: ","))]"))],
                stored: [rows: stored])
        }
        let marked = Array(shown.dropLast()) + [#"berlin|12|DE|{"x":1}|0"#]
        return Example(round(12, stored: shown), round(11, stored: marked))
    }()

    private static let schedules = Example(
        .init(
            [
                .get("zoo.example/animals", gives: .json(#"[{"id":1}]"#)),
                .get("zoo.example/visitors/now", gives: .json(#"{"id":"now","count":12}"#)),
                .get("zoo.example/keepers", gives: .json(#"[{"id":7}]"#)),
            ], stored: ["animals": ["1"], "visitors": ["now|12"], "keepers": ["7"]]))

    private static let timesAndLimits = Example(
        .init(
            [
                .get(
                    "zoo.example/animals", gives: .response(status: 503, headers: [("Retry-After", "0")], body: "{}")),
                .get(
                    "zoo.example/animals",
                    gives: .response(
                        headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                        body: Gzip.stored(Array(#"[{"id":1}]"#.utf8)))),
                .get("zoo.example/visitors/now", gives: .json(#"{"id":"now","count":12}"#)),
            ], stored: ["animals": ["1"], "visitors": ["now|12"]]))

    private static let hooks: Example = {
        let animals = RequestAttempt.get("zoo.example/animals", gives: .json(#"[{"id":1}]"#))
        let ping = "ping.example/s3cret-PING_KEY"
        let token =
            ["Authorization": "Bearer s3cret-ALERTS_TOKEN", "Content-Type": "application/json"]
            as [String: String?]
        return Example(
            .init(
                [
                    animals, .get("\(ping)/start", gives: .status(200)), .get(ping, gives: .status(200)),
                    .post(
                        "alerts.example/changes", body: #"{"stream":"zoo.animals",*"hook":"on_change"}"#,
                        gives: .status(204)),
                    .get("zoo.example/keepers", gives: .json(#"[{"id":2}]"#)),
                ], stored: ["animals": ["1"], "keepers": ["2"]]),
            .init(
                [
                    animals, .get("\(ping)/start", gives: .status(200)), .get(ping, gives: .status(200)),
                    .get("zoo.example/keepers", gives: .status(404)),
                    .post(
                        "alerts.example/garner", token,
                        body: #"{"stream":"zoo.keepers",*"status":"failed",*"hook":"on_failure"}"#, gives: .status(200)),
                ], stored: ["animals": ["1"], "keepers": ["2"]], code: 2))
    }()

    private static let network = Example(
        .init(
            [
                .get(
                    "zoo.example/animals",
                    // garner:s3cret-PROXY_PASSWORD
                    ["Proxy-Authorization": "Basic Z2FybmVyOnMzY3JldC1QUk9YWV9QQVNTV09SRA=="],
                    gives: .json(#"[{"id":1}]"#)),
                .get("10.0.0.7/orders", ["Proxy-Authorization": nil], gives: .json(#"[{"id":2}]"#)),
            ], stored: ["animals": ["1"], "orders": ["2"]]))
}
