import Foundation
import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import Synchronization
import TestSupport
import Testing

@testable import GarnerPublish

/// A file whose tables are published to a database of a test's own.
final class PublishedFile: Sendable {
    let folder: TemporaryFolder
    let path: String
    let database: TestDatabase
    let writer: DatabaseWriter
    let publisher: Publisher

    /// - Parameters:
    ///   - path: A file that is there; nil for a new one.
    ///   - user: Who connects.
    init(
        _ database: TestDatabase, at path: String? = nil, in folder: TemporaryFolder? = nil,
        user: String = "garner", through url: PostgresURL? = nil, schema: String = "public",
        clock: any Clock<Duration> = ContinuousClock(), walLimits: WALLimits = WALLimits(),
        answerLimit: Duration = PostgresConnection.answerLimit,
        publishes: @escaping @Sendable (String) -> Bool = { _ in true },
        isNumeric: @escaping @Sendable (_ stream: String, _ path: [String]) -> Bool = { _, _ in false }
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.path = path ?? self.folder.path("garner.db")
        self.database = database
        let token = Publisher.newToken()
        let now: @Sendable () -> Timestamp = { Timestamp(millisecondsSince1970: 1_769_846_700_000) }
        writer = try DatabaseWriter(path: self.path, publishingAs: token, now: now)
        let events = Events()
        publisher = Publisher(
            Publisher.Target(
                url: try url ?? database.url(of: user), schema: schema, publishes: publishes, isNumeric: isNumeric),
            of: self.path,
            writer: writer, token: token, version: "0.0.0", clock: clock, walLimits: walLimits,
            answerLimit: answerLimit, now: now,
            tell: { event in events.list.withLock { $0.append(event) } })
        self.eventList = events
    }

    private let eventList: Events
    var told: [PublicationEvent] { eventList.list.withLock { $0 } }

    private final class Events: Sendable {
        let list = Mutex<[PublicationEvent]>([])
    }

    func close() async {
        await publisher.close()
        await writer.close()
    }

    /// Opens the file anew, as the next process does.
    func reopened(
        on other: TestDatabase? = nil, publishes: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> PublishedFile {
        await close()
        return try PublishedFile(other ?? database, at: path, in: folder, publishes: publishes)
    }

    /// Copies the file as it is on the disk. Returns the copy's path.
    func copy() throws -> String {
        let copy = folder.path("copy-\(UUID().uuidString).db")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }

    // MARK: - Storing

    /// Stores one page as a complete run.
    func sync(_ stream: StreamConfiguration, _ page: String) async throws {
        let run = try await writer.begin(stream, identity: "page=1", restarting: true)
        _ = try await writer.openRead(of: run)
        let slice = try #require(try await writer.slices(of: run, limit: 1).first)
        let document = try Document(parsing: Bytes(page.utf8))
        let records = try Selector(parsing: "$[*]").select(in: document)
        let url = "https://api.example.org/animals"
        let page = PageCommit(
            content: .records(records), position: "page=1", slice: slice.id, continuation: .complete, url: url,
            requests: [
                RequestRecord(
                    sentAt: Timestamp(millisecondsSince1970: 1_769_846_700_000), url: url, status: 200,
                    bytes: page.utf8.count)
            ])
        _ = try await writer.commit(page, to: run)
    }

    /// Publishes what waits, and expects that PostgreSQL then has what the file has.
    @discardableResult
    func publish(sourceLocation: SourceLocation = #_sourceLocation) async throws -> PublicationReport {
        let report = await publisher.publish()
        #expect(report.failure == nil, sourceLocation: sourceLocation)
        #expect(report.behind == [:], sourceLocation: sourceLocation)
        try await expectEqual(sourceLocation: sourceLocation)
        return report
    }

    /// Why tables are behind, as the file says it.
    func behindReasons() throws -> [String?] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        return try connection.rows(
            "SELECT DISTINCT behind_reason FROM _garner_published WHERE behind_reason IS NOT NULL"
        ) { $0.text(at: 0) }
    }

    // MARK: - Comparing

    /// Expects the rows of the file in PostgreSQL, and no others.
    func expectEqual(
        _ tables: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        let names =
            try tables
            ?? connection.rows("SELECT table_name FROM _garner_streams WHERE baseline_run IS NOT NULL ORDER BY 1") {
                $0.text(at: 0)
            }
        for name in names {
            let expected = try connection.rows("SELECT * FROM \"\(name)\"") { row in
                (0..<row.columnCount).map { Self.shown(row.value(at: $0)) }.joined(separator: " ")
            }.sorted()
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(name)]) {
                $0.text(at: 0)
            }
            let found = try await rows(of: name, columns)
            #expect(found == expected, "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// The rows in PostgreSQL, with NULL where it lacks a column.
    private func rows(of table: String, _ columns: [String]) async throws -> [String] {
        let place =
            try await database.texts(
                "SELECT quote_ident(schema) || '.' || quote_ident(name) FROM _garner.tables WHERE name = '\(table)'"
            ).first?.first ?? nil
        guard let place else { return ["no table"] }
        let result = try await database.connection.execute("SELECT * FROM \(place)")
        let indexes = columns.map { result.columns.firstIndex(of: $0) }
        return result.rows.map { row in
            indexes.map { $0.map { Self.shown(row[$0]) } ?? "NULL" }.joined(separator: " ")
        }.sorted()
    }

    private static func shown(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
    }

    private static func shown(_ value: PostgresValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .double(let double): "\(double)"
        case .boolean(let boolean): boolean ? "1" : "0"
        case .text(let text), .json(let text): text
        case .instant(let instant): Date(timeIntervalSince1970: Double(instant) / 1e6).formatted(.iso8601)
        default: "\(value)"
        }
    }
}

extension StreamConfiguration {
    static func zoo(
        _ stream: String, table: String? = nil, key: [String]? = ["id"], missing: DeleteMissing = .hard,
        writing: WriteDisposition? = nil
    ) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: stream), table: table ?? stream,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://api.example.org/", path: "animals"), primaryKey: key,
            writeDisposition: writing, deleteMissing: missing, maxDeleteRatio: 1)
    }
}

/// A page of records with these numbers; `name` and `weight` depend on the round.
func page(_ ids: some Sequence<Int>, round: Int = 1) -> String {
    "[" + ids.map { #"{"id":\#($0),"name":"animal \#($0) \#(round)","weight":\#($0).5}"# }.joined(separator: ",") + "]"
}
