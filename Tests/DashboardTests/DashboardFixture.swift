import Catalog
import Dashboard
import Database
import Foundation
import JSON
import Model
import Persistence
import Presentation
import SQLite
import TestSupport
import Testing

/// A database of its own, and the dashboard over it.
struct DashboardFixture {
    let folder: TemporaryFolder
    let path: String
    let writer: DatabaseWriter
    let dashboard: Dashboard

    static let now = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        self.path = path
        writer = try DatabaseWriter(path: path, busyTimeout: .milliseconds(50)) { Self.now }
        dashboard = Dashboard(
            database: path, reader: DatabaseReader(path: path), configuration: { nil }, query: NoQueries(),
            version: "test", now: { Self.now }, clock: ContinuousClock())
    }

    /// A stream whose records have the key `id`.
    static func stream(
        _ table: String = "animals", key: [String]? = ["id"], _ change: (inout Catalog.Stream) -> Void = { _ in }
    ) -> Catalog.Stream {
        var stream = Catalog.Stream(
            name: StreamName(source: "zoo", stream: "animals"), table: table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://api.example.org", path: "animals"), primaryKey: key)
        change(&stream)
        return stream
    }

    /// Stores the records of one page as a complete run.
    @discardableResult
    func sync(_ stream: Catalog.Stream, _ json: String) async throws -> RunRecord {
        try await writer.store(json, of: stream, at: Self.now)
    }

    /// Changes the database as its owner might.
    func alter(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    func get(_ target: String) async throws -> Reply {
        try await Reply(dashboard.respond(to: WebRequest(target: target, headers: ["host": "localhost"])))
    }

    /// Returns the values of a field in the JSON twin, as JSON.
    func values(_ field: String, at target: String) async throws -> [String] {
        let reply = try await get(target)
        #expect(reply.status == 200, "\(reply.text)")
        let rows = try JSONSerialization.jsonObject(with: Data(reply.bytes)) as? [[String: Any]] ?? []
        return rows.map { row in row[field].map { "\($0)" } ?? "none" }
    }
}

/// A response that was read to its end.
struct Reply {
    let status: Int
    let headers: [String: String]
    let bytes: [UInt8]

    init(_ response: WebResponse) async throws {
        status = response.status
        headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first }
        switch response.body {
        case .bytes(let bytes): self.bytes = bytes
        case .parts(let parts):
            var all: [UInt8] = []
            for try await part in parts { all += part }
            bytes = all
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns true if the bytes of a text stand in the body. Characters are not compared, since a combining mark would
    /// hide the one before it.
    func contains(_ text: String) -> Bool { Data(bytes).range(of: Data(text.utf8)) != nil }

    /// The addresses of the links whose text or attributes have this word.
    func link(rel: String) -> String? {
        guard let start = text.range(of: "rel=\"\(rel)\" href=\"") else { return nil }
        return text[start.upperBound...].prefix { $0 != "\"" }.replacingOccurrences(of: "&amp;", with: "&")
    }
}
