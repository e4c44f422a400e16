import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// A database file of its own, and the store that writes it.
struct Fixture {
    let folder: TemporaryFolder
    let path: String
    let writer: DatabaseWriter

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        writer = try Self.store(at: path)
    }

    /// - Parameter clock: what the store takes the time from.
    init(clock: WallClock) throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        writer = try DatabaseWriter(path: path, busyTimeout: .milliseconds(20)) { clock.now }
    }

    /// Opens a file that is there.
    init(at path: String) throws {
        folder = try TemporaryFolder()
        self.path = path
        writer = try Self.store(at: path)
    }

    /// Opens the database of `other`, which was closed, anew.
    init(reopening other: Fixture) throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        try other.copyFile(to: path)
        writer = try Self.store(at: path)
    }

    /// Opens the file of a folder with a store of the caller's.
    init(in folder: TemporaryFolder, _ store: (_ path: String) throws -> DatabaseWriter) throws {
        self.folder = folder
        path = folder.path("garner.db")
        writer = try store(path)
    }

    /// Copies the file and its write-ahead log as they are on the disk.
    func copyFile(to copy: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
    }

    static func store(at path: String, busyTimeout: Duration = .milliseconds(20)) throws -> DatabaseWriter {
        try DatabaseWriter(path: path, busyTimeout: busyTimeout) { Timestamp(millisecondsSince1970: 1_769_846_700_000) }
    }

    /// Reads `pages` from first to last as one complete run.
    @discardableResult
    func sync(_ stream: StreamConfiguration, _ pages: String...) async throws -> RunRecord {
        try await sync(stream, pages: pages)
    }

    @discardableResult
    func sync(_ stream: StreamConfiguration, pages: [String]) async throws -> RunRecord {
        let run = try await writer.beginReading(stream, identity: "page=1", restarting: true)
        for (index, page) in pages.dropLast().enumerated() {
            _ = try await writer.commit(try .page(page, index + 1, .next("page=\(index + 2)")), to: run)
        }
        return try await writer.commitLast(try .page(pages.last ?? "[]", pages.count, .complete), to: run)
    }

    /// The keys of a page of 200 records, for 50 pages: numbers below a prime, each once, in no order.
    static func shuffledKeys(onPage page: Int) -> [Int] { (1...200).map { (page * 200 + $0) * 7_919 % 10_007 } }

    /// The rows that another connection reads: the columns of each row as SQL literals, joined by a space.
    func rows(_ sql: String) throws -> [String] {
        try rows(sql, from: Connection(path: path, mode: .readOnly))
    }

    func rows(_ sql: String, from connection: Connection) throws -> [String] {
        defer { connection.close() }
        return try connection.rows(sql) { row in
            (0..<row.columnCount).map { row.value(at: $0).literal }.joined(separator: " ")
        }
    }

    /// All rows of all tables, each table behind its name. Tables of a full-text index are left out: they hold a segment for
    /// each transaction.
    func content(except others: Set<String> = []) throws -> [String] {
        let names = try rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_garner_search_*_*' ORDER BY name
            """
        ).map { $0.dropFirst().dropLast() }
        return try names.filter { !others.contains(String($0)) }.flatMap { name in
            try ["table \(name)"] + rows("SELECT * FROM \"\(name)\"")
        }
    }

    /// Returns a numbered page as a fetcher that remembers pages does: unchanged if it was stored with the same text.
    ///
    /// - Parameter count: The number of pages, the last of which ends the slice.
    func page(_ text: String, _ number: Int, of count: Int, in reading: Reading) async throws -> PageCommit {
        var page = try PageCommit.page(text, number, number == count ? .complete : .next("page=\(number + 1)"))
        page.slice = reading.slice.id
        page.isNumbered = true
        page.memory = CachedPage(validator: nil, fingerprint: text, summary: "{}")
        let memory = try await writer.memory(of: page.position, for: reading.id)
        if memory?.fingerprint == text { page.content = .unchanged }
        return page
    }

    /// Name and declared type of each column.
    func columns(of table: String) throws -> [String] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        return try connection.rows("SELECT name, type FROM pragma_table_info(?1)", [.text(table)]) {
            "\($0.text(at: 0)) \($0.text(at: 1))"
        }
    }

    /// Changes the database as its owner might, with a connection of another program.
    func alter(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    func expectIntegrity(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try rows("PRAGMA integrity_check") == ["'ok'"], sourceLocation: sourceLocation)
        #expect(try rows("PRAGMA foreign_key_check") == [], sourceLocation: sourceLocation)
    }
}

/// A run whose read is open, and its one slice.
struct Reading: Sendable {
    let id: RunID
    let slice: Slice
    var resumeAt: String? { slice.nextPosition }
}

struct NoSlice: Error {}

extension DatabaseWriter {
    func beginReading(_ stream: StreamConfiguration, identity: String, restarting: Bool = false) async throws -> Reading
    {
        let run = try await begin(stream, identity: identity, restarting: restarting)
        _ = try await openRead(of: run)
        guard let slice = try await slices(of: run, limit: 1).first else { throw NoSlice() }
        return Reading(id: run, slice: slice)
    }

    func commit(_ page: PageCommit, to reading: Reading) async throws -> RunCounts {
        var page = page
        page.slice = reading.slice.id
        return try await commit(page, to: reading.id).counts
    }

    @discardableResult
    func commitLast(_ page: PageCommit, to reading: Reading) async throws -> RunRecord {
        var page = page
        page.slice = reading.slice.id
        return try #require(try await commit(page, to: reading.id).ended)
    }
}

extension PageCommit {
    /// A page of an array of records.
    static func page(_ json: String, _ number: Int, _ continuation: Continuation) throws -> PageCommit {
        let document = try Document(parsing: Bytes(json.utf8))
        let records = try Selector(parsing: "$[*]").select(in: document)
        return PageCommit(
            content: .records(records), position: "page=\(number)", slice: 0, continuation: continuation,
            url: "https://api.example.org/animals?page=\(number)",
            requests: [
                RequestRecord(
                    sentAt: Timestamp(millisecondsSince1970: 1_769_846_700_000),
                    url: "https://api.example.org/animals?page=\(number)", status: 200, bytes: json.utf8.count)
            ])
    }
}

extension StreamConfiguration {
    static func animals(
        table: String = "animals", key: [String]? = nil, writing: WriteDisposition? = nil,
        missing: DeleteMissing = .ignore,
        ratio: Double = 0.5, depth: Int = 1
    ) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: table), table: table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://api.example.org/", path: "animals"), primaryKey: key,
            writeDisposition: writing, deleteMissing: missing, maxDeleteRatio: ratio, flattenDepth: depth)
    }
}

extension Value {
    /// The value as an SQL literal, with every digit of a double.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): "'\(text)'"
        case .blob(let bytes): "x\(bytes)"
        }
    }
}

extension RunCounts {
    /// The counts of records as text, without those that are zero.
    var ofRecords: String {
        [
            inserted > 0 ? "\(inserted) inserted" : "", updated > 0 ? "\(updated) updated" : "",
            unchanged > 0 ? "\(unchanged) unchanged" : "", deleted > 0 ? "\(deleted) deleted" : "",
            quarantined > 0 ? "\(quarantined) quarantined" : "", discarded > 0 ? "\(discarded) discarded" : "",
        ].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
