import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// A list that ends short of its total: what the run says of it, and that each setting it advises helps.
@Suite(.timeLimit(.minutes(2)))
struct AnnouncedTotalTests {
    private static let kinds: [(Paginator.Kind, said: String)] = [
        (
            .pageNumber(.init(totalPath: "$.total")),
            "60 records announced, but a page is empty after 30; "
                + "set ignore_total: true in paginator if that total is always wrong"
        ),
        (
            .pageNumber(.init(totalPagesPath: "$.pages")),
            "60 records announced, but a page is empty after 30; "
                + "set ignore_total: true in paginator if that total is always wrong"
                + ", or stop_after_empty_page: false to read on"
        ),
        (
            .offset(.init(offsetParam: "skip", limit: 10, totalPath: "$.total")),
            "60 records announced, but a page is empty after 30; "
                + "set ignore_total: true in paginator if that total is always wrong"
                + ", or stop_after_empty_page: false to read on"
        ),
    ]

    /// The number of records in front of the page, ten on each.
    private static func skipped(by request: LoopbackRequest) -> Int {
        request.target.firstRange(of: "skip=").flatMap { range in
            Int(request.target[range.upperBound...].prefix { $0.isNumber })
        } ?? (request.page - 1) * 10
    }

    /// A list of 30 records, ten on a page, that tells of 60 on six pages.
    private static func answer(_ request: LoopbackRequest, lacking: Int?) -> LoopbackReply {
        let skipped = skipped(by: request)
        let ids = (skipped..<skipped + 10).filter { $0 < 30 && $0 != lacking }
        let records = ids.map { "{\"id\":\($0)}" }.joined(separator: ",")
        return .json("{\"total\":60,\"pages\":6,\"data\":[\(records)]}")
    }

    @Test(arguments: kinds.indices)
    func `a total that the list does not reach is named, and ignore_total ends the matter`(index: Int) async throws {
        let (kind, said) = Self.kinds[index]
        let lacking = Watched<Int?>(nil)
        try await SyncRig.run({ Self.answer($0, lacking: lacking.value) }) { rig in
            func sync(_ limits: PageLimits) async throws -> RunRecord {
                let outcome = try await rig.sync(
                    rig.stream { stream in
                        stream.paginator = Paginator(kind, limits: limits)
                        (stream.deleteMissing, stream.maxDeleteRatio) = (.hard, 1)
                    })
                return try #require(outcome.record)
            }
            let plain = try await sync(PageLimits())
            #expect(plain.completeness == .partial && plain.completenessReason == said)
            let stopping = try await sync(PageLimits(stopsAfterEmptyPage: true))
            #expect(stopping.completenessReason == "60 records announced, ended after 30")
            for stops in [nil, true, false] {
                let ignoring = try await sync(PageLimits(stopsAfterEmptyPage: stops, ignoresTotal: true))
                #expect(ignoring.completeness == .complete, "\(ignoring.completenessReason ?? "")")
                #expect(ignoring.counts.requests == 4)
            }
            lacking.value = 29
            let deleting = try await sync(PageLimits(ignoresTotal: true))
            #expect(deleting.counts.deleted == 1)
        }
    }

    @Test(arguments: [
        Paginator.Kind.pageNumber(.init(totalPath: "$.total")),
        .offset(.init(offsetParam: "skip", limit: 10, totalPath: "$.total")),
    ])
    func `a total that the list exceeds is no end of it, and nothing is deleted`(kind: Paginator.Kind) async throws {
        let total = Watched(40)
        try await SyncRig.run({ request in
            let skipped = Self.skipped(by: request)
            let records = (skipped..<min(skipped + 10, 40)).map { "{\"id\":\($0)}" }.joined(separator: ",")
            return .json("{\"total\":\(total.value),\"page\":\(skipped / 10 + 1),\"data\":[\(records)]}")
        }) { rig in
            let stream = rig.stream { stream in
                stream.paginator = Paginator(kind)
                (stream.deleteMissing, stream.maxDeleteRatio) = (.hard, 1)
            }
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            total.value = 25
            let record = try #require(try await rig.sync(stream).record)
            #expect(record.completeness == .unknown)
            #expect(
                record.completenessReason
                    == "25 records announced, 30 came, and nothing else says that these are all")
            #expect(record.counts.deleted == 0)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [40])
        }
    }

    @Test(
        arguments: [
            ("one has another, such as 1 (repo a; repo b)", "one has another, such as 1 (repo a; repo b)", nil),
            ("one has another (repo a; repo b); set it", "one has another (repo a; repo b)", "set it"),
            ("$.next is 3; set paginator", "$.next is 3", "set paginator"),
        ] as [(String, String, String?)])
    func `a stored reason ends before its advice, and not in brackets`(stored: String, finding: String, advice: String?)
    {
        let cause = Verdict.Cause(stored: stored)
        #expect(cause.finding == finding && cause.advice == advice)
    }

    @Test func `no remedy is a setting that is set`() {
        func remedy(
            _ kind: Verdict.Kind, _ reason: String?, _ paginator: Paginator, _ deleteMissing: DeleteMissing = .ignore
        ) -> String? {
            var stream = StreamConfiguration(
                name: StreamName(source: "zoo", stream: "animals"), table: "animals",
                place: ConfigurationPlace(file: "garner.yaml"), request: RequestTemplate(baseURL: "", path: ""))
            (stream.paginator, stream.deleteMissing) = (paginator, deleteMissing)
            return stream.remedy(for: Verdict(kind, reason.map { Verdict.Cause(stored: $0) }))
        }
        let ignoring = Paginator(limits: PageLimits(ignoresTotal: true))
        let short = "40 records announced, ended after 30"
        #expect(remedy(.contradicted, short, Paginator())?.contains("ignore_total") == true)
        #expect(remedy(.contradicted, short, ignoring) == nil)
        let long = "25 records announced, 30 came, and nothing else says that these are all"
        #expect(remedy(.contradicted, long, Paginator())?.contains("ignore_total") == true)
        #expect(remedy(.missed, "30 of 40 records", Paginator())?.contains("ignore_total") == true)
        #expect(remedy(.missed, "30 of 40 records", ignoring)?.contains("ignore_total") == false)
        #expect(remedy(.missed, "$.next tells of another page", Paginator())?.contains("ignore_total") == false)
        #expect(remedy(.missed, "a page is empty; set something", Paginator()) == nil)
        #expect(remedy(.silent, "no sign of the end", ignoring)?.contains("Set the paginator that asks") == true)
        #expect(remedy(.silent, "no sign of the end", Paginator(.singlePage))?.contains("Set the paginator") == false)
        // Only who has asked for other pages in vain can say that there is only one.
        #expect(remedy(.silent, "no sign of the end", ignoring)?.contains("single_page") == false)
        for deleteMissing in [DeleteMissing.soft, .hard] {
            let told = remedy(.silent, "no sign of the end", Paginator(), deleteMissing)
            #expect(told?.contains("'garner init --update' asks the API for others") == true)
            #expect(told?.contains("replace") == false && told?.contains("single_page") == false)
        }
        #expect(remedy(.silent, "full", Paginator(.singlePage), .soft)?.contains("replace") == false)
        #expect(remedy(.complete, nil, Paginator()) == nil)
    }
}
