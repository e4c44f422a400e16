import TestSupport

extension VocabularyExamples {
    static let requests: [VocabularyExample] = [
        .init(
            #"""
            path: animals?sort=id
            headers: { X-One: stream, X-Key: "${KEY}" }
            params: { per_page: 2, key: { file: key.txt } }
            """#,
            inSource: """
                headers: { X-One: source, X-Two: source }
                params: { per_page: 1, lang: en }
                """,
            Example(
                files: ["key.txt": "s3cret-file"],
                .init(
                    [
                        .get(
                            "zoo.example/animals?sort=id&per_page=2&lang=en&key=s3cret-file",
                            ["X-One": "stream", "X-Two": "source", "X-Key": "s3cret-KEY"], gives: animals)
                    ], stored: ["animals": ["1"]]))),
        .init(
            #"path: "bot${BOT_TOKEN}/animals""#,
            [
                .get(
                    "zoo.example/bots3cret-BOT_TOKEN/animals",
                    gives: .json(#"{"data":[{"id":1}],"next":"/bots3cret-BOT_TOKEN/animals?page=2"}"#)),
                .get("zoo.example/bots3cret-BOT_TOKEN/animals?page=2", gives: .json(#"{"data":[{"id":2}]}"#)),
            ], stores: ["1", "2"]),
        .init(
            "method: POST", [.post("zoo.example/animals", body: "", gives: animals)], stores: ["1"]),
        .init("method: GET", [.get("zoo.example/animals", gives: animals)], stores: ["1"]),
        .init(
            """
            method: GET
            json: { size: 2, key: "${KEY}" }
            """,
            [
                .get(
                    "zoo.example/animals", ["Content-Type": "application/json"],
                    body: #"{"size":2,"key":"s3cret-KEY"}"#, gives: animals)
            ], stores: ["1"]),
        .init(
            #"json: { filter: [1, "1", true, null, "${KEY}"], text: "$${name}" }"#,
            [
                .post(
                    "zoo.example/animals", ["Content-Type": "application/json"],
                    body: #"{"filter":[1,"1",true,null,"s3cret-KEY"],"text":"${name}"}"#, gives: animals)
            ], stores: ["1"]),
        .init(
            #"form: { query: "a b&c", tag: [x, y], key: "${KEY}" }"#,
            [
                .post(
                    "zoo.example/animals", ["Content-Type": "application/x-www-form-urlencoded"],
                    body: "query=a+b%26c&tag=x&tag=y&key=s3cret-KEY", gives: animals)
            ], stores: ["1"]),
        .init(
            #"""
            path: "{partition.kind}/animals"
            body: "SELECT * WHERE {{partition.kind} ?x}"
            headers: { Content-Type: application/sparql-query, X-Kind: "{partition.kind}" }
            partitions: { kind: [a, b] }
            """#,
            [
                .post(
                    "zoo.example/a/animals", ["Content-Type": "application/sparql-query", "X-Kind": "a"],
                    body: "SELECT * WHERE {a ?x}", gives: .json(#"[{"id":1}]"#)),
                .post(
                    "zoo.example/b/animals", ["Content-Type": "application/sparql-query", "X-Kind": "b"],
                    body: "SELECT * WHERE {b ?x}", gives: .json(#"[{"id":2}]"#)),
            ], stores: ["a|1", "b|2"]),
        .init(
            "method: PUT\nbody: all",
            [
                .put(
                    "zoo.example/animals", ["Content-Type": "text/plain; charset=utf-8"], body: "all", gives: animals)
            ], stores: ["1"]),
        .init(
            #"params: { tag: [a, "b c"], key: ["${KEY}", d] }"#,
            [
                .get("zoo.example/animals?tag=a&tag=b%20c&key=s3cret-KEY&key=d", gives: animals)
            ], stores: ["1"]),
        .init(
            #"""
            path: "{partition.zoo}/animals"
            partitions: { zoo: [berlin, "São Paulo"], kind: [a, b] }
            params: { kind: "{partition.kind}" }
            """#,
            [
                .get("zoo.example/berlin/animals?kind=a", gives: .json(#"[{"id":1}]"#)),
                .get("zoo.example/berlin/animals?kind=b", gives: .json(#"[{"id":2}]"#)),
                .get("zoo.example/S%C3%A3o%20Paulo/animals?kind=a", gives: .json(#"[{"id":3}]"#)),
                .get("zoo.example/S%C3%A3o%20Paulo/animals?kind=b", gives: .json("[]")),
            ], stores: ["berlin|a|1", "berlin|b|2", "São Paulo|a|3"]),
        .init(
            #"""
            path: "{partition.zoo}/animals"
            partitions: { zoo: { file: zoos.txt } }
            """#,
            Example(
                files: ["zoos.txt": "berlin\r\n\nSão Paulo\nberlin\n"],
                .init(
                    [
                        .get("zoo.example/berlin/animals", gives: .json(#"[{"id":1}]"#)),
                        .get("zoo.example/S%C3%A3o%20Paulo/animals", gives: .json(#"[{"id":3}]"#)),
                    ], stored: ["animals": ["berlin|1", "São Paulo|3"]]))),
        .init(
            "allow_private_network: false", inSource: "base_url: http://10.0.0.8/",
            Example(.init([], stored: [:], code: 78))),
        .init(
            "allow_private_network: true\npaginator: { type: json_link, next_url_path: $.next, allow_cross_origin: true }",
            [
                .get("zoo.example/animals", gives: .json(#"{"data":[{"id":1}],"next":"http://10.0.0.8/animals"}"#)),
                .get("10.0.0.8/animals", gives: .json(#"{"data":[{"id":2}],"next":null}"#)),
            ], stores: ["1", "2"]),
        .init(
            "primary_key: id",
            inSource: "rate_limit: { requests: 10, per: 1s }\nmax_concurrency: 4\nproxy: environment",
            [.get("zoo.example/animals", gives: animals)], stores: ["1"]),
    ]
}
