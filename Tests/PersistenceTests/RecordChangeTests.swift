import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import Testing

struct RecordChangeTests {
    let timed: TimedFixture

    init() throws { timed = try TimedFixture() }

    private func changes(
        _ stream: String? = nil, since: ChangeRequest.Limit? = nil, until: ChangeRequest.Limit? = nil, limit: Int? = nil
    ) throws -> [String] {
        var changes: [String] = []
        try timed.reader().forEachChange(ChangeRequest(stream: stream, since: since, until: until, limit: limit)) {
            changes.append($0.summary)
        }
        return changes
    }

    @Test func `record changes list the fields that a run changed`() async throws {
        let stream = TimedFixture.animals(missing: .hard)
        try await timed.sync(0, stream, #"[{"id":1,"a":1,"b":"x"},{"id":2,"a":1,"b":null},{"id":3,"a":null,"b":"z"}]"#)
        #expect(try changes() == [])
        try await timed.sync(1, stream, #"[{"id":1,"a":2,"b":"x"},{"id":2,"a":1,"b":null},{"id":4,"a":7,"b":null}]"#)
        try await timed.sync(2, stream, #"[{"id":1,"a":2,"b":"x"},{"id":2,"a":1,"b":null},{"id":4,"a":7,"b":null}]"#)
        #expect(
            try changes() == [
                "2 08:01 update 1: a 1>2", "2 08:01 delete 3: id 3>NULL b 'z'>NULL",
                "2 08:01 insert 4: id NULL>4 a NULL>7",
            ])
    }

    @Test func `changes end with a run, or before an instant`() async throws {
        let stream = TimedFixture.animals()
        for minute in 0...3 { try await timed.sync(Int64(minute), stream, #"[{"id":1,"a":\#(minute)}]"#) }
        #expect(try changes().count == 3)
        #expect(try changes(until: .run(3)).map { $0.prefix(7) } == ["2 08:01", "3 08:02"])
        #expect(try changes(since: .run(3), until: .instant(WallClock.instant(3))).map { $0.prefix(7) } == ["3 08:02"])
    }

    @Test func `record changes are those between a run's start and end`() async throws {
        let stream = TimedFixture.animals(key: ["id"], missing: .soft)
        try await timed.sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":2},{"id":3,"a":1}]"#, #"[{"id":1,"a":3},{"id":3,"a":5}]"#)
        try await timed.sync(2, stream, #"[{"id":1,"a":3},{"id":2,"a":1},{"id":3,"a":5}]"#)
        let mark = "'2026-01-31T08:01:00.000Z'"
        #expect(
            try changes() == [
                "2 08:01 update 1: a 1>3", "2 08:01 delete 2: _garner_deleted_at NULL>\(mark)",
                "2 08:01 insert 3: id NULL>3 a NULL>5", "3 08:02 update 2: _garner_deleted_at \(mark)>NULL",
            ])
    }

    @Test func `record changes have no fields if no versions are kept`() async throws {
        let off = TimedFixture.animals(missing: .hard, history: false)
        try await timed.sync(0, off, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await timed.sync(1, off, #"[{"id":1,"a":2}]"#)
        #expect(try changes() == ["2 08:01 update 1", "2 08:01 delete 2"])
        try await timed.sync(2, TimedFixture.animals(missing: .hard), #"[{"id":1,"a":3}]"#)
        #expect(try changes() == ["2 08:01 update 1", "2 08:01 delete 2", "3 08:02 update 1: a 2>3"])
    }

    @Test func `a value that a widening has spelled anew has not changed`() async throws {
        var stream = TimedFixture.animals(key: ["id"])
        stream.schemaContract.dataTypes = .evolve
        try await timed.sync(0, stream, #"[{"id":1,"a":7,"b":true,"c":0.5,"d":7,"e":1,"f":1}]"#)
        try await timed.sync(
            1, stream,
            #"[{"id":1,"a":7,"b":true,"c":0.5,"d":7,"e":1,"f":2},{"id":2,"a":"x","b":"y","c":"z","d":0.5,"e":"true"}]"#)
        try await timed.sync(
            2, stream,
            #"[{"id":1,"a":"7","b":"true","c":"0.5","d":7,"e":"true","f":3},{"id":2,"a":"x","b":"y","c":"z","d":0.5,"e":"true"}]"#
        )
        #expect(
            try changes("animals", since: .run(2)).filter { !$0.contains("insert") } == [
                "2 08:01 update 1: f 1>2", "3 08:02 update 1: e 1>'true' f 2>3",
            ])
    }

    @Test func `texts that differ by Unicode form only differ`() async throws {
        try await timed.sync(0, TimedFixture.animals(), "[{\"id\":1,\"a\":\"caf\u{E9}\"}]")
        try await timed.sync(1, TimedFixture.animals(), "[{\"id\":1,\"a\":\"cafe\u{301}\"}]")
        #expect(try changes().first?.contains(": a ") == true)
    }

    @Test func `record changes are found by every part of a composite key`() async throws {
        let stream = TimedFixture.animals(key: ["zoo", "id"], missing: .hard)
        try await timed.sync(
            0, stream, #"[{"zoo":"a","id":1,"a":1},{"zoo":"b \"é","id":1,"a":1},{"zoo":"c","id":9223372036854775807}]"#)
        try await timed.sync(1, stream, #"[{"zoo":"a","id":1,"a":1},{"zoo":"b \"é","id":1,"a":2}]"#)
        #expect(
            try changes() == [
                #"2 08:01 update ["b \"é",1]: a 1>2"#,
                #"2 08:01 delete ["c",9223372036854775807]: zoo 'c'>NULL id 9223372036854775807>NULL"#,
            ])
    }

    @Test func `record changes of rows without a key have no fields`() async throws {
        try await timed.sync(0, TimedFixture.animals(), #"[{"rowid":70}]"#)
        try await timed.sync(1, TimedFixture.animals(), #"[{"rowid":80}]"#)
        #expect(try changes() == ["2 08:01 insert 2"])
    }

    @Test func `record changes are filtered by stream, run, instant and number`() async throws {
        let plants = TimedFixture.animals(table: "plants", history: false)
        for minute in 0..<4 as Range<Int64> {
            try await timed.sync(minute * 2, TimedFixture.animals(history: false), #"[{"id":1,"a":\#(minute)}]"#)
            try await timed.sync(minute * 2 + 1, plants, #"[{"id":1,"a":\#(minute)},{"id":2,"a":\#(minute)}]"#)
        }
        #expect(try changes().count == 9)
        #expect(try changes("zoo.animals") == ["3 08:02 update 1", "5 08:04 update 1", "7 08:06 update 1"])
        #expect(try changes("animals", since: .run(5)) == ["5 08:04 update 1", "7 08:06 update 1"])
        #expect(try changes(since: .instant(WallClock.instant(6))).map { $0.prefix(1) } == ["7", "8", "8"])
        #expect(try changes(limit: 2) == ["8 08:07 update 1", "8 08:07 update 2"])
        #expect(try changes(limit: 0) == [])
        func leavesOut(_ request: ChangeRequest) throws -> Bool { try timed.reader().forEachChange(request) { _ in } }
        #expect(try leavesOut(ChangeRequest(limit: 8)))
        #expect(try leavesOut(ChangeRequest(limit: 9)) == false)
        #expect(try leavesOut(ChangeRequest(stream: "animals", limit: 3)) == false)
        #expect(try leavesOut(ChangeRequest(stream: "animals", limit: 2)))
        #expect(try leavesOut(ChangeRequest()) == false)
        // A run that began before an instant and ended after it may have changed records in between.
        try timed.fixture.alter("UPDATE _garner_runs SET ended_at = '2026-01-31T08:09:00.000Z' WHERE run_id = 3")
        #expect(try changes(since: .instant(WallClock.instant(8))).map { $0.prefix(1) } == ["3"])
        let changed = RowRequest(table: "animals", columns: ["id"], changedSince: WallClock.instant(8))
        let rows = try timed.reader().rows(for: changed)
        #expect(try rows.next()?.integer(at: 0) == 1)
        try timed.fixture.alter("UPDATE _garner_runs SET ended_at = NULL, status = 'running' WHERE run_id = 3")
        #expect(try changes(since: .instant(WallClock.instant(8))).map { $0.prefix(1) } == ["3"])
        #expect(throws: StreamSelectionError.unknown(name: "plant", suggestion: "plants")) { try changes("plant") }
        #expect(throws: PersistenceError.self) { try changes(since: .run(99)) }
        var other = TimedFixture.animals(table: "beasts")
        other.name = StreamName(source: "farm", stream: "animals")
        try await timed.sync(9, other, #"[{"id":1}]"#)
        #expect(throws: StreamSelectionError.ambiguous(name: "animals", candidates: ["zoo.animals", "farm.animals"])) {
            try changes("animals")
        }
    }
}

extension RecordChange {
    fileprivate var summary: String {
        let key =
            switch key {
            case .single(let value): value.literal
            case .composite(let array): array
            }
        let head = "\(run) \(at.map { String($0.description.dropFirst(11).prefix(5)) } ?? "") \(operation) \(key)"
        guard let fields else { return head }
        return "\(head): " + fields.map { "\($0.name) \($0.old.literal)>\($0.new.literal)" }.joined(separator: " ")
    }
}
