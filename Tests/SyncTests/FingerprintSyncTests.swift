import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Syncs of a server that says nothing about what has changed.
@Suite(.timeLimit(.minutes(5)))
struct FingerprintSyncTests {
    /// Page 1 stays the same, byte for byte, while page 2 has its record for a time.
    @Test func `a record that another page had for a time is as its own page says`() async throws {
        let second = Watched(#"{"id":2,"name":"own"}"#)
        try await SyncRig.run({ request in
            request.page == 1
                ? .json(#"{"data":[{"id":1,"name":"own"}],"next":"?page=2"}"#)
                : .json(#"{"data":[\#(second.value)],"next":null}"#)
        }) { rig in
            _ = try await rig.sync()
            second.value = #"{"id":2,"name":"own"},{"id":1,"name":"other"}"#
            _ = try await rig.sync()
            #expect(try rig.texts("SELECT name FROM animals") == ["other", "own"])
            second.value = #"{"id":2,"name":"own"}"#
            for _ in 1...3 { _ = try await rig.sync() }
            #expect(try rig.texts("SELECT name FROM animals") == ["own", "own"])
        }
    }

    /// Page 1 stays the same, byte for byte, while a value on page 2 makes the column a text.
    @Test(arguments: [("7", "1.5"), ("false", "0.5"), ("-0", "1"), ("true", "2"), ("1e2", "0.5")])
    func `a page that did not change is spelled as its source after a column has become a text`(
        value: String, other: String
    ) async throws {
        let second = Watched(#"{"id":2,"a":\#(other)}"#)
        try await SyncRig.run({ request in
            request.page == 1
                ? .json(#"{"data":[{"id":1,"a":\#(value)}],"next":"?page=2"}"#)
                : .json(#"{"data":[\#(second.value)],"next":null}"#)
        }) { rig in
            _ = try await rig.sync()
            second.value = #"{"id":2,"a":"x1"}"#
            _ = try await rig.sync()
            _ = try await rig.sync()
            #expect(try rig.texts("SELECT a FROM animals ORDER BY id") == [value, "x1"])
            #expect(try await rig.sync().counts.unchanged == 2)
        }
    }

    @Test func `records before the one that makes a column a text are spelled as their source by the next sync`()
        async throws
    {
        let records = Watched(#"{"id":1,"a":1.5}"#)
        try await SyncRig.run({ _ in .json(#"{"data":[\#(records.value)]}"#) }) { rig in
            _ = try await rig.sync()
            records.value = #"{"id":1,"a":1.5},{"id":2,"a":7},{"id":3,"a":"x1"}"#
            _ = try await rig.sync()
            _ = try await rig.sync()
            #expect(try rig.texts("SELECT a FROM animals ORDER BY id") == ["1.5", "7", "x1"])
        }
    }

    @Test func `arrays on a page that did not change are in the table that other arrays have made`() async throws {
        let second = Watched(#"{"id":2,"tags":[]}"#)
        try await SyncRig.run({ request in
            request.page == 1
                ? .json(#"{"data":[{"id":1,"tags":[]}],"next":"?page=2"}"#)
                : .json(#"{"data":[\#(second.value)],"next":null}"#)
        }) { rig in
            let stream = rig.stream { $0.childTables = true }
            _ = try await rig.sync(stream)
            #expect(try rig.texts("SELECT tags FROM animals") == ["[]", "[]"])
            second.value = #"{"id":2,"tags":[{"t":1}]}"#
            _ = try await rig.sync(stream)
            _ = try await rig.sync(stream)
            #expect(try rig.texts("SELECT coalesce(tags, 'none') FROM animals") == ["none", "none"])
            #expect(try rig.texts("SELECT t FROM animals__tags") == ["1"])
        }
    }

    @Test func `rows that someone has changed are as the source says again`() async throws {
        try await SyncRig.run({ .page($0.page, of: 2) }) { rig in
            _ = try await rig.sync()
            let before = try rig.texts("SELECT name FROM animals")
            try rig.alter("UPDATE animals SET name = 'changed'; DELETE FROM animals WHERE id = 2")
            let outcome = try await rig.sync()
            #expect([outcome.counts.inserted, outcome.counts.updated] == [1, 3])
            #expect(try rig.texts("SELECT name FROM animals") == before)
        }
    }

    @Test func `what someone changes is noticed in a table that was made anew beside the renamed one, too`()
        async throws
    {
        try await SyncRig.run({ .page($0.page, of: 2) }) { rig in
            _ = try await rig.sync()
            try rig.alter("ALTER TABLE animals RENAME TO animals_2025")
            #expect(try await rig.sync().counts.inserted == 4)
            let before = try rig.texts("SELECT name FROM animals")
            try rig.alter("UPDATE animals SET name = 'changed'")
            #expect(try await rig.sync().counts.updated == 4)
            #expect(try rig.texts("SELECT name FROM animals") == before)
            try rig.alter("UPDATE animals_2025 SET name = 'theirs'")
            #expect(try await rig.sync().counts.unchanged == 4)
        }
    }
}
