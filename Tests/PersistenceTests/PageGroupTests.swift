import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerModel
import GarnerPersistence
import Synchronization
import TestSupport
import Testing

/// Pages that share a transaction, as those do that come in quick succession.
@Suite(.timeLimit(.minutes(5)))
struct PageGroupTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Reads of a stream, by name.
    struct Script: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let stream: StreamConfiguration
        let reads: [[String]]

        init(
            _ name: String, _ reads: [[String]], writing: WriteDisposition? = nil, missing: DeleteMissing = .ignore,
            _ change: (inout StreamConfiguration) -> Void = { _ in }
        ) {
            var stream = StreamConfiguration.animals(
                key: writing == .append ? nil : ["id"], writing: writing, missing: missing)
            stream.maxDeleteRatio = 1
            change(&stream)
            (testDescription, self.stream, self.reads) = (name, stream, reads)
        }
    }

    private static let changing = [
        [#"[{"id":1,"a":1},{"id":2,"a":2}]"#, #"[{"id":3,"a":3},{"id":4,"a":4}]"#, #"[{"id":5}]"#, #"[{"id":6}]"#],
        [#"[{"id":1,"a":1},{"id":2,"a":2}]"#, #"[{"id":3,"a":9},{"id":7,"a":7}]"#, #"[{"id":5}]"#, #"[{"id":8}]"#],
        [#"[{"id":1,"a":1},{"id":2,"a":2}]"#, #"[{"id":3,"a":9},{"id":4,"a":4}]"#, #"[]"#, #"[{"id":8}]"#],
    ]

    private static let evolving = [
        [
            #"[{"id":1,"a":1}]"#, #"[{"id":2,"a":2.5,"b":"x"}]"#, #"[{"id":3,"a":"text","c":{"d":1}}]"#,
            #"[{"id":"four","a":true}]"#, #"[{"id":5}]"#,
        ]
    ]

    static let scripts = [
        Script("rows that change", changing),
        Script("rows that are deleted", changing, missing: .hard),
        Script("rows that are marked as deleted", changing, missing: .soft) { $0.history = true },
        Script("versions and words", changing, missing: .hard) {
            $0.history = true
            $0.search = ["a"]
        },
        Script("a table that is replaced", changing, writing: .replace),
        Script("rows that are appended", changing, writing: .append),
        Script("columns and types", evolving),
        Script("tables of arrays", [[#"[{"id":1,"t":[{"x":1}]}]"#, #"[{"id":2,"t":[{"x":"y"},{"z":1}]}]"#, "[]"]]) {
            $0.childTables = true
        },
        Script("records on two pages", [[#"[{"id":1,"a":1}]"#, #"[{"id":1,"a":2}]"#, #"[{"id":3}]"#]], missing: .hard),
        Script("records in quarantine", [[#"[{"id":1}]"#, #"[{"id":null},{"id":2}]"#, #"[{"a":1}]"#, #"[{"id":3}]"#]]),
        Script("a page that the contract refuses", [[#"[{"id":1}]"#, #"[{"id":2}]"#, #"[{"id":3,"b":1}]"#, "[]"]]) {
            $0.schemaContract.columns = .freeze
        },
        Script(
            "a page that is refused once",
            [
                [#"[{"id":1}]"#, #"[{"id":2}]"#, #"[{"id":3},{"id":4,"b":1}]"#, #"[{"id":5}]"#],
                [#"[{"id":1}]"#, #"[{"id":2}]"#, #"[{"id":3},{"id":4}]"#, #"[{"id":5}]"#],
                [#"[{"id":1}]"#, #"[{"id":2}]"#, #"[{"id":3},{"id":4}]"#, #"[{"id":6}]"#],
            ], missing: .hard
        ) { $0.schemaContract.columns = .freeze },
        Script("a table that may not be made", [[#"[]"#, #"[{"id":1}]"#, #"[{"id":2}]"#]]) {
            $0.schemaContract.tables = .freeze
        },
    ]

    /// Plays a script, and returns what the callers are told.
    private func play(_ script: Script, in fixture: Fixture, _ successor: SuccessorState) async throws -> [String] {
        var told: [String] = []
        for pages in script.reads {
            let run = try await fixture.writer.beginReading(script.stream, identity: "page=1")
            let first = run.resumeAt.flatMap { Int($0.dropFirst("page=".count)) } ?? 1
            for number in first...pages.count {
                let page = try await fixture.page(pages[number - 1], number, of: pages.count, in: run)
                do {
                    let progress = try await fixture.writer.commit(page, to: run.id) {
                        number < pages.count ? successor : .separate
                    }
                    if let ended = progress.ended {
                        told.append("\(ended.status) \(ended.counts) \(ended.notice ?? "")")
                    }
                } catch let error as PersistenceError {
                    let ended = try await fixture.writer.end(run: run.id, as: .failed, requests: page.requests)
                    told.append("\(error.kind) \(error.message) \(ended.counts)")
                    break
                }
            }
        }
        return told
    }

    @Test(arguments: scripts)
    func `pages that share transactions leave what pages of their own leave`(_ script: Script) async throws {
        // Both databases have the same random bits.
        await fixture.writer.close()
        let alone = try Fixture(reopening: fixture)
        let told = try await play(script, in: alone, .separate)
        for successor in [SuccessorState.arrived, .requested] {
            let together = try Fixture(reopening: fixture)
            #expect(try await play(script, in: together, successor) == told)
            #expect(try together.content() == alone.content())
            try together.expectIntegrity()
        }
    }

    private static func records(_ number: Int) -> String { #"[{"id":\#(number)}]"# }

    /// Stores pages of one record each, all but the last of which are followed.
    private func store(
        _ numbers: ClosedRange<Int>, to reading: Reading, in fixture: Fixture,
        _ change: (inout PageCommit) -> Void = { _ in }
    ) async throws -> [Int] {
        var inserted: [Int] = []
        for number in numbers {
            var page = try PageCommit.page(Self.records(number), number, .next("page=\(number + 1)"))
            page.slice = reading.slice.id
            change(&page)
            inserted.append(
                try await fixture.writer.commit(page, to: reading.id, successor: { .arrived }).counts.inserted)
        }
        return inserted
    }

    private func ids(_ fixture: Fixture, _ table: String = "animals") throws -> [String] {
        guard try fixture.rows("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != [] else { return [] }
        return try fixture.rows("SELECT id FROM \(table) ORDER BY id")
    }

    @Test func `a page that is followed is committed with what comes next, and counted then`() async throws {
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        #expect(try await store(1...3, to: run, in: fixture) == [0, 0, 0])
        #expect(try ids(fixture) == [])
        // What it asks before its next request ends no transaction.
        _ = try await fixture.writer.memory(of: "page=4", for: run.id)
        #expect(try ids(fixture) == [])
        let counts = try await fixture.writer.commit(.page(Self.records(4), 4, .next("page=5")), to: run)
        #expect(counts.inserted == 4)
        #expect(try ids(fixture) == ["1", "2", "3", "4"])
        #expect(try fixture.rows("SELECT next_position FROM _garner_slices") == ["'page=5'"])
        #expect(try fixture.rows("SELECT pages, inserted FROM _garner_runs") == ["4 4"])
    }

    @Test func `at most 32 pages share a transaction`() async throws {
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        #expect(try await store(1...40, to: run, in: fixture).last == 32)
        #expect(try ids(fixture).count == 32)
    }

    @Test func `pages share a transaction for 200 ms, and none that is long joins them`() async throws {
        let time = Mutex(Timestamp(millisecondsSince1970: 1_769_846_700_000))
        let path = fixture.folder.path("timed.db")
        let writer = try DatabaseWriter(path: path) { time.withLock(\.self) }
        let other = try Connected(path)
        let run = try await writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        func store(_ number: Int, records: String? = nil) async throws -> Int {
            var page = try PageCommit.page(records ?? Self.records(number), number, .next("page=\(number + 1)"))
            page.slice = run.slice.id
            return try await writer.commit(page, to: run.id, successor: { .arrived }).counts.pages
        }
        #expect(try await store(1) == 0)
        time.withLock { $0 = $0.advanced(by: .milliseconds(199)) }
        #expect(try await store(2) == 0)
        time.withLock { $0 = $0.advanced(by: .milliseconds(1)) }
        #expect(try await store(3) == 2)
        let long = (10...5_010).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        #expect(try await store(4, records: "[\(long)]") == 3)
        #expect(try other.count("animals") == 3)
        await writer.close()
        #expect(try other.count("animals") == 5_004)
    }

    @Test func `where pages come within 5 ms, a transaction waits 20 ms for one that was requested`() async throws {
        let time = Mutex(Timestamp(millisecondsSince1970: 1_769_846_700_000))
        let (clock, path) = (ManualClock(), fixture.folder.path("waiting.db"))
        let writer = try DatabaseWriter(path: path, clock: clock) { time.withLock(\.self) }
        let other = try Connected(path)
        let run = try await writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        func store(_ number: Int, after pause: Int, _ successor: SuccessorState = .requested) async throws -> Int {
            time.withLock { $0 = $0.advanced(by: .milliseconds(pause)) }
            var page = try PageCommit.page(Self.records(number), number, .next("page=\(number + 1)"))
            page.slice = run.slice.id
            return try await writer.commit(page, to: run.id) { successor }.counts.pages
        }
        #expect(try await store(1, after: 0) == 1, "nothing tells how soon the next page comes")
        #expect(try await store(2, after: 4) == 1)
        #expect(try await store(3, after: 4) == 1)
        #expect(try other.count("animals") == 1)
        await clock.sleeper(for: .milliseconds(20))
        clock.advance(by: .milliseconds(20))
        while try other.count("animals") < 3 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try await store(4, after: 5) == 4, "it came late")
        #expect(try await store(5, after: 1) == 4)
        await clock.sleeper(for: .milliseconds(20))
        #expect(try await store(6, after: 1, .separate) == 6)
        // Its deadline is that of no later transaction.
        await clock.sleepers(fulfil: \.isEmpty)
        await writer.close()
    }

    @Test func `slices share transactions, and a kill leaves whole ones, with which the next run goes on`() async throws
    {
        var stream = StreamConfiguration.animals(key: ["id"])
        stream.partitions = [Partition(name: "zoo", values: (1...40).map { "zoo\($0)" })]
        func read(_ slices: some Sequence<Slice>, of run: RunID, in fixture: Fixture) async throws -> [RunProgress] {
            var told: [RunProgress] = []
            for slice in slices {
                var page = try PageCommit.page(#"[{"id":\#(slice.id)}]"#, Int(slice.id.number), .complete)
                page.slice = slice.id
                told.append(try await fixture.writer.commit(page, to: run, successor: { .arrived }))
            }
            return told
        }
        let run = try await fixture.writer.begin(stream, identity: "i")
        _ = try await fixture.writer.openRead(of: run)
        let slices = try await fixture.writer.slices(of: run, limit: 99)
        let told = try await read(slices.prefix(36), of: run, in: fixture)
        #expect(told.map(\.counts.pages) == Array(repeating: 0, count: 31) + Array(repeating: 32, count: 5))
        // The list of what is left ends no transaction.
        #expect(try await fixture.writer.slices(of: run, limit: 99).map(\.id) == slices.suffix(4).map(\.id))
        let killed = try Fixture(reopening: fixture)
        #expect(try ids(killed).count == 32)
        let next = try await killed.writer.begin(stream, identity: "i")
        #expect(try await killed.writer.openRead(of: next).goesOn)
        let left = try await killed.writer.slices(of: next, limit: 99)
        #expect(left.map(\.id) == slices.suffix(8).map(\.id))
        let last = try await read(left, of: next, in: killed).last
        #expect(last?.ended?.counts.pages == 8)
        #expect(try ids(killed).count == 40)
        #expect(try killed.rows("SELECT sum(pages), count(*) FROM _garner_runs") == ["40 2"])
        try killed.expectIntegrity()
    }

    @Test func `files share transactions, and what is told of them is committed`() async throws {
        let path = fixture.folder.path("files.db")
        let writer = try DatabaseWriter(path: path, clock: ManualClock()) {
            Timestamp(millisecondsSince1970: 1_769_846_700_000)
        }
        let other = try Connected(path)
        var stream = StreamConfiguration.animals(key: ["id"])
        stream.attachments = [Attachment(field: "photo")]
        let run = try await writer.beginReading(stream, identity: "page=1")
        _ = try await writer.commit(.page(#"[{"id":1,"photo":"/1.png"}]"#, 1, .complete), to: run)
        func keep(_ number: Int, bytes: Int = 1) async throws -> Int {
            let file = StoredFile(mediaType: "image/png", Array(repeating: UInt8(number), count: bytes))
            let request = RequestRecord(sentAt: Timestamp(millisecondsSince1970: 0), url: "/\(number).png")
            let outcome = AttachmentOutcome(
                field: "photo", url: "/\(number).png", .file(file, validator: nil), requests: [request])
            return try await writer.keep(outcome, for: run.id).requests
        }
        var told: [Int] = []
        for number in 1...40 { told.append(try await keep(number)) }
        #expect(told == Array(repeating: 1, count: 31) + Array(repeating: 33, count: 9))
        #expect(try other.count("_garner_blobs") == 32)
        // A large one joins none before it.
        #expect(try await keep(41, bytes: 300_000) == 41)
        #expect(try other.count("_garner_blobs") == 40)
        #expect(try await writer.finish(run.id).counts.requests == 42)
        #expect(try other.count("_garner_blobs") == 41)
        await writer.close()
    }

    @Test func `what is called for another run comes after the pages of the first`() async throws {
        let (animals, plants) = (
            StreamConfiguration.animals(key: ["id"]), StreamConfiguration.animals(table: "plants", key: ["id"])
        )
        let first = try await fixture.writer.beginReading(animals, identity: "page=1")
        _ = try await store(1...2, to: first, in: fixture)
        let second = try await fixture.writer.beginReading(plants, identity: "page=1")
        #expect(try ids(fixture) == ["1", "2"])
        _ = try await store(3...4, to: first, in: fixture)
        _ = try await store(1...1, to: second, in: fixture)
        #expect(try ids(fixture) == ["1", "2", "3", "4"])
        #expect(try ids(fixture, "plants") == [])
        _ = try await store(5...5, to: first, in: fixture)
        #expect(try ids(fixture, "plants") == ["1"])
        await fixture.writer.endGroup(of: second.id)
        #expect(try ids(fixture).count == 4)
        await fixture.writer.endGroup(of: first.id)
        #expect(try ids(fixture).count == 5)
    }

    @Test func `a page that may not come again stands alone, and each does where all wait for the disk`() async throws {
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        _ = try await store(1...2, to: run, in: fixture)
        #expect(try await store(3...3, to: run, in: fixture) { $0.mayNotComeAgain = true } == [3])
        #expect(try ids(fixture) == ["1", "2", "3"])
        let path = fixture.folder.path("full.db")
        let writer = try DatabaseWriter(path: path, synchronous: .full) { Timestamp(millisecondsSince1970: 0) }
        let full = try await writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        var page = try PageCommit.page(Self.records(1), 1, .next("page=2"))
        page.slice = full.slice.id
        #expect(try await writer.commit(page, to: full.id, successor: { .arrived }).counts.inserted == 1)
        await writer.close()
    }

    @Test func `pages that are lost with their transaction fail the run, which stores nothing behind them`()
        async throws
    {
        try await fixture.sync(.animals(key: ["id"]), Self.records(100))
        // The commit of a transaction with record 2 fails.
        try fixture.alter(
            """
            CREATE TABLE keepers (name PRIMARY KEY);
            CREATE TABLE kept (keeper REFERENCES keepers DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER keeping AFTER INSERT ON animals WHEN new.id = 2 BEGIN INSERT INTO kept VALUES ('nobody'); END
            """)
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        #expect(try await store(1...3, to: run, in: fixture) == [0, 0, 0])
        // Another run does not see the failure.
        _ = try await fixture.writer.beginReading(.animals(table: "plants"), identity: "page=1")
        for _ in 1...2 {
            await #expect(throws: PersistenceError.self) { try await store(4...4, to: run, in: fixture) }
        }
        await #expect(throws: PersistenceError.self) { try await fixture.writer.finish(run.id) }
        let ended = try await fixture.writer.end(run: run.id, as: .failed)
        #expect((ended.counts.pages, ended.counts.inserted, ended.counts.requests) == (0, 0, 3))
        #expect(try ids(fixture) == ["100"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_requests WHERE run_id = \(run.id)") == ["3"])
        let next = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        #expect(next.resumeAt == nil)
    }

    @Test func `what a cancelled task stores takes no page before it away`() async throws {
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        let records = (1_000...5_000).map { #"{"id":\#($0),"a":"\#($0)"}"# }.joined(separator: ",")
        for number in 1...20 {
            _ = try await store(number...number, to: run, in: fixture)
            var page = try PageCommit.page("[\(records)]", 50 + number, .next("page=\(number + 1)"))
            page.slice = run.slice.id
            let storing = Task { [fixture, page] in try await fixture.writer.commit(page, to: run.id) }
            try? await Task.sleep(for: .microseconds(300 * number))
            storing.cancel()
            #expect(try await storing.value.counts.pages == 2 * number)
        }
        #expect(try ids(fixture).count == 20 + 4_001)
    }
}

/// Another connection to a database.
private struct Connected {
    private let path: String

    init(_ path: String) throws { self.path = path }

    func count(_ table: String) throws -> Int {
        let reader = try ReadOnlyDatabase(path: path)
        let cursor = try reader.rows("SELECT count(*) FROM \(table)")
        return try cursor.next().flatMap { Int($0.value(at: 0).literal) } ?? 0
    }
}
