import GarnerCatalog
import GarnerModel
import Testing

/// Reads that are `unknown` say why, and what to do.
struct UnknownReasonTests {
    /// One of each cause, as far as a read that it leaves unknown has it.
    private static let causes: [Verdict.Cause] = [
        .announced(place: "$.last"), .endedBefore(announced: "40 records", read: 30),
        .exceeded(announced: 25, records: 30), .totalChanged, .notUnderstood(place: "$.next", value: "true"),
        .mayLeadOn(place: "$.cursor"), .partMissing(place: "$.timed_out", value: "true"),
        .cutOff(place: "$.truncated", value: "true"), .pagesBefore(place: "$.has_previous", value: "true"),
        .otherPage(place: "$.page", number: "4"), .noSuchPage(answer: "HTTP 404"), .silent(records: 3),
        .looksFull(records: 10),
    ]

    /// Returns the kind of the reads that a cause leaves unknown; nil for a cause of other reads. A new case has to be sorted here.
    private static func kind(of cause: Verdict.Cause) -> Verdict.Kind? {
        switch cause {
        case .silent, .looksFull, .noSuchPage: .silent
        case .announced, .endedBefore, .exceeded, .totalChanged, .notUnderstood, .mayLeadOn, .partMissing, .cutOff,
            .pagesBefore, .otherPage:
            .contradicted
        case .left, .leftPages, .errors, .told: nil
        }
    }

    private static func record(_ verdict: Verdict) -> RunRecord {
        let instant = Timestamp(millisecondsSince1970: 1_769_846_700_000)
        var record = RunRecord(
            id: RunID(1), stream: "zoo.animals", status: .succeeded, trigger: .manual, nominalAt: nil, dueAt: nil,
            startedAt: instant, endedAt: instant, wasStopped: false, skipped: nil, counts: RunCounts(),
            verdict: verdict, notice: nil, failure: nil)
        record.isFirstRead = true
        return record
    }

    private static func stream(_ paginator: Paginator) -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: "animals"), table: "animals",
            place: ConfigurationPlace(file: "garner.yaml"), request: RequestTemplate(baseURL: "", path: ""))
        stream.paginator = paginator
        return stream
    }

    @Test(arguments: causes)
    func `each cause has its reason in the line of a sync, and a way out`(cause: Verdict.Cause) throws {
        let record = Self.record(Verdict(try #require(Self.kind(of: cause)), cause))
        #expect(record.completenessText?.hasPrefix("\(cause.finding): unknown") == true)
        for kind in [Paginator.Kind.auto, .singlePage, .pageNumber(.init())] {
            let told = try #require(record.advice(Self.stream(Paginator(kind)).remedy))
            #expect(told.hasPrefix("It is not certain that all records came: \(cause.finding); "), "\(told)")
        }
    }

    @Test(arguments: [Verdict.Kind.silent, .contradicted])
    func `a read without a stored cause says that nothing is known`(kind: Verdict.Kind) {
        let record = Self.record(Verdict(kind, nil as String?))
        #expect(record.completenessText == "the source does not say whether there is more: unknown")
        let told = record.advice(Self.stream(Paginator()).remedy)
        #expect(told?.contains("does not say whether there is more; ") == true)
    }

    @Test func `a warning that says it is not repeated`() {
        var record = Self.record(Verdict(.silent, .silent(records: 3)))
        record.notice = "missing rows were not deleted: no sign of the end after 3 records; look at it"
        #expect(record.advice { _ in nil } == nil)
        record.notice = "a column is odd"
        #expect(record.advice { _ in nil }?.contains("no sign of the end") == true)
    }
}
