import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// The state of a schedule that is stored with the runs of its stream, and beside them.
struct ScheduleStateTests {
    private let fixture: Fixture
    private let stream = StreamConfiguration.animals()

    init() throws { fixture = try Fixture() }

    private static let nominal = instant(1_769_846_400_000)
    private static let due = instant(1_769_846_401_500)
    /// The current time of the fixture's store.
    private static let now = instant(1_769_846_700_000)

    private static func instant(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    private static let record = ScheduleState(
        settled: nominal, endedAt: now, failures: 3, permanentFailures: 2, circuitOpenedAt: instant(1), heldUntil: due,
        holdReason: "it answered 404", nextDue: instant(1_769_900_000_000))

    private func stored() throws -> ScheduleState? {
        try ReadOnlyDatabase(path: fixture.path).scheduleStates()["zoo.animals"]
    }

    private func begin(
        _ nominal: Timestamp = nominal, settle: SettleSchedule? = { _, _ in record }
    ) async throws -> Reading {
        let run = try await fixture.writer.begin(
            stream, identity: "page=1", occasion: .scheduled(nominal: nominal, dueAt: Self.due), settle: settle)
        _ = try await fixture.writer.openRead(of: run)
        return Reading(id: run, slice: try #require(try await fixture.writer.slices(of: run, limit: 1).first))
    }

    enum Way: CaseIterable {
        case lastPage, pageThatIsCut, cutShort, failed, cancelled
    }

    @Test(arguments: Way.allCases) func `each way in which a run ends settles its schedule`(way: Way) async throws {
        let seen = Watched<[RunResult]>([])
        let run = try await begin { result, endedAt in
            #expect(endedAt == Self.now)
            seen.value += [result]
            return Self.record
        }
        let failure = RunFailure(.unavailable, kind: "not_found", message: "404")
        let ended =
            switch way {
            case .lastPage: try await fixture.writer.commitLast(.page(#"[{"id":1}]"#, 1, .complete), to: run)
            case .pageThatIsCut:
                try await fixture.writer.commitLast(.page(#"[{"id":1}]"#, 1, .ended(Verdict(.chosen))), to: run)
            case .cutShort: try await fixture.writer.cutShort(run.id)
            case .failed: try await fixture.writer.end(run: run.id, as: .failed, failure: failure)
            case .cancelled: try await fixture.writer.end(run: run.id, as: .cancelled, wasStopped: true)
            }
        let expected: RunResult =
            switch way {
            case .lastPage, .pageThatIsCut, .cutShort: RunResult(.succeeded)
            case .failed: RunResult(status: .failed, failure: failure)
            case .cancelled: RunResult(status: .cancelled, wasStopped: true)
            }
        #expect(seen.value == [expected])
        #expect(ended.schedule == Self.record)
        #expect(try stored() == Self.record)
        #expect(ended.wasStopped == (way == .cancelled))
    }

    @Test func `a run with nothing left to read settles it as well`() async throws {
        var stream = stream
        stream.attachments = [Attachment(field: "photo")]
        let run = try await fixture.writer.begin(stream, identity: "page=1", settle: { _, _ in Self.record })
        _ = try await fixture.writer.openRead(of: run)
        let slice = try #require(try await fixture.writer.slices(of: run, limit: 1).first)
        let progress = try await fixture.writer.commit(
            .page(#"[{"id":1}]"#, 1, .complete), to: Reading(id: run, slice: slice))
        #expect(progress.inserted == 1)
        #expect(try stored() == nil)
        #expect(try await fixture.writer.finish(run).schedule == Self.record)
        #expect(try stored() == Self.record)
    }

    @Test func `what only a clock that was ahead can have settled is taken back`() async throws {
        let ahead = ScheduleState(settled: Self.instant(1_804_406_700_000))
        try await fixture.writer.remember(ahead, of: stream)
        #expect(try stored() == ahead)
        let taken = ScheduleState(settled: Self.now)
        try await fixture.writer.remember(taken, of: stream)
        #expect(try stored() == taken)
        // What was decided before that, and is written late, takes nothing back.
        try await fixture.writer.remember(Self.record, of: stream)
        #expect(try stored() == taken)
    }

    @Test
    func `an instant that comes again after the clock was set back has one run to its name, and keeps none from its`()
        async throws
    {
        _ = try await fixture.writer.commitLast(.page(#"[{"id":1}]"#, 1, .complete), to: try await begin())
        // As long as the schedule says that it is settled, it is not run again.
        await #expect(throws: PersistenceError.self) { try await begin() }
        let connection = try Connection(path: fixture.path, mode: .readWrite)
        let before = Self.nominal.advanced(by: .seconds(-3600))
        try connection.execute("UPDATE _garner_schedules SET settled_at = ?1", .text(before.description))
        try await fixture.writer.skip(stream, nominals: before...Self.nominal, count: 2, reason: "late")
        let again = try await fixture.writer.commitLast(.page(#"[{"id":2}]"#, 1, .complete), to: try await begin())
        #expect(again.status == .succeeded && again.trigger == .schedule)
        #expect(again.nominalAt == nil && again.dueAt == Self.due)
        #expect(try fixture.rows("SELECT count(*), count(nominal_at) FROM _garner_runs") == ["2 1"])
    }

    @Test func `what cannot be committed settles nothing`() async throws {
        let run = try await begin()
        let foreign = try Connection(path: fixture.path, mode: .readWrite)
        try foreign.executeScript("BEGIN IMMEDIATE")
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commitLast(.page(#"[{"id":1}]"#, 1, .complete), to: run)
        }
        await #expect(throws: PersistenceError.self) { try await fixture.writer.end(run: run.id, as: .failed) }
        try foreign.executeScript("ROLLBACK")
        #expect(try stored() == nil)
    }

    @Test func `a success without a say in it moves no instant, and ends what holds the stream back`() async throws {
        try await fixture.writer.remember(Self.record, of: stream)
        let ended = try await fixture.sync(stream, #"[{"id":1}]"#)
        #expect(ended.schedule == nil && ended.trigger == .manual)
        #expect(
            try stored()
                == ScheduleState(
                    settled: Self.record.settled, endedAt: Self.record.endedAt, nextDue: Self.record.nextDue))
    }

    @Test func `that a stream is paused outlives what is settled`() async throws {
        let (first, second) = (Self.instant(10), Self.instant(20))
        try await fixture.writer.pause(stream, at: first, ScheduleState(failures: 1))
        #expect(try stored() == ScheduleState(failures: 1, pausedAt: first))
        try await fixture.writer.pause(stream, at: second)
        #expect(try stored()?.pausedAt == first)
        let run = try await begin()
        let ended = try await fixture.writer.end(run: run.id, as: .failed)
        var paused = Self.record
        paused.pausedAt = first
        #expect(ended.schedule == paused)
        #expect(try stored() == paused)
        try await fixture.writer.remember(ScheduleState(settled: Self.nominal), of: stream)
        #expect(try stored()?.isPaused == true)
        try await fixture.writer.resume(stream, ScheduleState(settled: Self.due))
        #expect(try stored() == ScheduleState(settled: Self.due))
    }

    @Test func `what was decided before a run's end does not undo it, however late it is written`() async throws {
        let run = try await begin()
        _ = try await fixture.writer.end(run: run.id, as: .succeeded)
        let earlier = Self.instant(Self.nominal.millisecondsSince1970 - 60_000)
        try await fixture.writer.remember(ScheduleState(settled: earlier), of: stream)
        try await fixture.writer.skip(
            stream, nominals: earlier...earlier, count: 1, reason: "late", ScheduleState(settled: earlier, failures: 9)
        )
        try await fixture.writer.remember(ScheduleState(), of: stream)
        #expect(try stored() == Self.record)
    }

    @Test func `a run tells when it was due and why it began`() async throws {
        let run = try await begin()
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        let told = try ReadOnlyDatabase(path: fixture.path).run(run.id)
        #expect(told.trigger == .schedule)
        #expect((told.nominalAt, told.dueAt) == (Self.nominal, Self.due))
        #expect(told.lateness == .milliseconds(298_500))
        #expect(told.reason == nil && told.skipped == nil && !told.wasStopped)
    }

    @Test func `an instant whose run was stopped may be run again, and one that ended may not`() async throws {
        let stopped = try await begin()
        _ = try await fixture.writer.end(run: stopped.id, as: .cancelled, wasStopped: true)
        let again = try await begin()
        _ = try await fixture.writer.end(run: again.id, as: .cancelled)
        await #expect(throws: PersistenceError.self) { try await begin() }
    }

    @Test func `skipped instants are one row with their range, their number and the reason`() async throws {
        let last = Self.instant(1_769_846_700_000)
        try await fixture.writer.skip(
            stream, nominals: Self.nominal...last, count: 6, reason: "the source was held back", Self.record)
        #expect(try stored() == Self.record)
        _ = try await fixture.sync(stream, #"[{"id":1}]"#)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let skips = try reader.runs(limit: 9, status: .skipped)
        #expect(skips.map(\.reason) == ["the source was held back"])
        #expect(skips.first?.skipped == SkippedInstants(first: Self.nominal, last: last, count: 6))
        #expect(skips.first?.trigger == .schedule)
        #expect(try reader.runs(limit: 9, of: stream.name, status: .succeeded).map(\.id) == [2])
        #expect(try reader.runs(limit: 9).map(\.id) == [2, 1])
        try fixture.expectIntegrity()
    }

    @Test(arguments: [4, 5]) func `an instant whose run has died five times in a row is given up`(
        deaths: Int
    ) async throws {
        await fixture.writer.close()
        for _ in 1...deaths {
            let writer = try Fixture.store(at: fixture.path)
            _ = try await writer.begin(
                stream, identity: "page=1", occasion: .scheduled(nominal: Self.nominal, dueAt: Self.due))
            // What somebody asks for in between is no run of that instant.
            let other = try await writer.begin(.animals(table: "plants"), identity: "page=1")
            _ = try await writer.end(run: other, as: .failed)
            await writer.close()
        }
        let writer = try Fixture.store(at: fixture.path)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        #expect(try reader.runs(limit: 99, status: .interrupted).count == deaths)
        let skips = try reader.runs(limit: 9, status: .skipped)
        #expect(skips.map(\.nominalAt) == (deaths == 5 ? [Self.nominal] : []))
        #expect(try stored()?.settled == (deaths == 5 ? Self.nominal : nil))
        if deaths == 5 {
            #expect(skips.first?.reason?.contains("killed 5 times in a row") == true)
            await #expect(throws: PersistenceError.self) {
                try await writer.begin(
                    stream, identity: "page=1", occasion: .scheduled(nominal: Self.nominal, dueAt: Self.due))
            }
        }
        await writer.close()
        try fixture.expectIntegrity()
    }

    @Test func `a run does not begin in a file that was moved away or deleted`() async throws {
        try await fixture.sync(stream, #"[{"id":1}]"#)
        let moved = fixture.folder.path("elsewhere.db")
        try FileManager.default.moveItem(atPath: fixture.path, toPath: moved)
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.writer.begin(stream, identity: "page=1")
        }
        #expect(error?.kind == .inputOutput)
        #expect(error?.message.contains("moved or deleted") == true)
        // Another file of this name is not the one that is open.
        try Data().write(to: URL(filePath: fixture.path))
        await #expect(throws: PersistenceError.self) { try await fixture.writer.begin(stream, identity: "page=1") }
        try FileManager.default.removeItem(atPath: fixture.path)
        try FileManager.default.moveItem(atPath: moved, toPath: fixture.path)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
    }
}
