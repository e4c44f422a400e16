import GarnerCatalog
import GarnerDatabase
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import Testing

/// Whatever changes the rows of a published table, the notes say so: a receiver that knows nothing else has the file's rows.
@Suite(.timeLimit(.minutes(3)))
struct PublicationTests {
    @Test(arguments: [nil, ["id"], ["id", "k"]], [MergeStrategy.upsert, .insertOnly])
    func `rows that come, change and go`(key: [String]?, strategy: MergeStrategy) async throws {
        let file = try NotedFile()
        var stream = NotedFile.stream(key: key, missing: .hard)
        stream.mergeStrategy = strategy
        try await file.sync(stream, #"[{"id":1,"k":"a","n":1},{"id":2,"k":"b","n":1}]"#, #"[{"id":3,"k":"c","n":0.5}]"#)
        try await file.publish()
        #expect(file.receiver.names == ["animals"])
        try await file.sync(stream, #"[{"id":1,"k":"a","n":2},{"id":2,"k":"b","n":1}]"#, #"[{"id":4,"k":"d","n":0.5}]"#)
        try await file.receive(makingAgain: [])
        try await file.sync(stream, #"[{"id":1,"k":"a","n":2},{"id":2,"k":"b","n":1}]"#, #"[{"id":4,"k":"d","n":0.5}]"#)
        try await file.receive(makingAgain: [])
        try await file.sync(stream, #"[{"id":2,"k":"b","n":"x","new":[1]},{"id":5,"k":"b"}]"#, "[]")
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT count(*) FROM animals") == ["2"])
    }

    @Test(arguments: [#""a""#, #""0.30000000000000004""#, "0.30000000000000004", "7.0", #""\u0000\"\\é""#])
    func `keys of deleted rows are exact`(key: String) async throws {
        let file = try NotedFile()
        for (table, columns) in [("one", ["id"]), ("two", ["id", "k"])] {
            let stream = NotedFile.stream(table, key: columns, missing: .hard)
            try await file.sync(stream, "[{\"id\":\(key),\"k\":\(key)},{\"id\":\"z\",\"k\":1}]")
            try await file.publish()
            try await file.sync(stream, #"[{"id":"z","k":1}]"#)
            try await file.receive(makingAgain: [])
            #expect(try file.rows("SELECT count(*) FROM \(table)") == ["1"])
        }
    }

    @Test func `marks of deletion, and rows that come again`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream(missing: .soft)
        try await file.sync(stream, #"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        try await file.publish()
        try await file.sync(stream, #"[{"id":"a"},{"id":"c"}]"#)
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT count(_garner_deleted_at) FROM animals") == ["1"])
        try await file.sync(stream, #"[{"id":"b","new":1}]"#)
        try await file.receive(makingAgain: [])
    }

    @Test(arguments: [true, false])
    func `a table without a key, appended to or replaced`(appends: Bool) async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream("visits", writing: appends ? .append : .replace)
        try await file.sync(stream, #"[{"n":1},{"n":1}]"#, #"[{"n":2}]"#)
        try await file.publish()
        try await file.sync(stream, #"[{"n":1}]"#, #"[{"n":3}]"#)
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT count(*) FROM visits") == [appends ? "5" : "2"])
    }

    @Test func `a table that a read replaces by its key`() async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream(writing: .replace)
        try await file.sync(stream, #"[{"id":"a","n":1},{"id":"b"}]"#, #"[{"id":"c"}]"#)
        try await file.publish()
        try await file.sync(stream, #"[{"id":"a","n":2}]"#, #"[{"id":"d"}]"#)
        try await file.receive(makingAgain: [])
    }

    @Test func `tables of arrays, of new ones, too`() async throws {
        let file = try NotedFile()
        var stream = NotedFile.stream(missing: .hard)
        stream.childTables = true
        try await file.sync(stream, #"[{"id":1,"v":[{"n":1},{"n":2}]},{"id":2,"v":[{"n":3}]}]"#)
        try await file.publish()
        #expect(file.receiver.names == ["animals", "animals__v"])
        try await file.sync(stream, #"[{"id":1,"v":[{"n":2}]},{"id":3,"v":[{"n":3},{"n":"x"}]}]"#)
        try await file.receive(makingAgain: [])
        try await file.sync(stream, #"[{"id":3,"v":[{"n":3}],"w":[{"a":[{"b":1}]}]}]"#)
        try await file.receive(makingAgain: [])
        try await file.publish()
        #expect(file.receiver.names.count > 2)
        try await file.sync(stream, #"[{"id":3,"v":[],"w":[{"a":[{"b":2}]},{"a":[]}]}]"#)
        try await file.receive(makingAgain: [])
        let reader = try OutboxReader(path: file.path)
        let tables = try reader.snapshot { try $0.tables() }
        #expect(Set(tables.map(\.stream)) == ["zoo.animals"])
        #expect(tables.filter { !$0.isChild }.map(\.name) == ["animals"])
    }

    @Test func `statements that pass rows by`() async throws {
        let file = try NotedFile()
        for key in ["id", "k"] {
            let stream = NotedFile.stream(key, key: [key])
            try await file.sync(stream, #"[{"id":1,"k":"a"},{"id":2,"k":"b"},{"id":3,"k":"c"}]"#)
            try await file.publish()
            try await file.change { connection in
                try connection.execute("CREATE UNIQUE INDEX others_\(key) ON \(key) (\(key == "id" ? "k" : "id"))")
            }
            try await file.receive(makingAgain: [])
            // It takes the place of two rows.
            try await file.change { try $0.execute("INSERT OR REPLACE INTO \(key) (id, k) VALUES (1, 'b')") }
            try await file.receive(makingAgain: [])
            #expect(try file.rows("SELECT id, k FROM \(key) ORDER BY id") == ["1 'b'", "3 'c'"])
            // A key that changes within its row makes the table again, also if the row goes then.
            let wholes: Set<String> = key == "k" ? [key] : []
            try await file.change { try $0.execute("UPDATE \(key) SET id = 7, k = 'z' WHERE k = 'c'") }
            try await file.receive(makingAgain: wholes)
            try await file.change { connection in
                try connection.execute("UPDATE \(key) SET id = 8, k = 'y' WHERE k = 'z'")
                try connection.execute("DELETE FROM \(key) WHERE k = 'y'")
            }
            try await file.receive(makingAgain: wholes)
            try await file.change { try $0.execute("DELETE FROM \(key)") }
            try await file.receive(makingAgain: [])
            #expect(try file.rows("SELECT count(*) FROM \(key)") == ["0"])
        }
    }

    @Test func `a savepoint that is undone`() async throws {
        struct Undone: Error {}
        let file = try NotedFile()
        let stream = NotedFile.stream(key: ["k"])
        try await file.sync(stream, #"[{"k":"a","n":1},{"k":"b","n":2}]"#)
        try await file.publish()
        try await file.change { connection in
            try connection.execute("UPDATE animals SET n = 5 WHERE k = 'b'")
            try? connection.transaction {
                try connection.execute("DELETE FROM animals")
                try connection.execute("INSERT INTO animals (k, n) VALUES ('c', 1), ('a', 7), ('d', 1)")
                throw Undone()
            }
            try connection.execute("INSERT INTO animals (k, n) VALUES ('e', 9)")
        }
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT k, n FROM animals ORDER BY k") == ["'a' 1", "'b' 5", "'e' 9"])
        await #expect(throws: Undone.self) {
            try await file.change { connection in
                try connection.execute("DELETE FROM animals")
                throw Undone()
            }
        }
        #expect(try file.rows("SELECT count(*) FROM _garner_outbox") == ["0"])
        try await file.change { try $0.execute("UPDATE animals SET n = 1") }
        try await file.receive(makingAgain: [])
    }

    @Test(arguments: [["id"], ["id", "part"]])
    func `a key that becomes text gives rows other numbers or keys`(key: [String]) async throws {
        let file = try NotedFile()
        let stream = NotedFile.stream(key: key)
        try await file.sync(stream, #"[{"id":5,"part":0},{"id":9,"part":0}]"#)
        try await file.publish()
        try await file.sync(stream, #"[{"id":"x","part":0},{"id":9,"part":0,"n":1}]"#)
        try await file.receive(makingAgain: ["animals"])
        try await file.sync(stream, #"[{"id":"y","part":0},{"id":9,"part":0,"n":2}]"#)
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT DISTINCT typeof(id) FROM animals") == ["'text'"])
    }

    @Test func `columns that get another type keep the numbers of rows`() async throws {
        let file = try NotedFile()
        var stream = NotedFile.stream(key: ["id"])
        let page = #"[{"id":1,"n":"5","t":1},{"id":2,"n":"x","t":2},{"id":3,"t":0.5}]"#
        try await file.sync(stream, page)
        try await file.publish()
        stream.fields.types = [.init(field: try #require(FieldPath("n")), type: .integer)]
        try await file.sync(stream, page)
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT n, _garner_rest FROM animals")[1].contains("x"))
        stream.fields.types = []
        stream.schemaContract.dataTypes = .evolve
        try await file.sync(stream, page.replacing("0.5", with: #""z""#))
        try await file.receive(makingAgain: [])
        #expect(try file.rows("SELECT DISTINCT typeof(t) FROM animals") == ["'text'"])
    }

    @Test func `fields that are removed with all their values`() async throws {
        let file = try NotedFile()
        var stream = NotedFile.stream()
        try await file.sync(stream, #"[{"id":1,"secret":"x"}]"#)
        try await file.publish()
        stream.fields.drop = [try #require(FieldPath("secret"))]
        var request = PruneRequest()
        request.hiddenFields = [try #require(HiddenFields(of: stream, among: [stream]))]
        request.patience = .zero
        await file.writer.close()
        let outcome = try DatabasePruning(of: file.path, request).run()
        #expect(outcome.dropped.count == 1)
        try await file.reopen()
        try await file.receive(makingAgain: ["animals"])
    }

    @Test func `a table or a stream that gets another name`() async throws {
        let file = try NotedFile()
        var stream = NotedFile.stream()
        stream.childTables = true
        try await file.sync(stream, #"[{"id":1,"v":[{"n":1}]}]"#)
        try await file.publish()
        stream.table = "beasts"
        try await file.sync(stream, #"[{"id":1,"v":[{"n":1}],"new":true},{"id":2,"v":[{"n":1}]}]"#)
        try await file.receive(makingAgain: [])
        #expect(file.receiver.names == ["beasts", "beasts__v"])
        try await file.sync(stream, #"[{"id":2,"v":[{"n":5}]}]"#)
        try await file.receive(makingAgain: [])
        // Rows that change under a name that was not known before.
        try await file.change { connection in
            try connection.execute("ALTER TABLE beasts RENAME TO creatures")
            try connection.execute("UPDATE _garner_streams SET table_name = 'creatures' WHERE table_name = 'beasts'")
            try connection.execute("UPDATE creatures SET new = 0")
        }
        try await file.receive(makingAgain: ["creatures"])
    }

    @Test func `a table that is moved to other pages`() async throws {
        let file = try NotedFile()
        try file.alter("PRAGMA auto_vacuum = FULL; VACUUM; CREATE TABLE mine (a)")
        try await file.sync(NotedFile.stream(), #"[{"id":1}]"#)
        try await file.publish()
        try await file.change { try $0.execute("DROP TABLE mine") }
        try await file.receive(makingAgain: [])
    }

    @Test func `a column that gets another name`() async throws {
        let file = try NotedFile()
        try await file.sync(NotedFile.stream(), #"[{"id":1,"n":1},{"id":2,"n":2}]"#)
        try await file.publish()
        try await file.writer.maintaining { connection in
            try connection.execute("ALTER TABLE animals RENAME COLUMN n TO m")
            try connection.execute("UPDATE _garner_columns SET name = 'm', path = '$.m' WHERE name = 'n'")
            return ((), [1])
        }
        try await file.receive(makingAgain: ["animals"])
    }

    @Test func `a dropped stream leaves no notes, and another one with its number begins anew`() async throws {
        let file = try NotedFile()
        try await file.sync(NotedFile.stream(), #"[{"id":1}]"#)
        try await file.publish()
        try await file.change { connection in
            try connection.execute("UPDATE animals SET id = 2")
            try connection.execute("DROP TABLE animals")
            for table in ["_garner_published", "_garner_outbox", "_garner_columns", "_garner_runs", "_garner_streams"] {
                try connection.execute("DELETE FROM \(table) WHERE stream_id = 1")
            }
        }
        try await file.sync(NotedFile.stream("cats"), #"[{"id":7}]"#)
        let reader = try OutboxReader(path: file.path)
        let tables = try reader.snapshot { try $0.tables() }
        #expect(tables.map(\.name) == ["cats"] && tables.map(\.id) == [1] && tables.map(\.position) == [nil])
        #expect(try file.rows("SELECT count(*) FROM _garner_outbox WHERE stream_id = 1") == ["0"])
    }

    @Test func `rows that other programs change are not noticed`() async throws {
        // Otherwise the comparison above would compare nothing.
        let file = try NotedFile()
        try await file.sync(NotedFile.stream(), #"[{"id":1,"n":1}]"#)
        try await file.publish()
        try file.alter("UPDATE animals SET n = 2")
        try await file.sync(NotedFile.stream("others"), #"[{"id":1,"n":1}]"#)
        _ = try file.receiver.receive()
        #expect(try file.receiver.differences().count == 1)
    }

    @Test(arguments: ["VACUUM", "CREATE TABLE mine (a)", "DROP TABLE visits; CREATE TABLE visits (n INTEGER)"])
    func `others change the schema`(sql: String) async throws {
        let file = try NotedFile()
        let (keyed, keyless) = (NotedFile.stream(key: ["k"]), NotedFile.stream("visits", writing: .append))
        try await file.sync(keyed, #"[{"k":"a"},{"k":"b"}]"#)
        try await file.sync(keyless, #"[{"n":1},{"n":2},{"n":3}]"#)
        try await file.publish()
        // Numbers with a gap, which VACUUM may close.
        try await file.change { try $0.execute("DELETE FROM animals WHERE k = 'a'") }
        try await file.change { try $0.execute("DELETE FROM visits WHERE n = 1") }
        try await file.receive(makingAgain: [])
        try file.alter(sql)
        try await file.sync(keyless, #"[{"n":4}]"#)
        // The rows of a table with a key that waits for nothing are known by it.
        try await file.receive(makingAgain: ["visits"])
        try await file.sync(keyed, #"[{"k":"c"}]"#)
        try file.alter("VACUUM")
        try await file.reopen()
        try await file.receive(makingAgain: ["animals", "visits"])
        try await file.sync(keyed, #"[{"k":"d"}]"#)
        try await file.sync(keyless, #"[{"n":4}]"#)
        try await file.reopen()
        try await file.receive(makingAgain: [])
    }

    @Test func `a writer that notes nothing`() async throws {
        let file = try NotedFile()
        try await file.sync(NotedFile.stream(), #"[{"id":1}]"#)
        try await file.publish()
        try await file.reopen()
        try await file.receive(makingAgain: [])
        try await file.reopen(isPublished: false)
        try await file.sync(NotedFile.stream(), #"[{"id":1,"n":1},{"id":2}]"#)
        #expect(try file.rows("SELECT count(*) FROM _garner_outbox") == ["0"])
        try await file.reopen()
        try await file.receive(makingAgain: ["animals"])
        try await file.reopen()
        try await file.receive(makingAgain: [])
    }

    @Test func `more changes than are kept`() async throws {
        let file = try NotedFile(mostNotes: 10)
        let stream = NotedFile.stream(key: ["k"], missing: .hard)
        func page(_ keys: some Sequence<Int>, _ n: Int = 0) -> String {
            "[\(keys.map { #"{"k":"\#($0)","n":\#(n)}"# }.joined(separator: ","))]"
        }
        try await file.sync(stream, page(0..<40))
        try await file.publish()
        // Neighbours are one note.
        try await file.sync(stream, page(0..<40, 1))
        try await file.receive(makingAgain: [])
        try await file.sync(stream, page(0..<12, 1))
        try await file.receive(makingAgain: ["animals"])
        for n in 2..<20 { try await file.sync(stream, page(0..<12, n)) }
        #expect(try file.rows("SELECT count(*) <= 10 FROM _garner_outbox WHERE stream_id = 1") == ["1"])
        try await file.receive(makingAgain: ["animals"])
        try await file.sync(stream, page(0..<12, 1))
        try await file.receive(makingAgain: [])
    }

    @Test func `without publish nothing is noted`() async throws {
        let file = try NotedFile(isPublished: false)
        try await file.sync(NotedFile.stream(), #"[{"id":1}]"#)
        try await file.writer.publish([1])
        let isPublished = await file.writer.isPublished
        #expect(!isPublished)
        let tables = ["publication", "publishers", "published", "outbox"]
        for table in tables { #expect(try file.rows("SELECT count(*) FROM _garner_\(table)") == ["0"]) }
        #expect(try ReadOnlyDatabase(path: file.path).publicationStatus() == nil)
    }
}
