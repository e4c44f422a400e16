import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Stations of cities that a file or a query names.
@Suite(.timeLimit(.minutes(5)))
struct PartitionSourceTests {
    private static func stations(
        _ rig: SyncRig, from origin: Partition.Origin, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("stations") {
            $0.request.path = "{partition.city}/stations"
            $0.partitions = [Partition(name: "city", from: origin)]
            $0.primaryKey = ["_city", "id"]
            $0.paginator = Paginator(.singlePage)
            $0.deleteMissing = .hard
            $0.maxDeleteRatio = 1
            change(&$0)
        }
    }

    private static func file(_ rig: SyncRig, _ text: String) throws -> Partition.Origin {
        let path = rig.path + ".cities"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return .file(Partition.File(path: path, written: "cities.txt"))
    }

    private static func cities(_ rig: SyncRig) -> StreamConfiguration {
        rig.stream("cities") { $0.paginator = Paginator(.singlePage) }
    }

    private static func cities(_ rows: [(id: Int, name: String)]) -> LoopbackReply {
        .json("[\(rows.map { #"{"id":\#($0.id),"name":"\#($0.name)"}"# }.joined(separator: ","))]")
    }

    private static let oneEach: LoopbackServer.Handler = { _ in .json(#"[{"id":1}]"#) }

    private static func stored(_ rig: SyncRig) throws -> [String] {
        try rig.texts("SELECT _city FROM stations ORDER BY 1")
    }

    @Test func `lines of a file are values as they are, without empty lines and repetitions`() async throws {
        try await SyncRig.run(Self.oneEach) { rig in
            let origin = try Self.file(rig, "\u{FEFF}a'b\r\n\n  \n007\nZürich\n007\nSão Paulo")
            let outcome = try await rig.sync(Self.stations(rig, from: origin))
            #expect(outcome.status == .succeeded, "\(outcome)")
            #expect(try Self.stored(rig) == ["007", "São Paulo", "Zürich", "a'b"])
            #expect(
                rig.server.requests.map(\.target).sorted() == [
                    "/007/stations", "/S%C3%A3o%20Paulo/stations", "/Z%C3%BCrich/stations", "/a%27b/stations",
                ])
        }
    }

    @Test(arguments: [("code,name\na,Aby\nb,Bree", true), ("1,a\n2,b", false), ("a\nb", false), ("id;name\n1;x", true)])
    func `a table of CSV is no list of values`(text: String, isTable: Bool) async throws {
        try await SyncRig.run(Self.oneEach) { rig in
            guard case .file(var file) = try Self.file(rig, text) else { return }
            file.written = "cities.csv"
            let outcome = try await rig.sync(Self.stations(rig, from: .file(file)))
            #expect(
                (outcome.failure?.message
                    == "the file of 'partitions.city' is a table of CSV, and each of its lines would be a value")
                    == isTable, "\(outcome)")
            #expect(rig.server.requests.isEmpty == isTable)
        }
    }

    @Test func `the rows of a value go with it and return with it, although its page is unchanged`() async throws {
        try await SyncRig.run({ request in
            request["If-None-Match"] == nil
                ? .json(#"[{"id":1},{"id":2}]"#, headers: [("ETag", #""a""#)])
                : .response(status: 304, headers: [("ETag", #""a""#)])
        }) { rig in
            for (text, cities) in [("a\nb", ["a", "b"]), ("a", ["a"]), ("b\na", ["a", "b"]), ("a\nb", ["a", "b"])] {
                let outcome = try await rig.sync(Self.stations(rig, from: try Self.file(rig, text)))
                #expect(outcome.status == .succeeded, "\(outcome)")
                #expect(try rig.texts("SELECT DISTINCT _city FROM stations ORDER BY 1") == cities)
                #expect(try rig.integers("SELECT count(*) FROM stations") == [Int64(2 * cities.count)])
            }
        }
    }

    /// Syncs with the values in a text, and returns for each request if it began at a cursor.
    private static func beginnings(_ rig: SyncRig, _ text: String) async throws -> [String] {
        let before = rig.server.requests.count
        let stream = stations(rig, from: try file(rig, text)) {
            $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
            $0.incremental = Incremental(cursorField: "at")
            $0.deleteMissing = .ignore
        }
        let outcome = try await rig.sync(stream)
        #expect(outcome.status == .succeeded, "\(outcome)")
        return rig.server.requests.dropFirst(before).map { $0.target.contains("since=") ? "cursor" : "all" }.sorted()
    }

    @Test func `a value that returns is read from the beginning, and others from their cursors`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"at":"2026-01-02T00:00:00Z"}]"#) }) { rig in
            var beginnings: [[String]] = []
            for text in ["a\nb", "a\nb", "a", "a\nb"] { beginnings.append(try await Self.beginnings(rig, text)) }
            #expect(beginnings == [["all", "all"], ["cursor", "cursor"], ["cursor"], ["all", "cursor"]])
        }
    }

    private static func status(_ rig: SyncRig, _ text: String) async throws -> RunRecord.Status {
        try await rig.sync(stations(rig, from: try file(rig, text)) { $0.maxConcurrency = 1 }).status
    }

    @Test func `a read goes on with the values that it began with`() async throws {
        let isDown = Watched(true)
        try await SyncRig.run({ request in
            isDown.value && request.target.hasPrefix("/b/") ? .raw("", then: .close) : .json(#"[{"id":1}]"#)
        }) { rig in
            let first = try await Self.status(rig, "a\nb")
            #expect(first == .failed)
            isDown.value = false
            let before = rig.server.requests.count
            #expect(try await Self.status(rig, "c") == .succeeded)
            #expect(rig.server.requests.dropFirst(before).map(\.target) == ["/b/stations"])
            #expect(try Self.stored(rig) == ["a", "b"])
            #expect(try await Self.status(rig, "c") == .succeeded)
            #expect(try Self.stored(rig) == ["c"])
        }
    }

    @Test(arguments: [
        ("", 0, "has no value"), ("\r\n \n", 0, "has no value"),
        (String(repeating: "x", count: 1000), 1100, "cannot be read: it is larger than 1MiB"),
        ("", 100_001, "has more than 100000 combinations"),
    ])
    func `a file that gives no list fails its stream and deletes nothing`(
        start: String, lines: Int, reason: String
    ) async throws {
        let text = start + (0..<lines).map { "\(start)\($0)" }.joined(separator: "\n")
        try await SyncRig.run(Self.oneEach) { rig in
            _ = try await rig.sync(Self.stations(rig, from: try Self.file(rig, "a\nb")))
            let before = rig.server.requests.count
            let outcome = try await rig.sync(Self.stations(rig, from: try Self.file(rig, text)))
            let failure = try #require(outcome.failure)
            #expect(failure.kind == "partition_values" && failure.message.hasSuffix(reason), "\(failure)")
            #expect(!failure.isPermanent)
            #expect(rig.server.requests.count == before)
            #expect(try Self.stored(rig) == ["a", "b"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a pipe in the place of the file is refused at once`() async throws {
        try await SyncRig.run(Self.oneEach) { rig in
            let path = rig.path + ".pipe"
            #expect(mkfifo(path, 0o600) == 0)
            for path in [path, "/dev/zero"] {
                let origin = Partition.Origin.file(Partition.File(path: path, written: "pipe"))
                let failure = try #require(try await rig.sync(Self.stations(rig, from: origin)).failure)
                #expect(
                    failure.message
                        == "the file of 'partitions.city' cannot be read: it is a pipe, a device or the like instead of a file"
                )
            }
        }
    }

    @Test func `a query gives the values, without NULL, empty texts and repetitions`() async throws {
        try await SyncRig.run({ request in
            request.target == "/cities"
                ? .json(
                    #"[{"id":1,"name":"a'b"},{"id":2,"name":null},{"id":3,"name":"Zürich"},{"id":4,"name":"a'b"},{"id":5,"name":""}]"#
                )
                : .json(#"[{"id":1}]"#)
        }) { rig in
            _ = try await rig.sync(Self.cities(rig))
            let query =
                "SELECT name FROM cities UNION ALL SELECT id FROM cities WHERE id = 5 UNION ALL SELECT 1.5 -- all"
            let outcome = try await rig.sync(Self.stations(rig, from: .query(query)))
            #expect(outcome.status == .succeeded, "\(outcome)")
            #expect(outcome.record?.verdict?.completeness == .complete, "\(outcome)")
            #expect(try Self.stored(rig) == ["1.5", "5", "Zürich", "a'b"])
        }
    }

    @Test func `a read is no more complete than the streams that its query reads, also through a view`() async throws {
        let isWhole = Watched(true)
        try await SyncRig.run({ request in
            guard request.target == "/cities" else { return .json(#"[{"id":1}]"#) }
            return isWhole.value ? Self.cities([(1, "a"), (2, "b")]) : .status(404)
        }) { rig in
            _ = try await rig.sync(Self.cities(rig))
            try rig.alter("CREATE VIEW chosen AS SELECT name FROM cities WHERE id < 3")
            let stream = Self.stations(rig, from: .query("SELECT name FROM chosen"))
            #expect(try await rig.sync(stream).record?.verdict?.completeness == .complete)
            isWhole.value = false
            _ = try await rig.sync(Self.cities(rig))
            try rig.alter("DELETE FROM cities WHERE name = 'b'")
            let record = try #require(try await rig.sync(stream).record)
            #expect(record.verdict?.completeness != .complete)
            #expect(record.verdict?.reason == "the last run of zoo.cities was not successful")
            #expect(try Self.stored(rig) == ["a", "b"])
        }
    }

    @Test(arguments: [
        ("SELECT name FROM cities WHERE 0", "partition_values", "has no value"),
        ("SELECT name FROM towns", "partition_values", "no such table: towns"),
        ("SELECT printf('%.*c', 1048577, 'x')", "partition_values", "larger than 1 MiB"),
        (
            "SELECT printf('%.*c', 600000, name) FROM (SELECT 'a' AS name UNION SELECT 'b')", "partition_values",
            "larger than 1 MiB"
        ),
        ("SELECT id, name FROM cities", "configuration", "has 2 columns instead of one"),
        ("DELETE FROM cities RETURNING name", "configuration", "would change the database"),
        ("SELECT name FROM cities; DELETE FROM cities", "configuration", "would change the database"),
        ("SELECT 1; SELECT 2", "configuration", "more than one statement"),
        ("SELECT name FROM cities WHERE id = :id", "configuration", "has the parameter :id"),
        ("SELEC name", "configuration", "syntax error"), ("SELECT x'00'", "configuration", "no text and no number"),
        ("SELECT abs(-9223372036854775808)", "configuration", "integer overflow"),
    ])
    func `a query that gives no list fails its stream and changes nothing`(
        sql: String, kind: String, reason: String
    ) async throws {
        try await SyncRig.run({ $0.target == "/cities" ? Self.cities([(1, "a")]) : .json(#"[{"id":1}]"#) }) { rig in
            _ = try await rig.sync(Self.cities(rig))
            _ = try await rig.sync(Self.stations(rig, from: .query("SELECT name FROM cities")))
            let failure = try #require(try await rig.sync(Self.stations(rig, from: .query(sql))).failure)
            #expect(failure.kind == kind && failure.message.contains(reason), "\(failure)")
            #expect(failure.hint != nil)
            #expect(try rig.texts("SELECT name FROM cities") == ["a"])
            #expect(try Self.stored(rig) == ["a"])
        }
    }

    @Test func `a query may take a minute of the clock that it is given`() async throws {
        let clock = HastyClock(step: .seconds(1))
        try await SyncRig.run(Self.oneEach, queryClock: clock) { rig in
            // SQLite asks for the time every 1,000 operations, and for each name that the query has.
            let count =
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000) SELECT max(x) FROM n"
            let failure = try #require(try await rig.sync(Self.stations(rig, from: .query(count))).failure)
            #expect(failure.kind == "partition_values", "\(failure)")
            #expect(failure.message == "the query of 'partitions.city' takes longer than 1m", "\(failure)")
            #expect(try await rig.sync(Self.stations(rig, from: .query("SELECT 'a'"))).status == .succeeded)
        }
    }

    private static func unrequested(_ name: String, _ sql: String?) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: name), table: name,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://zoo.example/", path: name),
            partitions: sql.map { [Partition(name: "city", from: .query($0))] } ?? [])
    }

    @Test func `a stream waits for those whose tables its query names, but not forever`() {
        let stream = Self.unrequested
        let cities = stream("cities", nil)
        let stations = stream("stations", "SELECT name FROM \"Cities\" UNION SELECT city FROM stations")
        #expect(RunQueue.order(of: [stations, cities]).map(\.name.stream) == ["cities", "stations"])
        let circle = [stream("a", "SELECT x FROM b"), stream("b", "SELECT x FROM a")]
        #expect(RunQueue.order(of: circle).map(\.name.stream) == ["a", "b"])
    }

    @Test func `a stream waits for those whose tables the views of its query name`() async throws {
        let (stations, cities) = (
            Self.unrequested("stations", "SELECT name FROM Chosen"), Self.unrequested("cities", nil)
        )
        try await SyncRig.run(Self.oneEach) { rig in
            try rig.alter(
                """
                CREATE VIEW large AS SELECT name FROM main."Cities"; CREATE VIEW chosen AS SELECT name FROM large;
                CREATE VIEW circle AS SELECT * FROM circle
                """)
            let views = try ReadOnlyDatabase(path: rig.path).viewDefinitions()
            #expect(try await rig.writer.viewDefinitions() == views)
            func order(_ streams: [StreamConfiguration]) -> [String] {
                RunQueue.order(of: streams, views: views).map(\.name.stream)
            }
            #expect(order([stations, cities]) == ["cities", "stations"])
            #expect(order([Self.unrequested("animals", "SELECT * FROM circle"), cities]) == ["animals", "cities"])
        }
    }

    @Test func `a stream waits for one whose arrays are the table that its query names`() {
        let streams = [Self.unrequested("stations", "SELECT name FROM Lands__cities"), Self.unrequested("lands", nil)]
        #expect(RunQueue.order(of: streams).map(\.name.stream) == ["lands", "stations"])
    }
}

/// A clock that goes on by a step each time it is read.
private final class HastyClock: Clock, Sendable {
    private let step: Duration
    private let offset = Watched(Duration.zero)

    init(step: Duration) { self.step = step }

    var now: ManualClock.Instant {
        offset.change { offset in
            offset += step
            return ManualClock.Instant(offset: offset)
        }
    }

    var minimumResolution: Duration { step }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {}
}
