import TestSupport

extension RunFault {
    /// The source of a partition's values is not as it should be.
    static let partitionSources: [RunFault] = [
        file("is missing", nil), file("is empty", ""), file("has only blank lines", "\r\n  \n\n"),
        file("is larger than 1 MiB", String(repeating: "x", count: (1 << 20) + 1)),
        query("SELECTs from a table that is not there", "partition_values", "SELECT name FROM towns"),
        query("has no row", "partition_values", "SELECT name FROM cities WHERE id > 7"),
        query("has only NULL", "partition_values", "SELECT NULL FROM cities"),
        query("cannot be evaluated", "configuration", "SELECT nme FROM cities"),
        query("has two columns", "configuration", "SELECT id, name FROM cities"),
        query("writes", "configuration", "DELETE FROM cities RETURNING name"),
        query("has two statements", "configuration", "SELECT name FROM cities; SELECT 1"),
    ]

    private static func file(_ name: String, _ text: String?) -> RunFault {
        fault("the file \(name)", "partition_values", "{ file: cities.txt }").with {
            $0.files = { _ in text.map { ["cities.txt": $0] } ?? [:] }
            $0.repair = ["cities.txt": "berlin\nbern\n"]
        }
    }

    private static func query(_ name: String, _ outcome: String, _ sql: String) -> RunFault {
        fault("the query \(name)", outcome, "{ query: \"\(sql)\" }").with {
            $0.repairedSource = $0.source.replacing(sql, with: "SELECT name FROM cities")
        }
    }

    private static func fault(_ name: String, _ outcome: String, _ values: String) -> RunFault {
        RunFault(
            name: name, outcome: outcome, pages: [1], stream: "stations", parent: "cities",
            source: """
                streams:
                  cities: { path: cities, primary_key: id }
                  stations:
                    partitions: { city: \(values) }
                    path: "{partition.city}/stations"
                    primary_key: [_city, id]
                """
        ).with {
            $0.isFaulty = { _, _ in false }
            $0.goodReply = { request in
                request.target == "/cities"
                    ? .json(#"[{"id":1,"name":"berlin"},{"id":2,"name":"bern"}]"#) : .json(#"[{"id":1},{"id":2}]"#)
            }
            $0.allRows = 4
        }
    }
}
