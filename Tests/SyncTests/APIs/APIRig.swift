import GarnerCatalog
import GarnerDatabase
import GarnerFetcher
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import SimulatedAPIs
import GarnerSync
import TestSupport
import Testing

/// A simulated API, and a database that it is brought into as a user's configuration says.
struct APIRig: Sendable {
    let api: SimulatedAPI
    let transport: APITransport
    let writer: DatabaseWriter
    private let path: String
    private let folder: TemporaryFolder

    /// - Parameter database: what another rig has left; nil for an empty database.
    init(_ api: SimulatedAPI, over database: Data? = nil) throws {
        self.api = api
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        if let database {
            try #require(
                FileManager.default.createFile(
                    atPath: path, contents: database, attributes: [.posixPermissions: 0o600]))
        }
        transport = APITransport(api)
        writer = try DatabaseWriter(path: path, synchronous: .normal) { SyncRig.epoch }
    }

    static func run<R: Sendable>(
        _ api: SimulatedAPI, over database: Data? = nil, _ body: @Sendable (APIRig) async throws -> R
    ) async throws -> R {
        let rig = try APIRig(api, over: database)
        do {
            let result = try await body(rig)
            await rig.writer.close()
            return result
        } catch {
            await rig.writer.close()
            throw error
        }
    }

    /// Returns the database that `body` leaves, for other rigs to go on with.
    static func database(
        of api: SimulatedAPI, _ body: @Sendable (APIRig) async throws -> Void
    ) async throws -> Data {
        let rig = try APIRig(api)
        do {
            try await body(rig)
        } catch {
            await rig.writer.close()
            throw error
        }
        await rig.writer.close()
        return try Data(contentsOf: URL(filePath: rig.path))
    }

    /// Syncs with the smallest configuration and these lines of the stream.
    func sync(_ lines: String...) async throws -> RunOutcome { try await sync(with: try stream(lines)) }

    func sync(with stream: StreamConfiguration) async throws -> RunOutcome {
        await StreamSync(stream, into: writer, transport: transport, timing: Self.timing).run()
    }

    /// Returns the stream that `garner init` writes for the API's URL.
    func initialized() async throws -> StreamConfiguration {
        try await api.initialized(through: transport, timing: Self.timing)
    }

    func stream(_ lines: [String]) throws -> StreamConfiguration { try api.stream(lines) }

    /// The number of stored records of the stream.
    func storedCount(of stream: StreamConfiguration) throws -> Int {
        let exists = try integers("SELECT count(*) FROM sqlite_schema WHERE name = '\(stream.table)'")
        guard exists == [1] else { return 0 }
        return Int(try integers("SELECT count(*) FROM \"\(stream.table)\"").first ?? 0)
    }

    /// The numbers of the records that are stored.
    func keys() throws -> Set<Int> {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        let names = try connection.rows("SELECT name FROM pragma_table_info('items')") { $0.text(at: 0) }
        let usual = ["question_id", "pageid", "data__id", "Id", "id", "_id", "id__N", "name"]
        let key = try #require(usual.first { names.contains($0) }, "\(names)")
        let texts = try connection.rows("SELECT CAST(\"\(key)\" AS TEXT) FROM items") { $0.text(at: 0) }
        // Behind what an API writes in front of a number, such as `ch_` and `00`.
        return Set(texts.compactMap { text in Int(text.drop { !$0.isNumber }) })
    }

    func integers(_ sql: String) throws -> [Int64] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        return try connection.rows(sql) { $0.integer(at: 0) }
    }

    static var timing: Timing {
        Timing(clock: ContinuousClock(), now: { SyncRig.epoch }, random: { 0.5 })
    }
}
