import TestSupport

/// The expected results of the examples in README.md, by heading.
enum ReadmeExamples {
    static let all = ["Your own API, in three commands": wholeConfiguration]

    private static let wholeConfiguration: Example = {
        let token = ["Authorization": "Bearer s3cret-API_TOKEN"]
        let rows = "SELECT id, name, _garner_deleted_at IS NULL FROM items"
        return Example(
            .init(
                [
                    .get(
                        "api.example.org/v1/items", token,
                        gives: .json(#"{"items":[{"id":1,"name":"a"}],"next":"/v1/items?page=2"}"#)),
                    .get(
                        "api.example.org/v1/items?page=2", token,
                        gives: .json(#"{"items":[{"id":2,"name":"b"},{"id":3,"name":"c"}],"next":null}"#)),
                ], stored: [rows: ["1|a|1", "2|b|1", "3|c|1"]]),
            .init(
                [
                    .get(
                        "api.example.org/v1/items", token,
                        gives: .json(#"{"items":[{"id":1,"name":"a"},{"id":3,"name":"c"}],"next":null}"#))
                ],
                stored: [rows: ["1|a|1", "2|b|0", "3|c|1"]]))
    }()
}
