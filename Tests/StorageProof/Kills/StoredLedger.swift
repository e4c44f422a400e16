import GarnerDatabase
import GarnerPersistence
import GarnerSQLite

/// The part of the ledger that a database holds.
struct StoredLedger {
    struct Read: Sendable {
        /// Reads that came to their end.
        var ended = 0
        /// Pages of the read that has not.
        var pages = 0
        /// The read that ended last was one run, which deletes what is missing.
        var isSettled = false
    }

    private(set) var reads: [Ledger.Stream: Read] = [:]
    /// The problem with the database; nil if there is none.
    private(set) var problem: String?

    init(at path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        problem = try Reference.damage(connection)
        guard problem == nil, try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = '_garner_runs'") != nil
        else { return }
        for stream in Ledger.Stream.allCases {
            let read = try Self.read(of: stream, connection)
            reads[stream] = read
            problem = try problem ?? Self.problem(of: stream, read, connection)
        }
    }

    subscript(stream: Ledger.Stream) -> Read { reads[stream] ?? Read() }

    private static func read(of stream: Ledger.Stream, _ connection: Connection) throws -> Read {
        var read = Read()
        let runs = try connection.rows(
            """
            SELECT run_id, read_id, status, pages FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE name = ?1 ORDER BY run_id
            """, [.text("zoo.\(stream.rawValue)")]
        ) { (id: $0.integer(at: 0), read: $0.integer(at: 1), status: $0.text(at: 2), pages: Int($0.integer(at: 3))) }
        for run in runs {
            read.pages = (run.id == run.read ? 0 : read.pages) + run.pages
            guard run.status == "succeeded" else { continue }
            read = Read(ended: read.ended + 1, pages: 0, isSettled: run.id == run.read)
        }
        return read
    }

    /// Whole pages, each once: what its reads have stored according to their own counts, and nothing else.
    private static func problem(of stream: Ledger.Stream, _ read: Read, _ connection: Connection) throws -> String? {
        let stored =
            try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1", .text(stream.rawValue)) != nil
        let whole = (1..<(read.ended + 1)).map { (edition: min($0, 2), pages: Ledger.pages) }
        let parts = whole + [(edition: min(read.ended + 1, 2), pages: read.pages)]
        switch stream {
        case .animals:
            var expected: [Int: String] = [:]
            for (index, part) in parts.enumerated() where part.pages > 0 {
                if index == read.ended - 1, read.isSettled { expected = [:] }
                for page in 1...part.pages {
                    for animal in Ledger.animals(page, edition: part.edition) { expected[animal.id] = animal.name }
                }
            }
            let rows =
                try stored
                ? connection.rows("SELECT id, name FROM animals ORDER BY id") {
                    Ledger.Animal(id: Int($0.integer(at: 0)), name: $0.text(at: 1))
                } : []
            return rows == expected.sorted { $0.key < $1.key }.map { Ledger.Animal(id: $0.key, name: $0.value) }
                ? nil : "of \(read), animals has \(rows.count) rows instead of \(expected.count), or others"
        case .sightings:
            let expected = parts.flatMap { part in
                (1..<(part.pages + 1)).flatMap { Ledger.sightings($0, edition: part.edition) }
            }
            let rows =
                try stored ? connection.rows("SELECT at FROM sightings ORDER BY at") { Int($0.integer(at: 0)) } : []
            return rows == expected ? nil : "of \(read), sightings has \(rows.count) rows instead of \(expected.count)"
        }
    }
}
