import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct CountsTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func `inserted, updated and unchanged are exact`() async throws {
        let first = try await fixture.sync(.animals(), #"[{"id":1,"a":1},{"id":2,"a":2}]"#, #"[{"id":3,"a":null}]"#)
        #expect(first.counts.ofRecords == "3 inserted")
        let second = try await fixture.sync(
            .animals(), #"[{"id":1,"a":1},{"id":2,"a":null}]"#, #"[{"id":3,"a":3},{"id":4,"a":4}]"#)
        #expect(second.counts.ofRecords == "1 inserted, 2 updated, 1 unchanged")
        #expect(second.counts.pages == 2)
        #expect(second.counts.requests == 2)
        #expect(second.counts.bytes == 65)
        #expect(
            try fixture.rows("SELECT inserted, updated, unchanged, pages, bytes FROM _garner_runs WHERE run_id = 2")
                == ["1 2 1 2 65"])
    }

    @Test func `of two records with one key the last wins`() async throws {
        let run = try await fixture.sync(.animals(key: ["id"]), #"[{"id":1,"a":1},{"id":1,"a":2},{"id":1,"a":2}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 updated, 1 unchanged")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 2"])
    }

    @Test func `a member that is absent is set to NULL`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1,"b":2}]"#)
        #expect(try await fixture.sync(.animals(), #"[{"id":1,"b":2}]"#).counts.updated == 1)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 NULL 2"])
    }

    @Test func `members in another order are the same record`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":{"x":1,"y":2},"b":[{"d":1,"c":2}]}]"#)
        let run = try await fixture.sync(.animals(), #"[{"b":[{"c":2,"d":1}],"a":{"y":2,"x":1},"id":1}]"#)
        #expect(run.counts.ofRecords == "1 unchanged")
    }

    @Test func `what does not come through as it was written is noted with the run`() async throws {
        let fixture = try Fixture()
        let first = try await fixture.sync(.animals(), #"[{"id":1,"a":1,"a":2}]"#, #"[{"id":2,"a":"\ud800"}]"#)
        let warning = try #require(first.warning)
        #expect(warning.contains("a key twice"))
        #expect(warning.contains("U+FFFD"))
        #expect(try await fixture.sync(.animals(), #"[{"id":1,"a":2}]"#).warning == nil)
    }

    @Test func `a stream without a key appends`() async throws {
        try await fixture.sync(.animals(), #"[{"a":1},{"a":1}]"#)
        #expect(try await fixture.sync(.animals(), #"[{"a":1}]"#).counts.ofRecords == "1 inserted")
        #expect(try fixture.rows("SELECT a FROM animals") == ["1", "1", "1"])
    }

    @Test func `a stream that appends keeps every record`() async throws {
        let stream = StreamConfiguration.animals(writing: .append)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        #expect(try await fixture.sync(stream, #"[{"id":1}]"#).counts.ofRecords == "1 inserted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "1"])
    }

    @Test func `a trigger of the owner does not change the counts`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1},{"id":2,"a":2}]"#)
        try fixture.alter(
            """
            CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT);
            CREATE TRIGGER noted AFTER UPDATE ON animals BEGIN INSERT INTO audit (what) VALUES (NEW.id); END;
            CREATE TRIGGER announced BEFORE INSERT ON animals BEGIN INSERT INTO audit (what) VALUES ('new'); END;
            """)
        let run = try await fixture.sync(.animals(), #"[{"id":1,"a":5},{"id":2,"a":2},{"id":3,"a":3}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 updated, 1 unchanged")
        #expect(try fixture.rows("SELECT record_key, operation FROM _garner_changes") == ["1 'update'", "3 'insert'"])
    }

    /// The write-ahead log tells which pages of the file were written; `dbstat` tells which pages a table has.
    @Test func `reading the same again writes no page of the table or of its indexes`() async throws {
        let page =
            "["
            + (0..<2000).map { #"{"key":"animal \#($0)","weight":\#($0).5,"tags":[\#($0),"x"],"o":{"n":null}}"# }
            .joined(separator: ",") + "]"
        for missing in [DeleteMissing.ignore, .soft, .hard] {
            let stream = StreamConfiguration.animals(table: "animals_\(missing)", missing: missing)
            try await fixture.sync(stream, page)
            try fixture.alter("PRAGMA wal_checkpoint(TRUNCATE)")
            #expect(try writtenPages().isEmpty)
            // What somebody reads keeps the log from being emptied.
            let reader = try Connection(path: fixture.path, mode: .readOnly)
            try reader.executeScript("BEGIN; SELECT count(*) FROM sqlite_schema")
            defer { reader.close() }
            let run = try await fixture.sync(stream, page)
            #expect(run.counts.ofRecords == "2000 unchanged")
            let written = try writtenPages()
            #expect(!written.isEmpty)  // the run itself
            let pages = try fixture.rows(
                """
                SELECT pageno FROM dbstat WHERE name = '\(stream.table)' OR name = '_garner_members'
                OR name = 'sqlite_autoindex_\(stream.table)_1'
                """)
            #expect(pages.count > 10)
            #expect(written.isDisjoint(with: pages))
        }
    }

    /// "the WAL header is 32 bytes … each frame consists of a 24-byte frame-header followed by a page-size bytes of page
    /// data", whose first four bytes are the page number (sqlite.org/fileformat2.html#walformat).
    private func writtenPages() throws -> Set<String> {
        let log = [UInt8](try Data(contentsOf: URL(filePath: fixture.path + "-wal")))
        let size = try #require(Int(try fixture.rows("PRAGMA page_size").first ?? ""))
        return Set(
            stride(from: 32, to: log.count, by: 24 + size).map { frame in
                String(log[frame..<frame + 4].reduce(0) { $0 << 8 | Int($1) })
            })
    }
}
