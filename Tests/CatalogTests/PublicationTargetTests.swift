import TestSupport
import Testing

@testable import GarnerCatalog

struct PublicationTargetTests {
    private static let streams =
        "sources:\n  zoo:\n    base_url: https://zoo.example/\n    streams: { animals: { path: a } }\n"

    private static func parse(_ publish: String, _ environment: [String: String] = [:]) throws -> Configuration {
        try Fixture.parse("version: 1\npublish: \(publish)\n" + streams, environment: environment)
    }

    @Test func `a URL alone publishes all streams to the schema public`() throws {
        let target = try #require(try Self.parse("postgresql://garner@db.example/warehouse").publish)
        #expect(target == PublicationTarget(url: Secret("postgresql://garner@db.example/warehouse")))
        #expect(target.schema == "public" && target.place.line == 2)
        #expect(target.publishes("zoo.animals"))
        #expect(try Fixture.parse("version: 1\n").publish == nil)
    }

    @Test(arguments: [
        ("[zoo.*]", "[zoo.*]", true), ("zoo.animals", "[zoo.animals]", true), ("animals", "[animals]", true),
        ("'*'", "[*]", true),
    ])
    func `a mapping names schema and streams`(streams: String, shown: String, publishes: Bool) throws {
        let configuration = try Self.parse("{ url: postgres://db.example/w, schema: analytics, streams: \(streams) }")
        let target = try #require(configuration.publish)
        #expect(target.schema == "analytics")
        #expect(target.publishes("zoo.animals") == publishes)
        #expect(!target.publishes("crm.deals") || streams == "'*'")
        let entries = configuration.effective.general.filter { $0.path.first == "publish" }
        #expect(entries.map { $0.path.joined(separator: ".") } == ["publish.url", "publish.schema", "publish.streams"])
        #expect(entries.map(\.value.description) == ["postgres://db.example/w", "analytics", shown])
        #expect(entries.allSatisfy { $0.origin == .file(line: 2) })
    }

    @Test func `the fields that are numeric are those of the streams, by their last type`() throws {
        let types =
            "{ price: numeric, '$.lines.tax': numeric, weight: real, '$.price': numeric, sum: numeric, '$.sum': text }"
        func target(_ fields: String) throws -> PublicationTarget? {
            let stream = "animals: { path: a, fields: { types: \(fields) } }"
            return try Fixture.parse(
                "version: 1\npublish: postgresql:///w\n" + Self.streams.replacing("animals: { path: a }", with: stream)
            ).publish
        }
        let found = try #require(try target(types))
        for (path, isNumeric) in [
            (["price"], true), (["lines", "tax"], true), (["weight"], false), (["sum"], false), (["lines"], false),
        ] {
            #expect(found.isNumeric(path, of: "zoo.animals") == isNumeric, "\(path)")
            #expect(!found.isNumeric(path, of: "crm.animals"))
        }
        // A service then goes on with the other types.
        #expect(try found != target("{ price: real }"))
        #expect(try found == target(types))
    }

    @Test(arguments: [
        (
            "postgresql://u:${CANARY}@db.example:5432/w?sslmode=require&password=${CANARY}&port=1",
            "postgresql://u@db.example:5432/w?sslmode=require&port=1"
        ),
        ("${URL}", "postgresql://u@[::1]:5432,db.example/w"), ("postgresql:///w?password=${CANARY}", "postgresql:///w"),
        // Of another shape, nothing is shown.
        ("postgresql://u:${CANARY}/w", "***"), ("postgresql://u:a@${CANARY}@db.example/w", "***"),
        ("postgresql://u:a/${CANARY}@db.example/w", "***"), ("postgresql://u:a?${CANARY}@db.example/w", "***"),
        ("postgresql://u\u{301}:${CANARY}@db.example/w", "***"),
    ])
    func `the password is shown nowhere`(written: String, shown: String) throws {
        let environment = ["CANARY": Canary.encoded, "URL": "postgresql://u:\(Canary.encoded)@[::1]:5432,db.example/w"]
        let configuration = try Self.parse("\"\(written)\"", environment)
        #expect(configuration.publish?.shownURL == shown)
        #expect(configuration.effective.general.first { $0.path == ["publish", "url"] }?.value == .text(shown))
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped, "\(configuration.effective)"] {
            #expect(Canary.trace(in: text) == nil)
        }
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `a password in plain text is warned of, without it`() throws {
        let written = try Self.parse("postgresql://u:s3cret@db.example/w").warnings
        #expect(written.map(\.message) == ["'publish' holds a password in plain text"])
        #expect(!"\(written)".contains("s3cret"))
        #expect(try Self.parse("postgresql://u@db.example/w").warnings.isEmpty)
    }

    @Test(arguments: [
        ("mysql://u:s3cret@db.example/w", "'publish' must be the URL of a PostgreSQL database"),
        ("host=db.example password=s3cret", "'publish' must be the URL of a PostgreSQL database"),
        ("{ schema: a }", "'publish.url' is missing"), ("{ url: s3cret }", "'publish.url' must be the URL"),
        ("{ url: postgresql://h/w, host: h }", "'publish.host' does not belong here"),
        ("{ url: postgresql://h/w, schema: _garner }", "cannot be _garner, which belongs to Garner itself"),
        ("{ url: postgresql://h/w, schema: pg_x }", "belongs to PostgreSQL itself"),
        ("{ url: postgresql://h/w, schema: '' }", "must be the name of a schema"),
        ("{ url: postgresql://h/w, streams: [] }", "names no stream"),
        ("{ url: postgresql://h/w, streams: [crm.*] }", "'publish.streams': no stream matches 'crm.*'"),
        ("{ url: postgresql://h/w, streams: animls }", "'publish.streams': no stream is called 'animls'"),
    ])
    func `a mistake is told without the URL`(written: String, message: String) {
        let issues = Fixture.issues("version: 1\npublish: \(written)\n" + Self.streams)
        #expect(issues.count == 1 && issues.first?.message.contains(message) == true, "\(issues)")
        #expect(issues.first?.hint != nil && !"\(issues)".contains("s3cret"))
    }

    @Test(arguments: [
        ("\n  url: postgresql://h/w\n  streams:\n    - crm.*\n    - animals", [5, 6]),
        ("\n  streams: [animals, animls]\n  url: postgresql://h/w", [3]),
        ("{ url: postgresql://h/w, streams: x }", [2]),
    ])
    func `a name of no stream is told with its own line`(written: String, lines: [Int]) {
        let issues = Fixture.issues("version: 1\npublish: \(written)\n" + Self.streams)
        #expect(issues.allSatisfy { $0.place.line.map(lines.contains) == true } && !issues.isEmpty, "\(issues)")
    }

    @Test func `a missing variable stops publishing alone, as that of a hook does`() throws {
        for written in ["\"${WAREHOUSE_URL}\"", "{ url: postgresql://h/w, schema: \"${WAREHOUSE_SCHEMA}\" }"] {
            let configuration = try Self.parse(written)
            #expect(configuration.publish?.missing.count == 1)
            #expect(configuration.missing == configuration.publish?.missing)
            #expect(configuration.streams.flatMap(\.missing).isEmpty)
        }
    }

    @Test func `targets are equal wherever they stand`() throws {
        let one = try Self.parse("postgresql://h/w").publish
        #expect(try Self.parse("\n  postgresql://h/w").publish == one)
        #expect(try Self.parse("postgresql://h/x").publish != one)
        #expect(try Self.parse("{ url: postgresql://h/w, streams: animals }").publish != one)
    }
}
