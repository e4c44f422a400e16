import GarnerCatalog
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// A database that another process has open.
@Suite(.timeLimit(.minutes(2)))
struct OpenElsewhereTests {
    /// Runs `body` with a database of four animals.
    private static func withAnimals(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            try await body(place)
        }
    }

    /// Runs `body` while another process reads the database.
    private static func whileAnotherReads(
        _ place: Workplace, _ connection: Connection, _ body: () async throws -> Void
    ) async throws {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        let query = try place.start(["query", "\(endless) SELECT count(*) FROM n, animals"])
        while !connection.isOpenElsewhere { try await Task.sleep(for: .milliseconds(5)) }
        try await body()
        query.send(SIGTERM)
        _ = try await query.end()
        while connection.isOpenElsewhere { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `a connection knows if another process has the database open`() async throws {
        try await Self.withAnimals { place in
            let connection = try Connection(path: place.database, mode: .readWrite)
            defer { connection.close() }
            let other = try Connection(path: place.database, mode: .readOnly)
            #expect(try other.integer("SELECT count(*) FROM animals") == 4)
            #expect(try connection.integer("SELECT count(*) FROM animals") == 4)
            #expect(!connection.isOpenElsewhere, "what this process has open does not count")
            try await Self.whileAnotherReads(place, connection) {
                other.close()
                #expect(connection.isOpenElsewhere)
            }
        }
    }

    @Test func `nothing tells who else has a database in memory`() throws {
        #expect(try Connection(path: ":memory:", mode: .readWrite).isOpenElsewhere)
    }

    @Test func `a transaction does not wait for a page while another process has the database open`() async throws {
        try await Self.withAnimals { place in
            let connection = try Connection(path: place.database, mode: .readOnly)
            defer { connection.close() }
            let writer = try DatabaseWriter(path: place.database) {
                Timestamp(millisecondsSince1970: 1_900_000_000_000)
            }
            let run = try await writer.begin(Self.plants, identity: "page=1")
            _ = try await writer.openRead(of: run)
            let slice = try #require(try await writer.slices(of: run, limit: 1).first)
            func commit(_ number: Int) async throws -> Int {
                let document = try Document(parsing: Bytes(#"[{"id":\#(number)}]"#.utf8))
                let page = PageCommit(
                    content: .records(try Selector(parsing: "$[*]").select(in: document)), position: "page=\(number)",
                    slice: slice.id, continuation: .next("page=\(number + 1)"), url: "", requests: [])
                return try await writer.commit(page, to: run) { .requested }.counts.inserted
            }
            #expect(try await commit(1) == 1)
            #expect(try await commit(2) == 1, "it waits for the third page")
            try await Self.whileAnotherReads(place, connection) {
                let inserted = try await commit(3)
                #expect(inserted == 3)
            }
            #expect(try await commit(4) == 3)
            await writer.close()
        }
    }

    private static let plants = StreamConfiguration(
        name: StreamName(source: "zoo", stream: "plants"), table: "plants",
        place: ConfigurationPlace(file: "garner.yaml"), request: RequestTemplate(baseURL: "", path: ""))
}
