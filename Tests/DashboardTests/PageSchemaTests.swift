import Dashboard
import Foundation
import GarnerModel
import GarnerPersistence
import Testing

/// The JSON of each page is as `docs/schemas` tells.
@Suite struct PageSchemaTests {
    private static let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs")

    private static func schema(_ name: String) throws -> JSONSchema {
        try JSONSchema(Data(contentsOf: docs.appendingPathComponent("schemas/\(name).json")))
    }

    private static func value(_ reply: Reply) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(reply.bytes), options: .fragmentsAllowed)
    }

    /// Returns what a schema finds wrong with an answer.
    static func errors(in reply: Reply, of name: String) throws -> [String] {
        try schema(name).errors(in: value(reply))
    }

    /// A database in which each list has an entry, and each value that may be null is so somewhere.
    private static func rig() async throws -> DashboardRig {
        let rig = try DashboardRig(
            """
            animals: { path: /animals, primary_key: id, delete_missing: hard, history: true, schedule: { every: 1h } }
                  keepers: { path: /keepers, primary_key: id }
                  plants: { path: /plants }
            """)
        try await rig.sync(#"[{"id":1,"name":"Kea","photo":"/a.png"},{"id":2,"name":"Dodo"}]"#)
        try await rig.sync(#"[{"id":1,"name":"Kea!","age":3},{"name":"no key"}]"#)
        try rig.alter(
            """
            INSERT INTO _garner_attachments (stream_id, field, url, read_id, run_id, asked_at, error_kind, error_message)
            VALUES (1, 'photo', '/a.png', 1, 1, '\(rig.now)', 'http_status', 'HTTP 404')
            """)
        try await rig.writer.skip(
            rig.stream(), nominals: rig.now.advanced(by: .seconds(-60))...rig.now, count: 3, reason: "a run went on")
        try await rig.sync(#"[{"id":1,"n":1}]"#, of: "keepers")
        try await rig.sync(#"[{"id":1,"n":2}]"#, of: "keepers")
        try await rig.fail(
            RunFailure(.unavailable, kind: "http_status", message: "HTTP 503", url: "https://a/", hint: "wait"))
        return rig
    }

    @Test(arguments: [
        ("streams", ["/index.json"]), ("stream", ["/streams/zoo%2Eanimals.json", "/streams/zoo%2Eplants.json"]),
        ("runs", ["/runs.json", "/runs.json?status=failed", "/runs.json?status=skipped", "/runs.json?status=running"]),
        ("run", ["/runs/1.json", "/runs/2.json", "/runs/3.json", "/runs/6.json"]), ("tables", ["/tables.json"]),
        ("table", ["/tables/animals.json", "/tables/keepers.json?n=9"]),
        ("record", ["/tables/animals/1.json", "/tables/animals/2.json"]), ("changes", ["/changes.json"]),
        ("query", ["/query.json?sql=SELECT%201%20AS%20one,%20x%27ff%27%20AS%20blob"]),
        (
            "error",
            [
                "/tables/animals/9.json", "/tables/nothing.json", "/nothing.json", "/runs.json?limit=0",
                "/runs/99.json", "/streams/zoo%2Eanimal.json", "/query.json", "/query.json?sql=SELEC",
            ]
        ),
    ])
    func `the JSON of a page is as its schema tells`(name: String, targets: [String]) async throws {
        let (rig, schema) = (try await Self.rig(), try Self.schema(name))
        for target in targets {
            let reply = try await rig.get(target)
            #expect((reply.status == 200) == (name != "error"), "\(target): \(reply.status)")
            #expect(reply.headers["Content-Type"] == "application/json", "\(target)")
            #expect(schema.errors(in: try Self.value(reply)) == [], "\(target)")
        }
    }

    @Test(arguments: [
        ("streams", #"[{"stream":1}]"#), ("runs", #"{}"#),
        ("tables", #"[{"table":"a","stream":"b","rows":-1,"kind":"table","deleted":0,"last_changed_at":null}]"#),
        ("tables", #"[{"table":"a","stream":"b","rows":1,"kind":"table","deleted":0,"last_changed_at":"now"}]"#),
        (
            "tables",
            #"[{"table":"a","stream":"b","rows":1,"kind":"table","deleted":0,"last_changed_at":null,"more":1}]"#
        ),
        ("record", #"{"table":"a","record":null,"attachments":[]}"#), ("changes", #"[{"op":"upsert"}]"#),
        ("error", #"{"error":null}"#), ("table", "[1]"),
    ])
    func `a schema refuses other JSON`(name: String, json: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
        #expect(try Self.schema(name).errors(in: value) != [])
    }

    @Test func `each schema is listed with its page`() throws {
        let text = try String(contentsOf: Self.docs.appendingPathComponent("dashboard.md"), encoding: .utf8)
        let folder = Self.docs.appendingPathComponent("schemas").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count == 10)
        for file in files { #expect(text.contains("(schemas/\(file))"), "\(file)") }
    }
}
