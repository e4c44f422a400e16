import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite
import TestSupport
import Testing

@testable import GarnerPersistence

/// The notes themselves, who has made them, and what is known of them.
struct OutboxTests {
    private static func page(_ keys: some Sequence<Int>, _ n: Int = 0) -> String {
        "[\(keys.map { #"{"id":\#($0),"n":\#(n)}"# }.joined(separator: ","))]"
    }

    @Test func `neighbouring rows are one note, and rows that did not change none`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream(missing: .hard)
        try await file.sync(stream, Self.page(1...50))
        try await file.publish()
        func notes() throws -> [String] {
            try file.rows("SELECT kind, first_row, last_row, record_key FROM _garner_outbox WHERE stream_id = 1")
        }
        try await file.sync(stream, Self.page(1...50))
        #expect(try notes() == [])
        try await file.receive(makingAgain: [])
        try await file.sync(stream, Self.page(1...20, 1), Self.page(21...60))
        #expect(try notes() == ["'update' 1 20 NULL", "'insert' 51 60 NULL"])
        try await file.sync(stream, Self.page(1...20, 1), Self.page([21]))
        #expect(try notes().last == "'delete' 22 60 NULL")
        let reader = try OutboxReader(path: file.path)
        let changes = try reader.snapshot { try $0.changes(after: [1: 0]) }[1]
        #expect(changes?.updated == [1...20] && changes?.replaced == [22...60])
        #expect(changes?.deletedKeys.count == 39 && changes?.deletedRows == [])
        try await file.receive(makingAgain: [])
    }

    @Test func `ended runs are noted once`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream()
        try await file.sync(stream, Self.page([1]))
        try await file.publish()
        #expect(file.receiver.runs.count == 1)
        try await file.sync(stream, Self.page([1]), Self.page([2]), Self.page([3]))
        #expect(
            try file.rows("SELECT kind, first_row, last_row FROM _garner_outbox WHERE stream_id = 0")
                == ["'insert' 2 2"])
        try await file.receive(makingAgain: [])
        #expect(file.receiver.runs[2]?.counts.inserted == 2)
        // A run that was killed ends when the file is opened next.
        _ = try await file.writer.begin(stream, identity: "page=1")
        try await file.reopen()
        try await file.receive(makingAgain: [])
        #expect(file.receiver.runs[3]?.status == .interrupted)
    }

    @Test func `each note belongs to one token`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream()
        try await file.sync(stream, Self.page([1]))
        try await file.publish()
        try await file.reopen()
        try await file.reopen()
        try await file.sync(stream, Self.page([1, 2], 1))
        try await file.sync(stream, Self.page([3], 1))
        let reader = try OutboxReader(path: file.path)
        try reader.snapshot { snapshot in
            let publishers = try (0...3).map { try snapshot.publisher(NotedFile.token($0)) }
            let last = try snapshot.lastNote()
            #expect(publishers[0]?.firstNote == 1 && publishers[0]?.lastNote == 2)
            #expect(publishers[1]?.firstNote == 3 && publishers[1]?.lastNote == 2)
            #expect(publishers[2]?.firstNote == 3 && publishers[2]?.lastNote == last && last > 2)
            #expect(publishers[3] == nil)
            let file = try #require(try snapshot.file())
            #expect(file.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        }
        try await file.receive(makingAgain: [])
        // Numbers do not come again, although no note is left.
        try await file.reopen()
        let next = try reader.snapshot { try ($0.publisher(NotedFile.token(3))?.firstNote, $0.lastNote()) }
        #expect(next.0 == next.1 + 1)
    }

    @Test func `what is confirmed goes, and what is behind stays`() async throws {
        let file = try NotedFile()
        let (one, two) = (NotedFile.stream("one"), NotedFile.stream("two"))
        try await file.sync(one, Self.page([1]))
        try await file.sync(two, Self.page([1]))
        try await file.publish()
        let database = try ReadOnlyDatabase(path: file.path)
        #expect(try database.publicationStatus()?.waitingSince == nil)
        try await file.sync(one, Self.page([1, 2]))
        try await file.sync(two, Self.page([1, 2]))
        try await file.writer.setTarget("db.example/warehouse")
        let waiting = try #require(try database.publicationStatus())
        #expect(waiting.target == "db.example/warehouse" && waiting.waitingSince == NotedFile.instant)
        #expect(waiting.tables.map(\.name) == [nil, "one", "two"])
        #expect(
            waiting.tables.map(\.waitingRows) == [2, 1, 1] && waiting.tables.map(\.isWhole) == [false, false, false])
        #expect(waiting.tables.map(\.stream) == [nil, "zoo.one", "zoo.two"])
        let reader = try OutboxReader(path: file.path)
        let position = try reader.snapshot { try $0.lastNote() }
        try await file.writer.noteBehind([2: "the table is locked"])
        let later = Timestamp(millisecondsSince1970: 1_769_846_800_000)
        try await file.writer.confirm(position, [0, 1], asOf: later)
        let behind = try #require(try database.publicationStatus())
        #expect(behind.tables.map(\.waitingNotes) == [0, 0, 1] && behind.position == position)
        // What waits now has waited from the first instant on.
        #expect(behind.waitingSince == NotedFile.instant && behind.tables.last?.behindReason == "the table is locked")
        #expect(behind.tables.last?.behindSince == NotedFile.instant)
        let tables = try reader.snapshot { try $0.tables() }
        #expect(tables.map(\.position) == [position, tables[1].position] && tables[1].behindReason != nil)
        try await file.writer.confirm(position, [2], asOf: later)
        let done = try #require(try database.publicationStatus())
        #expect(done.waitingSince == nil && done.tables.allSatisfy { $0.behindSince == nil && $0.waitingNotes == 0 })
    }

    @Test func `a table that waits as a whole has all of its rows wait`() async throws {
        let file = try NotedFile()
        try await file.sync(NotedFile.stream("one"), Self.page([1, 2, 3]))
        try await file.writer.publish([1])
        let waiting = try ReadOnlyDatabase(path: file.path).publicationStatus()?.tables.last
        #expect(waiting?.isWhole == true && waiting?.waitingNotes == 1 && waiting?.waitingRows == 3)
    }

    @Test func `what waits for the first connection waits since the first read has ended`() async throws {
        let file = try NotedFile()
        let database = try ReadOnlyDatabase(path: file.path)
        #expect(try database.publicationStatus()?.waitingSince == nil)
        for seconds in [0, 240, 480] {
            file.time.value = NotedFile.instant.advanced(by: .seconds(seconds))
            try await file.sync(NotedFile.stream(), Self.page([1, 2 + seconds]))
            #expect(try database.publicationStatus()?.waitingSince == NotedFile.instant)
            try await file.reopen()
        }
        try await file.publish()
        #expect(try database.publicationStatus()?.waitingSince == nil)
    }

    @Test func `a refusal is told with its first instant until it is over`() async throws {
        let file = try NotedFile()
        let database = try ReadOnlyDatabase(path: file.path)
        for (seconds, reason) in [(0, "a copy is published"), (60, "a copy is published"), (120, "it was restored")] {
            file.time.value = NotedFile.instant.advanced(by: .seconds(seconds))
            try await file.writer.noteRefusal(reason)
            let status = try #require(try database.publicationStatus())
            #expect(status.refusal == reason && status.refusedSince == NotedFile.instant)
        }
        try await file.writer.noteRefusal(nil)
        let status = try #require(try database.publicationStatus())
        #expect(status.refusal == nil && status.refusedSince == nil)
    }

    @Test func `pages that share a transaction take the confirmation with them`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream()
        try await file.sync(stream, Self.page([1]))
        try await file.publish()
        try await file.sync(stream, Self.page([1, 2]))
        let position = try OutboxReader(path: file.path).snapshot { try $0.lastNote() }
        func waiting() throws -> [String] {
            try file.rows("SELECT count(*) FROM _garner_outbox WHERE note <= \(position) AND stream_id = 1")
        }
        let run = try await file.writer.beginReading(stream, identity: "page=1", restarting: true)
        var page = try PageCommit.page(Self.page([3]), 1, .next("page=2"))
        page.slice = run.slice.id
        _ = try await file.writer.commit(page, to: run.id, successor: { .arrived })
        try await file.writer.confirm(position, [0, 1], asOf: NotedFile.instant)
        #expect(try waiting() == ["1"])
        try await file.writer.commitLast(try .page(Self.page([4]), 2, .complete), to: run)
        #expect(try waiting() == ["0"])
    }

    @Test func `a confirmation is stored after a transaction that was undone`() async throws {
        let file = try NotedFile()
        try await file.sync(NotedFile.stream(), Self.page([1]))
        try await file.publish()
        try await file.sync(NotedFile.stream(), Self.page([1, 2]))
        let reader = try OutboxReader(path: file.path)
        let position = try reader.snapshot { try $0.lastNote() }
        struct Lost: Error {}
        await #expect(throws: Lost.self) {
            try await file.change { _ in throw Lost() }
        }
        try await file.writer.confirm(position, [0, 1], asOf: NotedFile.instant)
        #expect(try file.rows("SELECT count(*) FROM _garner_outbox") == ["0"])
    }

    @Test func `a stream that is published no longer`() async throws {
        let file = try NotedFile()
        try await file.sync(NotedFile.stream(), Self.page([1]))
        try await file.publish()
        try await file.sync(NotedFile.stream(), Self.page([2]))
        try await file.writer.stopPublishing([1])
        try await file.sync(NotedFile.stream(), Self.page([3]))
        #expect(try file.rows("SELECT count(*) FROM _garner_outbox WHERE stream_id = 1") == ["0"])
        try await file.writer.publish([1, 99])
        #expect(try file.rows("SELECT stream_id FROM _garner_published") == ["0", "1"])
        try await file.receive(makingAgain: ["animals"])
        try await file.sync(NotedFile.stream(), Self.page([4]))
        try await file.writer.stopPublishing([0, 1])
        #expect(try file.rows("SELECT waiting_since FROM _garner_publication") == ["NULL"])
    }

    @Test func `columns are told with their kinds`() async throws {
        let file = try NotedFile()
        var stream = NotedFile.stream(missing: .soft)
        stream.flattenDepth = 1
        try await file.sync(stream, #"[{"id":1,"a":{"b":"x"},"none":null},{"id":2}]"#)
        try await file.sync(stream, #"[{"id":1,"a":{"b":"x"},"none":null}]"#)
        try file.alter(
            """
            ALTER TABLE animals ADD COLUMN mine VARCHAR(5);
            ALTER TABLE animals ADD COLUMN twice INTEGER AS (2 * id) VIRTUAL;
            """)
        try await file.publish()
        let reader = try OutboxReader(path: file.path)
        let table = try #require(try reader.snapshot { try $0.tables() }.first)
        #expect(table.columns.map(\.name) == ["id", "a__b", "none", "_garner_deleted_at", "mine", "twice"])
        #expect(table.columns.map(\.type) == [.integer, .text, nil, .text, .text, .integer])
        #expect(
            table.columns.map(\.kind) == [
                .value(path: ["id"]), .value(path: ["a", "b"]), .value(path: ["none"]), .deletedAt, .other, .other,
            ])
        #expect(table.key == [0] && table.isReady && !table.isChild && table.stream == "zoo.animals")
        let count = try reader.snapshot { try $0.count(of: table) }
        #expect(count == 2)
    }

    @Test(arguments: [
        (#""2026-01-31T08:05:00Z","2026-01-31 08:05:00.123456+01:00",null"#, true),
        (#""2026-01-31T08:05:00Z","2026-01-31T08:05:00""#, false), (#""2026-01-31T08:05:00.1234567Z""#, false),
        ("null", false), (#""x""#, false),
    ])
    func `a column of instants`(values: String, isOne: Bool) async throws {
        let file = try NotedFile()
        let texts = values.split(separator: ",").enumerated().map { #"{"id":\#($0.offset),"t":\#($0.element)}"# }
        try await file.sync(NotedFile.stream(), #"[{"id":99},\#(texts.joined(separator: ","))]"#)
        let reader = try OutboxReader(path: file.path)
        try reader.snapshot { snapshot in
            let table = try #require(try snapshot.tables().first)
            let column = try #require(table.columns.first { $0.name == "t" })
            #expect(try snapshot.holdsOnlyInstants(column, of: table) == isOne)
        }
    }

    @Test func `a table is ready when its first read has ended`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream()
        let run = try await file.writer.begin(stream, identity: "page=1")
        _ = try await file.writer.openRead(of: run)
        let reader = try OutboxReader(path: file.path)
        #expect(try reader.snapshot { try $0.tables() } == [])
        _ = try await file.writer.end(run: run, as: .failed)
        try await file.sync(stream, Self.page([1]))
        let tables = try reader.snapshot { try $0.tables() }
        #expect(tables.map(\.name) == ["animals"] && tables.map(\.position) == [nil])
    }

    @Test(arguments: [
        ([[1...1, 3...3, 2...2], [5...6]], [1...3, 5...6]), ([[1...9], [2...3], [10...10]], [1...10]),
        ([[Int64.max ... .max], [Int64.min ... .min]], [.min ... .min, .max ... .max]), ([], []),
    ])
    func `ranges of rows are joined`(ranges: [[ClosedRange<Int64>]], joined: [ClosedRange<Int64>]) {
        #expect(Array(ranges.joined()).joined == joined)
    }

    @Test(arguments: [
        ([1...9], [3...4, 9...9], [1...2, 5...8]), ([1...9], [0...20], []), ([1...2, 5...6], [2...5], [1...1, 6...6]),
        ([1...2], [], [1...2]), ([5...5], [1...2], [5...5]),
    ])
    func `ranges of rows without others`(
        ranges: [ClosedRange<Int64>], others: [ClosedRange<Int64>], rest: [ClosedRange<Int64>]
    ) {
        #expect(ranges.without(others) == rest)
    }

    @Test func `rows in any order become few ranges`() {
        var rows = RowRanges()
        for row in Array(0..<5000 as Range<Int64>).shuffled() { rows.add(row) }
        #expect(rows.takeJoined() == [0...4999])
        #expect(rows.isEmpty)
    }
}
