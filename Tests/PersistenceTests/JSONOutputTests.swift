import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import TestSupport
import Testing

/// Values that came in as JSON go out as JSON, and texts stay texts.
struct JSONOutputTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func `arrays, objects and booleans are such again`() async throws {
        try await fixture.sync(
            .animals(depth: 0), #"[{"id":1,"tags":["a","b"],"size":{"w":2.50},"wild":true,"n":1,"text":"[]"}]"#,
            #"[{"id":2,"tags":null,"size":{},"wild":false,"n":0,"text":"{}"}]"#)
        #expect(
            try ndjson("SELECT id, tags, size, wild, n, text FROM animals ORDER BY id") == [
                #"{"id":1,"tags":["a","b"],"size":{"w":2.50},"wild":true,"n":1,"text":"[]"}"#,
                #"{"id":2,"tags":null,"size":{},"wild":false,"n":0,"text":"{}"}"#,
            ])
    }

    @Test func `a column that had a text once is written as texts`() async throws {
        try await fixture.sync(.animals(depth: 0), #"[{"id":1,"v":[1]}]"#, #"[{"id":2,"v":"[1]"}]"#)
        #expect(try ndjson("SELECT v FROM animals ORDER BY id") == [#"{"v":"[1]"}"#, #"{"v":"[1]"}"#])
    }

    @Test func `what others have written there is a text where it is no JSON`() async throws {
        try await fixture.sync(.animals(depth: 0), #"[{"id":1,"v":[1],"b":true}]"#)
        await fixture.writer.close()
        try fixture.alter("UPDATE animals SET v = '[1', b = 7")
        #expect(try ndjson("SELECT v, b FROM animals") == [#"{"v":"[1","b":7}"#])
    }

    @Test func `a text that is not UTF-8 is written as its bytes`() async throws {
        try await fixture.sync(.animals(depth: 0), #"[{"id":1,"v":[1],"name":"é"}]"#)
        await fixture.writer.close()
        try fixture.alter("UPDATE animals SET v = CAST(x'5bff5d' AS TEXT)")
        #expect(
            try ndjson("SELECT v, name, CAST(x'eda080' AS TEXT) AS s, CAST(x'c0af' AS TEXT) AS o, '' AS e FROM animals")
                == [#"{"v":{"$base64":"W/9d"},"name":"é","s":{"$base64":"7aCA"},"o":{"$base64":"wK8="},"e":""}"#])
    }

    @Test func `what is calculated is as SQLite gives it`() async throws {
        try await fixture.sync(.animals(depth: 0), #"[{"id":1,"v":[1],"b":true}]"#)
        #expect(try ndjson("SELECT v || '' AS v, b + 0 AS b FROM animals") == [#"{"v":"[1]","b":1}"#])
    }

    private func ndjson(_ sql: String) throws -> [String] {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        var bytes: [UInt8] = []
        try reader.rows(sql).write(as: .ndjson) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
