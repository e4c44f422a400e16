import GarnerCatalog
import Dashboard
import GarnerDatabase
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSQLite
import Synchronization
import TestSupport
import Testing

/// A dashboard over a database that the store has written, with a clock that stands still until it is set.
final class DashboardRig: Sendable {
    static let epoch = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    let configuration: Configuration
    let path: String
    let writer: DatabaseWriter
    let actions = NotedActions()
    let dashboard: Dashboard
    /// The same pages without buttons, as without a service.
    let viewer: Dashboard
    private let folder: TemporaryFolder
    private let shared: SharedClock

    /// - Parameters:
    ///   - streams: The lines of the source `zoo` below `streams:`.
    ///   - clock: The clock for the time that a page may take.
    init(
        _ streams: String = "animals: { path: /animals, primary_key: id, history: true }",
        clock: any Clock<Duration> = ContinuousClock(), maximumConnections: Int = 256
    ) throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        configuration = try Configuration(
            parsing: """
                version: 1
                database: garner.db
                sources:
                  zoo:
                    base_url: https://api.example.org/
                    auth:
                      type: bearer
                      token: "${ZOO_TOKEN}"
                    streams:
                      \(streams)
                """, file: "garner.yaml", environment: ["ZOO_TOKEN": "canary-of-the-token"])
        let wallClock = SharedClock()
        writer = try DatabaseWriter(path: path, busyTimeout: .milliseconds(50), now: { wallClock.now })
        shared = wallClock
        let (database, settings) = (path, configuration)
        func dashboard(_ actions: NotedActions?) -> Dashboard {
            Dashboard(
                database: database, reader: DatabaseReader(path: database), configuration: { settings },
                query: PlainQueries(database: database), actions: actions, version: "0.0.0", now: { wallClock.now },
                clock: clock, maximumConnections: maximumConnections)
        }
        (self.dashboard, viewer) = (dashboard(actions), dashboard(nil))
    }

    var now: Timestamp {
        get { shared.now }
        set { shared.now = newValue }
    }

    func stream(_ name: String = "animals") throws -> StreamConfiguration {
        try #require(configuration.streams.first { $0.name.stream == name })
    }

    /// Reads one page as a complete run that takes `duration`.
    @discardableResult
    func sync(_ json: String, of name: String = "animals", taking duration: Duration = .seconds(1)) async throws
        -> RunRecord
    {
        let began = now
        return try await writer.store(json, of: stream(name), at: began) { [shared] in
            shared.now = shared.now.advanced(by: duration)
        }
    }

    /// A stream that need not be in the configuration, whose records have the key `id`.
    static func stream(
        _ table: String = "animals", key: [String]? = ["id"], _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: "animals"), table: table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://api.example.org", path: "animals"), primaryKey: key)
        change(&stream)
        return stream
    }

    /// Stores the records of one page as a complete run.
    @discardableResult
    func sync(_ stream: StreamConfiguration, _ json: String) async throws -> RunRecord {
        try await writer.store(json, of: stream, at: now)
    }

    /// Changes the database as its owner might.
    func alter(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    @discardableResult
    func fail(_ failure: RunFailure, of name: String = "animals") async throws -> RunRecord {
        let run = try await writer.begin(stream(name), identity: "page", restarting: true)
        now = now.advanced(by: .seconds(1))
        return try await writer.end(run: run, as: .failed, failure: failure)
    }

    /// Returns the answer to a request, and checks that its markup holds nothing that a record brought.
    func get(
        _ target: String, acts: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Reply {
        try await respond(WebRequest(target: target, headers: ["host": "localhost"]), acts: acts, sourceLocation)
    }

    func respond(
        _ request: WebRequest, acts: Bool = true, _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Reply {
        let reply = try await Reply((acts ? dashboard : viewer).respond(to: request))
        guard request.format == nil, reply.headers["Content-Type"]?.hasPrefix("text/html") == true else {
            return reply
        }
        #expect(!reply.bytes.contains(0), "a page holds a NUL", sourceLocation: sourceLocation)
        for secret in ["canary-of-the-token", "<script>", "style=", "\"\u{301} onfocus", "href=\"javascript:"] {
            #expect(!reply.contains(secret), "a page holds \(secret)", sourceLocation: sourceLocation)
        }
        return reply
    }

    /// Returns the values of a field in the JSON twin, as JSON.
    func values(_ field: String, at target: String) async throws -> [String] {
        let reply = try await get(target)
        #expect(reply.status == 200, "\(reply.text)")
        let rows = try JSONSerialization.jsonObject(with: Data(reply.bytes)) as? [[String: Any]] ?? []
        return rows.map { row in row[field].map { "\($0)" } ?? "none" }
    }
}

extension DatabaseWriter {
    /// Stores the records of one page as a complete run.
    ///
    /// - Parameter willEnd: Called before the run ends.
    func store(
        _ json: String, of stream: StreamConfiguration, at instant: Timestamp, willEnd: () -> Void = {}
    ) async throws -> RunRecord {
        let run = try await begin(stream, identity: "page", restarting: true)
        _ = try await openRead(of: run)
        let slice = try #require(try await slices(of: run, limit: 1).first)
        let records = try Selector(parsing: "$[*]").select(in: Document(parsing: Bytes(json.utf8)))
        let url = "https://api.example.org/animals?key=***"
        let page = PageCommit(
            content: .records(records), position: "page=1", slice: slice.id, continuation: .complete, url: url,
            requests: [RequestRecord(sentAt: instant, url: url, status: 200, bytes: json.utf8.count)])
        willEnd()
        if let ended = try await commit(page, to: run).ended { return ended }
        return try await finish(run)
    }
}

/// A wall clock that tests set.
final class SharedClock: Sendable {
    private let time = Mutex(DashboardRig.epoch)

    var now: Timestamp {
        get { time.withLock(\.self) }
        set { time.withLock { $0 = newValue } }
    }
}

struct NoQueries: QueryRunner {
    struct Refused: Error {}

    func run(_: String, parameters _: [String: String], as _: RowFormat) async throws -> [UInt8] { throw Refused() }
}

/// Answers SQL in this process and without limits.
struct PlainQueries: QueryRunner {
    let database: String

    private final class Collected {
        var bytes: [UInt8] = []
    }

    func run(_ sql: String, parameters _: [String: String], as format: RowFormat) async throws -> [UInt8] {
        let (rows, collected) = (try ReadOnlyDatabase(path: database).rows(sql), Collected())
        _ = try rows.write(as: format == .csv ? .csv : .json) { collected.bytes += $0 }
        return collected.bytes
    }
}

/// Notes what the forms of pages ask for.
final class NotedActions: DashboardActions {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock(\.self) }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    func sync(_ stream: StreamName) async throws { note("sync \(stream)") }
    func pause(_ stream: StreamName) async throws { note("pause \(stream)") }
    func resume(_ stream: StreamName) async throws { note("resume \(stream)") }
    func retryQuarantine(of stream: StreamName, record: Int64?) async throws {
        note("retry \(stream) \(record.map(String.init) ?? "all")")
    }
    func dropQuarantined(_ record: Int64, of stream: StreamName) async throws { note("drop \(record)") }
}
