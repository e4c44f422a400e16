import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite
import Testing

@testable import GarnerPersistence

struct AsOfTests {
    let timed: TimedFixture

    init() throws { timed = try TimedFixture() }

    private func rows(
        at instant: Timestamp, _ sql: String, _ parameters: [String: Value] = [:]
    ) throws -> [String] {
        let reader = try timed.reader()
        return try timed.rows(reader.viewing(asOf: instant) { try reader.rows(sql, parameters: parameters) })
    }

    private func rows(at minute: Int64, _ sql: String = "SELECT * FROM animals ORDER BY id") throws -> [String] {
        try rows(at: WallClock.instant(minute), sql)
    }

    @Test func `a version holds from its beginning on, and no longer at its end`() async throws {
        let stream = TimedFixture.animals(missing: .hard)
        try await timed.sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await timed.sync(2, stream, #"[{"id":1,"a":2}]"#)
        try await timed.sync(4, stream, #"[{"id":1,"a":2},{"id":2,"a":3}]"#)
        let changed = WallClock.instant(2)
        let before = changed.advanced(by: .milliseconds(-1))
        let select = "SELECT id, a FROM animals ORDER BY id"
        #expect(try rows(at: 0) == ["1 1", "2 1"])
        #expect(try rows(at: before, select) == ["1 1", "2 1"])
        #expect(try rows(at: changed, select) == ["1 2"])
        #expect(try rows(at: changed.advanced(by: .milliseconds(1)), select) == ["1 2"])
        #expect(try rows(at: 4) == ["1 2", "2 3"])
        #expect(try rows(at: 9999) == ["1 2", "2 3"])
    }

    @Test func `a marked row looks as it did`() async throws {
        let stream = TimedFixture.animals(missing: .soft)
        try await timed.sync(0, stream, #"[{"id":1}]"#)
        try await timed.sync(1, stream, "[]")
        try await timed.sync(2, stream, #"[{"id":1}]"#)
        #expect(try rows(at: 0) == ["1 NULL"])
        #expect(try rows(at: 1) == ["1 '2026-01-31T08:01:00.000Z'"])
        #expect(try rows(at: 2) == ["1 NULL"])
    }

    @Test func `columns are those of the table, and compare as they do`() async throws {
        let stream = TimedFixture.animals()
        try await timed.sync(0, stream, #"[{"id":1,"code":"7","b":true,"r":5.0,"w":1}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"code":"8","b":false,"r":6.0,"w":"x1","late":1}]"#)
        #expect(try rows(at: 0) == ["1 '7' 1 5.0 1 NULL"])
        #expect(try rows(at: 1) == ["1 '8' 0 6.0 'x1' 1"])
        let sql = "SELECT count(*) FROM animals WHERE id = :id AND code = :code AND b = '1' AND r = '5'"
        let values: [String: Value] = ["id": .text("1"), "code": .integer(7)]
        #expect(try rows(at: WallClock.instant(0), sql, values) == ["1"])
        #expect(try rows(at: WallClock.instant(1), sql, values) == ["0"])
        let types = "SELECT typeof(id), typeof(code), typeof(b), typeof(r), typeof(w) FROM animals"
        #expect(try rows(at: 0, types) == ["'integer' 'text' 'integer' 'real' 'integer'"])
    }

    @Test func `digits survive whatever their column becomes`() async throws {
        let stream = TimedFixture.animals()
        try await timed.sync(0, stream, #"[{"id":1,"a":0.30000000000000004,"b":9223372036854775807}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":"x1","b":"y1"}]"#)
        #expect(try rows(at: 0) == ["1 0.30000000000000004 9223372036854775807"])
    }

    @Test func `a boolean stays one when its column becomes TEXT`() async throws {
        let stream = TimedFixture.animals()
        try await timed.sync(0, stream, #"[{"id":1,"a":7,"b":true}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":7,"b":false}]"#)
        try await timed.sync(2, stream, #"[{"id":1,"a":"x1","b":"yes1"}]"#)
        #expect(try [0, 1, 2].flatMap { try rows(at: $0) } == ["1 7 'true'", "1 7 'false'", "1 'x1' 'yes1'"])
    }

    @Test func `a key is found as it is spelled now`() async throws {
        let stream = TimedFixture.animals()
        try await timed.sync(0, stream, #"[{"id":1,"a":1}]"#)
        try await timed.sync(1, stream, #"[{"id":"x","a":1}]"#)
        #expect(try rows(at: 0, "SELECT a FROM animals WHERE id = 1") == ["1"])
    }

    @Test func `joins, groups and the present beside the past`() async throws {
        let plants = TimedFixture.animals(table: "plants")
        try await timed.sync(0, TimedFixture.animals(), #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await timed.sync(0, plants, #"[{"id":1,"p":"rose"}]"#)
        try await timed.sync(1, TimedFixture.animals(), #"[{"id":1,"a":5},{"id":2,"a":1}]"#)
        try await timed.sync(1, plants, #"[{"id":1,"p":"fern"}]"#)
        #expect(try rows(at: 0, "SELECT a, p FROM animals JOIN plants USING (id)") == ["1 'rose'"])
        #expect(try rows(at: 0, "SELECT a, count(*) FROM Animals GROUP BY a") == ["1 2"])
        #expect(
            try rows(at: 0, "SELECT id, now.a - past.a FROM animals AS past JOIN main.animals AS now USING (id)") == [
                "1 4", "2 0",
            ])
        #expect(try rows(at: 0, "SELECT count(*) FROM _garner_runs") == ["4"])
    }

    @Test func `a view of the owner sees what was`() async throws {
        try await timed.sync(0, TimedFixture.animals(), #"[{"id":1,"a":1}]"#)
        try timed.fixture.alter(
            "CREATE VIEW \"a view\" (x) AS SELECT a FROM animals; CREATE VIEW other AS SELECT x FROM \"a view\"")
        try await timed.sync(1, TimedFixture.animals(), #"[{"id":1,"a":2}]"#)
        #expect(try rows(at: 0, "SELECT x FROM \"a view\"") == ["1"])
        #expect(try rows(at: 0, "SELECT x FROM other") == ["1"])
    }

    @Test func `an odd name is a name`() async throws {
        let name = "o'clock \"x\""
        try await timed.sync(0, TimedFixture.animals(table: name), #"[{"id":1,"a \"b":1}]"#)
        try await timed.sync(1, TimedFixture.animals(table: name), #"[{"id":1,"a \"b":2}]"#)
        #expect(try rows(at: 0, "SELECT \"a \"\"b\" FROM \"o'clock \"\"x\"\"\"") == ["1"])
    }

    @Test func `a stream without versions is named, and only where it is asked about`() async throws {
        try await timed.sync(0, TimedFixture.animals(), #"[{"id":1}]"#)
        try await timed.sync(0, TimedFixture.animals(table: "plants", history: false), #"[{"id":1}]"#)
        #expect(try rows(at: 0) == ["1"])
        for sql in ["SELECT * FROM plants", "SELECT 1 FROM animals WHERE id IN (SELECT id FROM plants)"] {
            let error = #expect(throws: PersistenceError.self) { try rows(at: 0, sql) }
            #expect(error?.kind == .request)
            #expect(error?.message == "no versions of the rows of plants are kept")
            #expect(error?.hint.text?.contains("'history: true' for the stream zoo.plants") == true)
        }
        let other = #expect(throws: PersistenceError.self) { try rows(at: 0, "SELECT nowhere FROM animals") }
        #expect(other?.message.contains("no such column: nowhere") == true)
    }

    @Test(arguments: [-1, 1, 2] as [Int64])
    func `an instant in which no versions were kept is refused`(minute: Int64) async throws {
        try await timed.sync(0, TimedFixture.animals(), #"[{"id":1,"a":1}]"#)
        try await timed.sync(1, TimedFixture.animals(history: false), #"[{"id":1,"a":2}]"#)
        try await timed.sync(3, TimedFixture.animals(), #"[{"id":1,"a":3}]"#)
        let error = #expect(throws: PersistenceError.self) { try rows(at: minute) }
        #expect(error?.message.hasPrefix("what the rows of animals were at 2026-01-31T0") == true)
        #expect(
            error?.hint.text?.contains(
                "from 2026-01-31T08:00:00.000Z to 2026-01-31T08:01:00.000Z, and from 2026-01-31T08:03")
                == true)
        #expect(try rows(at: 0) == ["1 1"])
        #expect(try rows(at: 3) == ["1 3"])
    }

    @Test func `nothing can be written meanwhile`() async throws {
        try await timed.sync(0, TimedFixture.animals(), #"[{"id":1}]"#)
        let reader = try timed.reader()
        _ = try reader.viewing(asOf: WallClock.instant(0)) { try reader.rows("SELECT 1 FROM animals") }
        #expect(throws: (any Error).self) { try reader.connection.execute("CREATE TEMP TABLE t (a)") }
    }

    @Test func `the versions of one record come oldest first`() async throws {
        let stream = TimedFixture.animals(key: ["zoo", "id"], missing: .hard)
        try await timed.sync(0, stream, #"[{"zoo":"a","id":1,"a":1},{"zoo":"b","id":1,"a":9}]"#)
        try await timed.sync(1, stream, #"[{"zoo":"a","id":1,"a":2}]"#)
        try await timed.sync(2, stream, "[]")
        let reader = try timed.reader()
        let (t0, t1, t2) = ("'2026-01-31T08:00:00.000Z'", "'2026-01-31T08:01:00.000Z'", "'2026-01-31T08:02:00.000Z'")
        let versions = try reader.versions(in: "animals", key: ["a", "1"])
        #expect(versions.columns == ["_garner_valid_from", "_garner_valid_to", "_garner_run", "zoo", "id", "a"])
        #expect(try timed.rows(versions) == ["\(t0) \(t1) 1 'a' 1 1", "\(t1) \(t2) 2 'a' 1 2"])
        for key in [["a"], ["a", "2"], ["a", "one"]] {
            let error = #expect(throws: PersistenceError.self) { try reader.versions(in: "animals", key: key) }
            #expect(error?.kind == .request)
        }
    }

    @Test func `a record whose versions are not kept is refused with what to set`() async throws {
        try await timed.sync(0, TimedFixture.animals(history: false), #"[{"id":1}]"#)
        let error = #expect(throws: PersistenceError.self) { try timed.reader().versions(in: "animals", key: ["1"]) }
        #expect(error?.hint.text?.contains("'history: true' for the stream zoo.animals") == true)
    }
}
