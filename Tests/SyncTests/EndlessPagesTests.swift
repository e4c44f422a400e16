import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Servers that link to ever new pages without anything new on them.
@Suite(.timeLimit(.minutes(5)))
struct EndlessPagesTests {
    /// Runs `body` with a server whose pages each link to one that was not there before. Each page has the records that
    /// `records` returns for its number.
    private static func run(
        _ paginator: Paginator, records: @escaping @Sendable (Int) -> String,
        _ body: @escaping @Sendable (SyncRig, StreamConfiguration) async throws -> Void
    ) async throws {
        try await SyncRig.run({ request in
            let next = request.page + 1
            return .json(
                #"{"data":[\#(records(request.page))],"next":"?page=\#(next)","cursor":\#(next)}"#,
                headers: [("Link", "<?page=\(next)>; rel=next")])
        }) { rig in
            let stream = rig.stream {
                $0.paginator = paginator
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
            }
            try await body(rig, stream)
        }
    }

    private static func paginators() throws -> [Paginator] {
        [
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), Paginator(.headerLink(.init(relation: "next"))),
            Paginator(.cursor(.init(cursorPath: "$.cursor", cursorParam: "page"))),
        ]
    }

    @Test(arguments: [0, 1, 2], [1, 3])
    func `pages that come again under other links end the read and delete nothing`(
        paginator: Int, period: Int
    ) async throws {
        let gone = Watched(false)
        try await Self.run(try Self.paginators()[paginator]) { page in
            gone.value ? "" : #"{"id":\#(page % period)},{"id":7}"#
        } _: { rig, stream in
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .failed, "\(outcome)")
            #expect(outcome.failure?.kind == "repeated_page")
            #expect(rig.server.requests.count < 20)
            #expect(try rig.integers("SELECT count(DISTINCT id) FROM animals") == [Int64(period + 1)])
        }
    }

    @Test func `empty pages without end are an error, although they are read on`() async throws {
        var paginator = try Self.paginators()[0]
        paginator.limits.stopsAfterEmptyPage = false
        try await Self.run(paginator) {
            $0 == 1 ? #"{"id":1}"# : ""
        } _: { rig, stream in
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .failed, "\(outcome)")
            #expect(outcome.failure?.kind == "repeated_page")
            #expect(rig.server.requests.count < 1_010)
            #expect(try rig.integers("SELECT id FROM animals") == [1])
        }
    }

    @Test func `some pages with the same records do not end a read`() async throws {
        try await SyncRig.run({ request in
            .json(#"{"data":[{"v":0}],"next":\#(request.page < 9 ? #""?page=\#(request.page + 1)""# : "null")}"#)
        }) { rig in
            let stream = rig.stream {
                $0.primaryKey = nil
                $0.writeDisposition = .append
                $0.paginator = Paginator(.jsonLink(.init(nextURLPath: "$.next")))
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded, "\(outcome)")
            #expect(try rig.integers("SELECT count(*) FROM animals") == [9])
        }
    }
}
