import GarnerDatabase
import Foundation
import GarnerJSON
import GarnerSQLite
import TestSupport
import Testing

/// Configurations and databases of earlier versions, and the answers of the API that they were filled from.
///
/// `garner.sql` is what `sqlite3 garner.db .dump` gave after two syncs by 0.1.0, and after three by 0.2.0, whose index of words is made by a
/// statement.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EarlierVersionTests {
    struct Version: Sendable, CustomTestStringConvertible {
        let name: String
        /// The number of requests that it sent in its last sync.
        let requests: Int
        let tables: Int

        var testDescription: String { name }

        fileprivate var folder: URL {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Databases/\(name)")
        }
    }

    private static let first = Version(name: "0.1.0", requests: 31, tables: 17)
    private static let second = Version(name: "0.2.0", requests: 35, tables: 18)

    @Test(arguments: [first, second])
    func `a database of an earlier version goes on with the same requests and without a changed row`(
        version: Version
    ) async throws {
        let answers = try Answers(at: version.folder.appending(path: "answers.json"))
        try await LoopbackServer.serve({ answers.reply(to: $0) }) { server in
            let place = try Self.place(version)
            let environment = ["http_proxy": server.url]
            let check = try await place.garner("check")
            #expect(check.code == 0, "\(check.errors)")
            let before = try Self.rows(in: place)
            #expect(before.count == version.tables)
            for _ in 1...2 {
                let count = server.requests.count
                let sync = try await place.garner("sync", "--json", environment: environment)
                #expect(sync.code == 0, "\(sync.errors)")
                for line in sync.output.split(separator: "\n") {
                    #expect(line.contains(#""status":"succeeded""#), "\(line)")
                    #expect(line.contains(#""inserted":0,"updated":0,"#), "\(line)")
                    #expect(line.contains(#""deleted":0,"quarantined":0,"discarded":0,"#), "\(line)")
                }
                #expect(server.requests.count - count == version.requests)
                #expect(try Self.rows(in: place) == before)
            }
            let doctor = try await place.garner("doctor")
            #expect(doctor.code == 0, "\(doctor.output)")
        }
    }

    @Test func `what is new is said once`() async throws {
        let answers = try Answers(at: Self.first.folder.appending(path: "answers.json"))
        try await LoopbackServer.serve({ answers.reply(to: $0) }) { server in
            let place = try Self.place(Self.first)
            let environment = ["http_proxy": server.url]
            let first = try await place.garner("sync", environment: environment).errors
            #expect(first.contains("zoo.totals: succeeded, 1 page, 0 inserted, 0 updated, 10 unchanged"))
            #expect(first.contains("Warning: zoo.totals: the read is partial: 10 of 25 records"))
            #expect(first.contains("Warning: zoo.plain: missing rows were not deleted: no sign of the end"))
            #expect(first.contains("are there more pages? Set the paginator that asks for them"))
            let second = try await place.garner("sync", environment: environment).errors
            #expect(!second.contains("the read is partial") && !second.contains("taken for granted"))
            #expect(try await place.garner("status", "--check", environment: environment).code == 3)
        }
    }

    private static func place(_ version: Version) throws -> Workplace {
        let place = try Workplace(String(contentsOf: version.folder.appending(path: "garner.yaml"), encoding: .utf8))
        try place.alter(String(contentsOf: version.folder.appending(path: "garner.sql"), encoding: .utf8))
        return place
    }

    /// The rows of all streams by table, each row as one text.
    private static func rows(in place: Workplace) throws -> [String: [String]] {
        let tables = try place.texts("SELECT table_name FROM _garner_streams ORDER BY 1")
        return try Dictionary(
            uniqueKeysWithValues: tables.map { table in
                let rows = try place.rows("SELECT * FROM \(table)") { row in
                    (0..<row.columnCount).map { "\(row.value(at: $0))" }.joined(separator: "|")
                }
                return (table, rows.sorted())
            })
    }
}

/// The answers of the API, by method and target.
private struct Answers: Sendable {
    private struct Answer: Decodable {
        let status: Int
        let headers: [String: String]
        let body: String
    }

    private let replies: [String: LoopbackReply]

    init(at url: URL) throws {
        let answers = try JSONDecoder().decode([String: Answer].self, from: Data(contentsOf: url))
        replies = answers.mapValues { answer in
            .response(
                status: answer.status,
                headers: [("Content-Type", "application/json")] + answer.headers.map { ($0.key, $0.value) },
                body: answer.body)
        }
    }

    /// Replies to a request that has the whole URL, as a proxy receives it.
    func reply(to request: LoopbackRequest) -> LoopbackReply {
        let target = request.target.replacing("http://api.zoo.example", with: "")
        return replies[request.method == "GET" ? target : "\(request.method) \(target)"] ?? .status(404)
    }
}
