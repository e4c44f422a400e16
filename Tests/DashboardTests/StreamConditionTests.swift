import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerScheduler
import Testing

@testable import Dashboard

@Suite struct StreamConditionTests {
    private static let now = DashboardRig.epoch
    private static let hour = Duration.seconds(3600)

    private static func run(_ status: RunRecord.Status, _ verdict: Verdict? = .complete) -> RunRecord {
        RunRecord(
            id: 1, stream: "zoo.animals", status: status, trigger: .schedule, nominalAt: nil, dueAt: nil,
            startedAt: now,
            endedAt: status == .running ? nil : now, wasStopped: false, skipped: nil, counts: RunCounts(),
            verdict: verdict, notice: nil, failure: nil)
    }

    /// - Parameter ago: The time since the last success; nil for none.
    private static func status(
        _ last: RunRecord.Status?, _ verdict: Verdict? = .complete, success ago: Duration? = .seconds(60),
        failures: Int = 0,
        schedule: Schedule? = Schedule(every: hour), state record: ScheduleState? = nil,
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamStatus {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: "animals"), table: "animals",
            place: ConfigurationPlace(file: "garner.yaml"), request: RequestTemplate(baseURL: "", path: ""))
        stream.schedule = schedule
        change(&stream)
        let history = last.map { last in
            StreamHistory(
                lastRun: run(last, verdict), lastVerdict: verdict,
                lastSuccessAt: ago.map { now.advanced(by: .zero - $0) }, consecutiveFailures: failures,
                failingSince: nil, rows: 1)
        }
        return StreamStatus(of: stream, history, record, now: now)
    }

    @Test func `a first read that was left before its end is incomplete, and says so`() {
        for (last, verdict, isIncomplete) in [
            (RunRecord.Status.interrupted, nil, true), (.cancelled, nil, true), (.running, nil, false),
            (.failed, nil, false), (.interrupted, Verdict.complete, false),
        ] as [(RunRecord.Status, Verdict?, Bool)] {
            let status = Self.status(last, verdict, success: nil)
            #expect(status.isIncomplete == isIncomplete, "\(last)")
            let text = status.fields.map { $0.text ?? "" }.joined(separator: " ")
            #expect(text.contains("the first read has not ended") == isIncomplete, "\(text)")
        }
    }

    @Test(arguments: [
        (0, "rate_limited", 60, true), (1, "rate_limited", 60, false), (0, "status", 60, false),
        (0, "rate_limited", -60, false),
    ])
    func `a stream that sent nothing because of its source's limit waits, and does not fail`(
        requests: Int, kind: String, seconds: Int, isWaiting: Bool
    ) {
        var run = Self.run(.failed, nil)
        run.counts.requests = requests
        run.failure = RunFailure(.unavailable, kind: kind, message: "no request for 1h", hint: .text("wait"))
        let history = StreamHistory(
            lastRun: run, lastVerdict: .complete, lastSuccessAt: Self.now, consecutiveFailures: 2,
            failingSince: Self.now,
            rows: 1)
        let until = Self.now.advanced(by: .seconds(seconds))
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: "animals"), table: "animals",
            place: ConfigurationPlace(file: "garner.yaml"), request: RequestTemplate(baseURL: "", path: ""))
        stream.schedule = Schedule(every: Self.hour)
        let status = StreamStatus(
            of: stream, history, ScheduleState(heldUntil: until, holdReason: "the source asks to be left alone"),
            now: Self.now)
        #expect(status.isWaiting == isWaiting)
        #expect(status.isFailing == !isWaiting)
        #expect((StreamCondition(status) == .waiting) == isWaiting)
        let fields = Dictionary(uniqueKeysWithValues: status.fields.map { ($0.name, $0.text) })
        #expect(fields["state"] == (isWaiting ? "waiting" : "failed"))
        #expect((fields["error"] ?? nil) == (isWaiting ? nil : "no request for 1h"))
        if isWaiting { #expect((fields["reason"] ?? nil)?.hasSuffix("until \(until)") == true) }
    }

    @Test func `condition follows from the runs and the schedule`() {
        let cases: [(StreamCondition, StreamStatus)] = [
            (.never, Self.status(nil)), (.never, Self.status(nil, schedule: nil)), (.inStep, Self.status(.succeeded)),
            (.inStep, Self.status(.succeeded, success: .seconds(90_000), schedule: nil)),
            (.running, Self.status(.running)), (.running, Self.status(.running, failures: 3)),
            (.failing, Self.status(.failed, failures: 1)),
            (.suspended, Self.status(.failed, failures: 5, state: ScheduleState(circuitOpenedAt: Self.now))),
            (.late, Self.status(.succeeded, success: .seconds(3 * 3600))),
            (.late, Self.status(nil, state: ScheduleState(settled: Self.now.advanced(by: .seconds(-3 * 3600))))),
            (.partial, Self.status(.succeeded, Verdict(.missed, "40 of 800 records"))),
            (.partial, Self.status(.interrupted, nil, success: nil, schedule: nil)),
            (.late, Self.status(.running, success: .seconds(3 * 3600))),
            (.unknown, Self.status(.succeeded, Verdict(.silent)) { $0.deleteMissing = .hard }),
            (
                .unknown,
                Self.status(.succeeded, Verdict(.contradicted)) {
                    $0.incremental = Incremental(cursorField: "at", stopsAtKnown: true)
                }
            ),
            (.inStep, Self.status(.succeeded, Verdict(.contradicted, "the list changed"))),
            (.inStep, Self.status(.succeeded, Verdict(.chosen, "stopped at max_pages"))),
            (.paused, Self.status(.succeeded, state: ScheduleState(pausedAt: Self.now))),
            (.failingPaused, Self.status(.failed, failures: 2, state: ScheduleState(pausedAt: Self.now))),
        ]
        for (expected, status) in cases {
            #expect(StreamCondition(status) == expected, "\(status.state), \(status.standstill?.text ?? "no reason")")
        }
        // These two need a table without a key, and a run that sent nothing.
        #expect(Set(cases.map { $0.0 }).union([.keepsRows, .waiting]) == Set(StreamCondition.allCases))
    }

    /// The state of a stream of which a run goes on.
    ///
    /// - Parameter nominal: The instant of the run; nil if it was asked for by hand.
    private static func running(_ nominal: Timestamp?, success: Timestamp, _ schedule: Schedule) -> StreamStatus {
        var last = run(.running, nil)
        (last.nominalAt, last.dueAt) = (nominal, nominal)
        let history = StreamHistory(
            lastRun: last, lastVerdict: .complete, lastSuccessAt: success, consecutiveFailures: 0, failingSince: nil,
            rows: 1)
        let stream = status(.succeeded, schedule: schedule).stream
        return StreamStatus(of: stream, history, ScheduleState(settled: success, nextDue: nominal), now: now)
    }

    @Test func `the stored instant of an earlier schedule is not the next one`() throws {
        let schedule = Schedule(every: Self.hour)
        let settled = Self.now.advanced(by: .seconds(-10))
        let times = DueTimes(schedule, for: StreamName(source: "zoo", stream: "animals"))
        let next = try #require(times.next(after: settled))
        let passed = ScheduleState(settled: settled, nextDue: Self.now.advanced(by: .seconds(-8)))
        #expect(Self.status(.succeeded, schedule: schedule, state: passed).nextDue == next)
        // The instant in between came due during the last run, which left it out.
        let later = next.advanced(by: Self.hour)
        let behind = ScheduleState(settled: settled, nextDue: later)
        #expect(Self.status(.succeeded, schedule: schedule, state: behind).nextDue == later)
    }

    @Test func `the instant of the run that goes on is neither the next one nor a missed one`() throws {
        let schedule = Schedule(every: Self.hour)
        let times = DueTimes(schedule, for: StreamName(source: "zoo", stream: "animals"))
        let success = Self.now.advanced(by: .seconds(-9000))
        let first = try #require(times.next(after: success))
        let second = try #require(times.next(after: first))
        let hanging = Self.running(first, success: success, schedule)
        #expect(hanging.nextDue == second)
        #expect(hanging.isOverdue && hanging.missedDue == second)
        let byHand = Self.running(nil, success: success, schedule)
        #expect(byHand.missedDue == first)
        // The next one counts from the end, which is to come.
        #expect(Self.running(first, success: success, Schedule(.afterFinish(Self.hour))).nextDue == nil)
    }

    @Test(arguments: [(nil, .inStep), (true, .inStep), (false, .keepsRows)] as [(Bool?, StreamCondition)])
    func `a stream that is to delete missing rows needs a key`(hasKey: Bool?, condition: StreamCondition) {
        var stream = Self.status(.succeeded).stream
        #expect(StreamCondition(Self.status(.succeeded)) == .inStep)
        stream.deleteMissing = .hard
        let history = StreamHistory(
            lastRun: Self.run(.succeeded), lastVerdict: .complete, lastSuccessAt: Self.now, consecutiveFailures: 0,
            failingSince: nil, rows: 1, hasKey: hasKey)
        #expect(StreamCondition(StreamStatus(of: stream, history, nil, now: Self.now)) == condition)
        stream.deleteMissing = .ignore
        #expect(StreamCondition(StreamStatus(of: stream, history, nil, now: Self.now)) == .inStep)
    }

    @Test func `only what is wrong needs attention`() {
        #expect(
            StreamCondition.allCases.filter(\.needsAttention)
                == [.suspended, .failing, .failingPaused, .late, .partial, .unknown, .keepsRows])
    }

    @Test func `stream is late only after a second instant has passed`() {
        #expect(Self.status(.succeeded, success: .seconds(60)).missedDue == nil)
        let late = Self.status(.succeeded, success: .seconds(3 * 3600))
        #expect(late.missedDue.map { $0 < Self.now.advanced(by: .seconds(-3600)) } == true)
    }

    @Test func `sentence of the next instant follows from the state`() {
        func due(_ status: StreamStatus) -> String {
            String(decoding: Dashboard.due(of: status, Self.now).bytes, as: UTF8.self)
        }
        let soon = Self.now.advanced(by: .seconds(90))
        #expect(due(Self.status(.succeeded, state: ScheduleState(nextDue: soon))).contains("next due"))
        #expect(due(Self.status(.succeeded, state: ScheduleState(heldUntil: soon, holdReason: "held"))) == "")
        #expect(due(Self.status(.succeeded, state: ScheduleState(pausedAt: Self.now))) == "")
        #expect(due(Self.status(.succeeded, success: .seconds(3 * 3600))).contains("one was due"))
        #expect(due(Self.status(.succeeded, schedule: nil)).contains("no schedule"))
    }
}

@Suite struct StandstillTests {
    private static func sentence(_ standstill: StreamStatus.Standstill) -> String {
        String(decoding: Dashboard.sentence(standstill, DashboardRig.epoch).bytes, as: UTF8.self)
    }

    @Test func `sentence of a standstill has its times as times, and leaves the counting to the badge`() {
        let soon = DashboardRig.epoch.advanced(by: .seconds(90))
        let time = "<time datetime=\"\(soon)\" data-rel title="
        let held = Self.sentence(.held(because: "backs off after 3 failures in a row", until: soon))
        #expect(held.hasPrefix("Backs off: the next run is due \(time)"))
        #expect(!held.contains("3 failures"))
        #expect(Self.sentence(.held(because: "held", until: soon)).hasPrefix("Held: the next run is due \(time)"))
        #expect(Self.sentence(.paused(since: soon)).hasPrefix("Paused since \(time)"))
        #expect(Self.sentence(.clockAhead(soon)).contains("<time datetime=\"\(soon)\">"))
    }

    @Test(
        arguments: [
            ("try again later", nil), ("check the stream's auth", "check the stream's auth"),
            ("try again later; if it stays, the server sends broken JSON", "if it stays, the server sends broken JSON"),
            ("try again later, or raise limits: body", "raise limits: body"),
        ] as [(String, String?)])
    func `advice to be patient gives way to the time of the next try`(hint: String, advice: String?) {
        let failure = RunFailure(.unavailable, kind: "http_status", message: "HTTP 503", hint: .text(hint))
        #expect(failure.lastingAdvice == advice)
    }
}

@Suite struct FailureTextTests {
    @Test func `message is taken apart into what happened quote and place`() {
        func parts(_ message: String, url: String? = nil) -> [String?] {
            let parts = RunFailure(.unavailable, kind: "k", message: message, url: url).partsOfMessage
            return [parts.said, parts.quoted, parts.place]
        }
        #expect(
            parts("HTTP 401: \"no (really)\" (http://a/b)", url: "http://a/b") == [
                "HTTP 401", "no (really)", "http://a/b",
            ])
        #expect(parts("it refuses: “a: \"b\"”") == ["it refuses", "a: \"b\"", nil])
        #expect(
            parts("the host name could not be resolved (http://a/, 3 attempts)", url: "http://a/") == [
                "the host name could not be resolved", nil, "http://a/, 3 attempts",
            ])
        #expect(parts("a: \"") == ["a: \"", nil, nil])
        #expect(parts("") == ["", nil, nil])
    }
}
