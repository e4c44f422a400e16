import Foundation
import GarnerSQLite
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct InterruptionTests {
    static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143)]

    @Test(arguments: signals)
    func `a signal ends a slow sync, which the next one goes on with`(signal: Int32, code: Int32) async throws {
        let stalls = Watched(true)
        try await LoopbackServer.serve({ $0.page == 3 && stalls.value ? LoopbackReply(.stall) : .page($0.page, of: 4) })
        { server in
            let place = try Workplace(api: server.url)
            let sync = try place.start(["sync"])
            try await eventually { server.requests.contains { $0.page == 3 } }
            sync.send(signal)
            let ending = try await sync.end()
            #expect(ending.code == code)
            #expect(ending.errors.contains("\nzoo.animals: cancelled, "))
            #expect(try place.texts("SELECT status FROM _garner_runs") == ["cancelled"])

            stalls.value = false
            let stored = Int(try place.integers("SELECT pages FROM _garner_runs")[0])
            #expect(try await place.garner("sync").code == 0)
            #expect(server.requests.suffix(4 - stored).map(\.page) == Array((stored + 1)...4))
            #expect(try place.integers("SELECT count(*) FROM animals") == [8])
        }
    }

    @Test(arguments: signals)
    func `a signal ends a sync whose connection is being opened`(signal: Int32, code: Int32) async throws {
        try await LoopbackServer.serve({ _ in LoopbackReply(.stall) }) { server in
            // Nothing answers the beginning of TLS.
            let place = try Workplace(
                api: server.url.replacing("http:", with: "https:"), "primary_key: id, limits: { connect: 1h }")
            let sync = try place.start(["sync"])
            try await eventually { !server.requests.isEmpty }
            sync.send(signal)
            let ending = try await sync.end()
            #expect(ending.code == code)
            #expect(ending.errors.contains("\nzoo.animals: cancelled, "))
        }
    }

    /// With `full`, each page is a transaction. Otherwise up to 32 pages share one, where they come in quick succession. Behind
    /// the transaction that the kill ends, one page has come and one is requested.
    @Test(arguments: 0..<5, [("full", 1), ("normal", 32)])
    func `killed in the middle, it leaves whole pages and goes on behind them`(
        round: Int, synchronous: (mode: String, pagesOfTransaction: Int)
    ) async throws {
        let holds = Watched(true)
        try await LoopbackServer.serve({ request in
            // However late the signal comes, it comes in the middle.
            if request.page > 45 + round * 30 { await holds.until { !$0 } }
            return .page(request.page, of: 200)
        }) { server in
            let place = try Workplace(api: server.url)
            let sync = try place.start(["sync"], environment: ["GARNER_SYNCHRONOUS": synchronous.mode])
            try await eventually { server.requests.count > 5 + round * 30 }
            sync.send(SIGKILL)
            #expect(try await sync.end().code == 128 + SIGKILL)
            holds.value = false

            let connection = try Connection(path: place.database, mode: .readWrite)
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            let hasTable = try connection.hasTable("animals")
            let rows = hasTable ? Int(try connection.integer("SELECT count(*) FROM animals") ?? 0) : 0
            let pages = Int(try connection.integer("SELECT pages FROM _garner_runs") ?? 0)
            connection.close()
            #expect(rows == pages * 2)
            #expect(pages >= server.requests.count - synchronous.pagesOfTransaction - 2)

            let next = try await place.garner("sync", "--json")
            #expect(next.code == 0)
            #expect(next.output.contains(#""status":"succeeded","pages":\#(200 - pages),"requests":\#(200 - pages),"#))
            #expect(server.requests.suffix(200 - pages).map(\.page) == Array((pages + 1)...200))
            #expect(try place.integers("SELECT count(*) FROM animals") == [400])
            #expect(try place.texts("SELECT status FROM _garner_runs ORDER BY run_id") == ["interrupted", "succeeded"])
        }
    }
}
