import LibC
import SQLite
import TestSupport
import Testing

/// A database that several processes have open.
@Suite(.timeLimit(.minutes(2)))
struct OpenElsewhereTests {
    @Test func `a connection knows if another process has the database open`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            let connection = try Connection(path: place.database, mode: .readWrite)
            defer { connection.close() }
            let other = try Connection(path: place.database, mode: .readOnly)
            #expect(try other.integer("SELECT count(*) FROM animals") == 4)
            #expect(try connection.integer("SELECT count(*) FROM animals") == 4)
            #expect(!connection.isOpenElsewhere, "what this process has open does not count")
            let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            let query = try place.start(["query", "\(endless) SELECT count(*) FROM n, animals"])
            while !connection.isOpenElsewhere { try await Task.sleep(for: .milliseconds(5)) }
            other.close()
            #expect(connection.isOpenElsewhere)
            query.send(SIGTERM)
            _ = try await query.end()
            while connection.isOpenElsewhere { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    @Test func `nothing tells who else has a database in memory`() throws {
        #expect(try Connection(path: ":memory:", mode: .readWrite).isOpenElsewhere)
    }
}
