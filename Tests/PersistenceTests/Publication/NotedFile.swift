import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// A database whose changes are noted, its writer, and a receiver in memory that has what the notes said of its tables.
final class NotedFile {
    private var fixture: Fixture
    private(set) var receiver: Receiver
    private let mostNotes: Int
    private var tokens = 0

    var path: String { fixture.path }
    var writer: DatabaseWriter { fixture.writer }

    static let instant = Timestamp(millisecondsSince1970: 1_769_846_700_000)
    /// The time that the writer sees.
    let time = Watched(NotedFile.instant)

    /// - Parameter isPublished: False if nobody publishes the tables.
    init(isPublished: Bool = true, mostNotes: Int = Outbox.mostNotes) throws {
        self.mostNotes = mostNotes
        fixture = try Self.opened(in: TemporaryFolder(), isPublished ? Self.token(0) : nil, mostNotes, time)
        receiver = try Receiver(path: fixture.path)
    }

    private static func opened(
        in folder: TemporaryFolder, _ token: String?, _ mostNotes: Int, _ time: Watched<Timestamp>
    ) throws -> Fixture {
        try Fixture(in: folder) { path in
            try DatabaseWriter(path: path, publishingAs: token, mostNotes: mostNotes, now: { time.value })
        }
    }

    static func token(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

    /// Closes the file and opens it once more, as another process.
    func reopen(isPublished: Bool = true) async throws {
        await writer.close()
        tokens += 1
        fixture = try Self.opened(in: fixture.folder, isPublished ? Self.token(tokens) : nil, mostNotes, time)
    }

    func forgetReceived() throws { receiver = try Receiver(path: path) }

    /// Reads pages from first to last as one complete run.
    @discardableResult
    func sync(_ stream: StreamConfiguration, _ pages: String...) async throws -> RunRecord {
        try await fixture.sync(stream, pages: pages)
    }

    static func stream(
        _ table: String = "animals", key: [String]? = nil, writing: WriteDisposition? = nil,
        missing: DeleteMissing = .ignore
    ) -> StreamConfiguration {
        .animals(table: table, key: key, writing: writing, missing: missing, ratio: 1)
    }

    /// Has the tables published whose first read has ended, and receives what waits.
    func publish() async throws {
        let reader = try OutboxReader(path: path)
        let new = try reader.snapshot { try $0.tables() }.filter { $0.position == nil }
        if !new.isEmpty { try await writer.publish(new.map(\.id) + [OutboxNote.runs]) }
        try await receive()
    }

    /// Receives what waits, and expects the receiver to have the rows that the file has.
    ///
    /// - Parameter wholes: The names of the tables that are to be made again.
    func receive(
        makingAgain wholes: Set<String>? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let received = try receiver.receive()
        #expect(received.mismatches == [], sourceLocation: sourceLocation)
        if let wholes { #expect(received.wholes == wholes, sourceLocation: sourceLocation) }
        #expect(try receiver.differences() == [], sourceLocation: sourceLocation)
        if !received.ids.isEmpty {
            try await writer.confirm(received.position, received.ids, asOf: Self.instant)
        }
        #expect(try rows("SELECT count(*) FROM _garner_outbox") == ["0"], sourceLocation: sourceLocation)
    }

    /// Changes the file with the writer's own connection, in one transaction.
    func change(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await writer.maintaining { connection in
            try body(connection)
            return ((), [])
        }
    }

    /// Changes the file as another program.
    func alter(_ sql: String) throws { try fixture.alter(sql) }

    /// The rows that another connection reads, with a space between their columns.
    func rows(_ sql: String) throws -> [String] { try fixture.rows(sql) }
}

/// Has the rows of the published tables as the notes and the reader have given them.
final class Receiver {
    struct Received {
        var position: Int64 = 0
        var ids: [StreamID] = []
        var wholes: Set<String> = []
        /// The steps that PostgreSQL would have refused.
        var mismatches: [String] = []
    }

    private struct Table {
        var name: String
        var position: Int64
        var rows: [String: [String: String]] = [:]
    }

    private let reader: OutboxReader
    private let path: String
    private var tables: [StreamID: Table] = [:]
    private var runsPosition: Int64 = 0
    private(set) var runs: [RunID: RunRecord] = [:]

    init(path: String) throws {
        self.path = path
        reader = try OutboxReader(path: path)
    }

    var names: [String] { tables.values.map(\.name).sorted() }

    func receive() throws -> Received {
        try reader.snapshot { snapshot in
            var received = Received()
            received.position = try snapshot.lastNote()
            let published = try snapshot.tables().filter { $0.position != nil }
            var positions = [OutboxNote.runs: runsPosition]
            for table in published { positions[table.id] = tables[table.id]?.position ?? 0 }
            let changes = try snapshot.changes(after: positions)
            for table in published {
                guard let changes = changes[table.id] else { continue }
                try apply(changes, to: table, snapshot, &received)
            }
            if let changes = changes[OutboxNote.runs] {
                let noted = (changes.replaced + changes.updated).sorted { $0.lowerBound < $1.lowerBound }
                for run in try snapshot.endedRuns(in: changes.isWhole ? nil : noted) { runs[run.id] = run }
                runsPosition = received.position
                received.ids.append(OutboxNote.runs)
            }
            return received
        }
    }

    private func apply(
        _ changes: OutboxChanges, to table: PublishedTable, _ snapshot: OutboxSnapshot, _ received: inout Received
    ) throws {
        var own = tables[table.id] ?? Table(name: table.name, position: 0)
        own.name = table.name
        own.position = received.position
        received.ids.append(table.id)
        if changes.isWhole {
            received.wholes.insert(table.name)
            own.rows = [:]
            let rows = try snapshot.rows(of: table)
            while try rows.next() { own.rows[key(of: rows, table)] = values(of: rows, table) }
            tables[table.id] = own
            return
        }
        for key in changes.deletedKeys { own.rows[key.map(\.literal).joined(separator: ",")] = nil }
        for row in changes.deletedRows.joined() { own.rows["\(row)"] = nil }
        let updated = try snapshot.rows(of: table, in: changes.updated)
        while try updated.next() {
            let key = key(of: updated, table)
            if own.rows[key] == nil { received.mismatches.append("\(table.name): no row \(key) to update") }
            own.rows[key] = values(of: updated, table)
        }
        let copied = try snapshot.rows(of: table, in: changes.replaced)
        while try copied.next() {
            let key = key(of: copied, table)
            if own.rows[key] != nil { received.mismatches.append("\(table.name): the row \(key) is there already") }
            own.rows[key] = values(of: copied, table)
        }
        tables[table.id] = own
    }

    private func key(of rows: PublishedRows, _ table: PublishedTable) -> String {
        table.key.isEmpty
            ? "\(rows.row)" : table.key.map { Self.spelled(rows.value(at: $0)) }.joined(separator: ",")
    }

    private func values(of rows: PublishedRows, _ table: PublishedTable) -> [String: String] {
        var values: [String: String] = [:]
        for (place, column) in table.columns.enumerated() {
            let value = rows.value(at: place)
            if case .null = value { continue }
            values[column.name] = Self.spelled(value)
        }
        return values
    }

    /// Returns the tables that another connection finds to be otherwise in the file.
    func differences() throws -> [String] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        var differences: [String] = []
        for table in tables.values.sorted(by: { $0.name < $1.name }) {
            let found = try connection.rows("SELECT * FROM \(quoted(table.name))") { row in
                (0..<row.columnCount).filter { row.kind(at: $0) != .null }
                    .map { "\(row.columnName(at: $0))=\(row.value(at: $0).literal)" }.sorted()
                    .joined(separator: " ")
            }.sorted()
            let own = table.rows.values.map { row in
                row.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            }.sorted()
            if own != found { differences.append("\(table.name): \(own) instead of \(found)") }
        }
        let ended = try connection.rows("SELECT run_id FROM _garner_runs WHERE ended_at IS NOT NULL ORDER BY 1") {
            RunID($0.integer(at: 0))
        }
        if runsPosition > 0, runs.keys.sorted() != ended { differences.append("runs: \(runs.keys.sorted())") }
        return differences
    }

    private static func spelled(_ value: StoredBytes) -> String {
        let copy: Value =
            switch value {
            case .null: .null
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            case .blob(let bytes): .blob(Array(bytes))
            }
        return copy.literal
    }
}
