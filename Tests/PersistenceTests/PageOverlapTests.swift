import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// The rules for pages that count as unchanged without being read.
struct PageOverlapTests {
    let fixture: Fixture
    private let stream = StreamConfiguration.animals()

    init() throws { fixture = try Fixture() }

    @Test func `pages of records that no other page has are remembered`() async throws {
        #expect(try await known(after: #"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#) == [1, 2])
    }

    @Test func `while a record is on two pages none is remembered`() async throws {
        let pages = [#"[{"id":1,"n":"a"},{"id":2}]"#, #"[{"id":1,"n":"b"}]"#]
        #expect(try await known(after: pages) == [])
        #expect(try await known(after: pages) == [])
        #expect(try await known(after: #"[{"id":2}]"#, #"[{"id":1,"n":"b"}]"#) == [1, 2])
    }

    private static let kept: [(String, [String])] = [
        ("other values", [#"[{"id":1,"n":1},{"id":2}]"#, #"[{"id":3}]"#]),
        ("a new record at the end", [#"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":4}]"#]),
        ("a new page", [#"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#, #"[{"id":4}]"#]),
    ]

    @Test(arguments: kept)
    func `cached pages stay valid while no record is on two pages`(change: String, pages: [String]) async throws {
        _ = try await known(after: #"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#)
        #expect(try await known(after: pages) == Array(1...pages.count))
    }

    @Test func `the only page stays known whatever becomes of its records`() async throws {
        _ = try await known(after: #"[{"id":1},{"id":2}]"#)
        #expect(try await known(after: #"[{"id":2}]"#) == [1])
    }

    private static let lost: [(String, [String])] = [
        ("a record that moved", [#"[{"id":1},{"id":2},{"id":3}]"#, "[]"]),
        ("a record in front", [#"[{"id":9},{"id":1},{"id":2}]"#, #"[{"id":3}]"#]),
        ("a record that is gone", [#"[{"id":1}]"#, #"[{"id":3}]"#]),
        ("another order", [#"[{"id":2},{"id":1}]"#, #"[{"id":3}]"#]),
        ("a record twice", [#"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":1}]"#]),
    ]

    @Test(arguments: lost)
    func `pages that were all read stay known, unless a record came twice`(change: String, pages: [String])
        async throws
    {
        let isApart = change != "a record twice"
        _ = try await known(after: #"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#)
        #expect(try await known(after: pages) == (isApart ? [1, 2] : []))
    }

    @Test(arguments: lost)
    func `behind a page that was not read, a page with records that another may have is a reason to read all once`(
        change: String, pages: [String]
    ) async throws {
        let (before, after) = (#"[{"id":7},{"id":8}]"#, pages.map(Optional.some))
        _ = try await known(after: before, #"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#)
        #expect(try await known(reading: [nil] + after) == [])
        let isApart = change != "a record twice"
        #expect(try await known(reading: [before] + after) == (isApart ? [1, 2, 3] : []))
    }

    @Test func `pages at a new address are known once all were read`() async throws {
        let pages = [#"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#]
        _ = try await known(after: pages)
        #expect(try await known(reading: pages, at: "new") == [1, 2])
        #expect(try await known(reading: [], at: "page") == [])
    }

    @Test func `a read that goes on with an earlier one does not tell that all pages are apart`() async throws {
        _ = try await known(after: #"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#)
        let begun = try await fixture.writer.beginReading(stream, identity: "i")
        _ = try await fixture.writer.commit(remembering(#"[{"id":2}]"#, 1, .next("page=2")), to: begun)
        _ = try await fixture.writer.end(run: begun.id, as: .cancelled)
        let resumed = try await fixture.writer.beginReading(stream, identity: "i")
        #expect(resumed.resumeAt == "page=2")
        try await fixture.writer.commitLast(remembering(#"[{"id":3}]"#, 2, .complete), to: resumed)
        #expect(try await known() == [])
    }

    @Test(arguments: ["UPDATE animals SET n = 'x' WHERE id = 1", "DELETE FROM animals WHERE id = 3"])
    func `what someone else does to the rows makes every page unknown`(change: String) async throws {
        let pages = [#"[{"id":1,"n":"a"},{"id":2}]"#, #"[{"id":3}]"#]
        _ = try await known(after: pages)
        try fixture.alter(change)
        #expect(try await known() == [])
        #expect(try await known(after: pages) == [1, 2])
        #expect(try fixture.rows("SELECT id, n FROM animals") == ["1 'a'", "2 NULL", "3 NULL"])
    }

    /// What other tools do to a table, after which nothing tells of a change to its rows.
    private static let unnoticed = [
        """
        CREATE TABLE new (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO new SELECT id, 'x' FROM animals;
        DROP TABLE animals; ALTER TABLE new RENAME TO animals
        """,
        """
        ALTER TABLE animals RENAME TO old; CREATE TABLE animals (id INTEGER PRIMARY KEY, n TEXT);
        INSERT INTO animals SELECT id, 'x' FROM old
        """,
        "DROP TRIGGER _garner_touched_1_update; UPDATE animals SET n = 'x'",
        "DROP TRIGGER _garner_touched_1_delete; DELETE FROM animals",
    ]

    @Test(arguments: unnoticed)
    func `a table that lacks a trigger may have other rows, until the next sync makes the triggers`(change: String)
        async throws
    {
        let pages = [#"[{"id":1,"n":"a"},{"id":2}]"#, #"[{"id":3}]"#]
        _ = try await known(after: pages)
        try fixture.alter(change)
        #expect(try await known() == [])
        #expect(try await known(after: pages) == [1, 2])
        #expect(try fixture.rows("SELECT id, n FROM animals ORDER BY id") == ["1 'a'", "2 NULL", "3 NULL"])
        try fixture.alter("UPDATE animals SET n = 'y' WHERE id = 2")
        #expect(try await known() == [])
    }

    /// Indexes of the owner's, with an insert that replaces a row by them.
    private static let replacing = [
        ("(n)", "INSERT OR REPLACE INTO animals (id, n) VALUES (7, 'a')"),
        ("(n COLLATE NOCASE)", "REPLACE INTO animals (id, n) VALUES (7, 'A')"),
        ("(m, n)", "REPLACE INTO animals (id, m, n) VALUES (7, 5, 'a')"),
        ("(lower(n))", "REPLACE INTO animals (id, n) VALUES (7, 'A')"),
        ("(n) WHERE m > 1", "REPLACE INTO animals (id, m, n) VALUES (7, 6, 'a')"),
    ]

    @Test(arguments: replacing)
    func `an insert that replaces a row by another unique index makes every page unknown`(
        index: String, insert: String
    ) async throws {
        let pages = [#"[{"id":1,"n":"a","m":5},{"id":2,"n":"b","m":5}]"#, #"[{"id":3,"n":"c"}]"#]
        _ = try await known(after: pages)
        try fixture.alter("CREATE UNIQUE INDEX mine ON animals \(index)")
        _ = try await known(after: pages)
        #expect(try await known() == [1, 2])
        try fixture.alter(insert)
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY id") == ["2", "3", "7"])
        #expect(try await known() == [])
    }

    @Test func `an index that came since the last sync may have replaced a row`() async throws {
        _ = try await known(after: #"[{"id":1,"n":"a"}]"#, #"[{"id":2,"n":"b"}]"#)
        try fixture.alter("CREATE UNIQUE INDEX mine ON animals (n); REPLACE INTO animals (id, n) VALUES (7, 'a')")
        #expect(try await known() == [])
    }

    @Test func `a row that the owner adds leaves the pages known, also beside an index of the owner's`() async throws {
        let pages = [#"[{"id":1,"n":"a"}]"#, #"[{"id":2,"n":"b"}]"#]
        _ = try await known(after: pages)
        try fixture.alter("CREATE UNIQUE INDEX mine ON animals (n)")
        _ = try await known(after: pages)
        try fixture.alter("INSERT OR REPLACE INTO animals (id, n) VALUES (7, 'x')")
        #expect(try await known() == [1, 2])
    }

    @Test func `a table of arrays that someone has made anew may have other rows`() async throws {
        var stream = stream
        stream.childTables = true
        let reading = stream
        let json = #"[{"id":1,"v":[{"n":1},{"n":2}]}]"#
        var page = try PageCommit.page(json, 1, .complete)
        page.memory = CachedPage(validator: "v", fingerprint: nil, summary: "s")
        func memory(after change: String) async throws -> CachedPage? {
            let read = try await fixture.writer.beginReading(reading, identity: "i")
            try await fixture.writer.commitLast(page, to: read)
            try fixture.alter(change)
            let next = try await fixture.writer.beginReading(reading, identity: "i")
            let memory = try await fixture.writer.memory(of: "page=1", for: next.id)
            _ = try await fixture.writer.end(run: next.id, as: .cancelled)
            return memory
        }
        #expect(try await memory(after: "SELECT 1") != nil)
        let change = """
            CREATE TABLE new (_parent_id INTEGER, _index INTEGER, n INTEGER, PRIMARY KEY (_parent_id, _index));
            INSERT INTO new SELECT _parent_id, _index, 7 FROM animals__v;
            DROP TABLE animals__v; ALTER TABLE new RENAME TO animals__v
            """
        #expect(try await memory(after: change) == nil)
        #expect(try await memory(after: "SELECT 1") != nil)
        #expect(try fixture.rows("SELECT n FROM animals__v") == ["1", "2"])
        #expect(try await memory(after: "UPDATE animals__v SET n = 7") == nil)
    }

    @Test func `a record that comes to two pages is found out although someone else was there`() async throws {
        _ = try await known(after: #"[{"id":1,"n":"a"}]"#, #"[{"id":2}]"#)
        try fixture.alter("UPDATE animals SET n = 'x' WHERE id = 1")
        #expect(try await known(after: #"[{"id":1,"n":"a"}]"#, #"[{"id":2},{"id":1,"n":"b"}]"#) == [])
    }

    @Test(arguments: [DeleteMissing.soft, .hard])
    func `what a run does itself leaves the pages known`(way: DeleteMissing) async throws {
        let stream = StreamConfiguration.animals(missing: way)
        _ = try await known(of: stream, after: [#"[{"id":1,"n":1},{"id":2}]"#, #"[{"id":3}]"#, #"[{"id":4}]"#])
        #expect(
            try await known(of: stream, after: [#"[{"id":1,"n":2},{"id":2}]"#, #"[{"id":3}]"#]) == [1, 2])
    }

    @Test func `a column that becomes a text makes the pages unknown whose values it spells anew`() async throws {
        let pages = [#"[{"id":1,"n":7}]"#, #"[{"id":2},{"id":3,"n":1.5}]"#, #"[{"id":4}]"#]
        #expect(try await known(after: pages) == [1, 2, 3])
        let widened = [pages[0], #"[{"id":2},{"id":3,"n":"x1"}]"#, pages[2]]
        // Page 3 was stored after the column had become a text.
        #expect(try await known(after: widened) == [3])
        #expect(try await known(after: widened) == [1, 2, 3])
        #expect(try fixture.rows("SELECT n FROM animals ORDER BY id") == ["'7'", "NULL", "'x1'", "NULL"])
    }

    @Test func `a composite key is one whatever the order of its members`() async throws {
        let stream = StreamConfiguration.animals(key: ["a", "b"])
        let pages = [#"[{"a":1,"b":2}]"#, #"[{"b":2,"a":1}]"#]
        _ = try await known(of: stream, after: pages)
        #expect(try await known(of: stream, after: pages) == [])
    }

    /// The numbers of the pages that the next run is told of.
    private func known(of stream: StreamConfiguration? = nil, after pages: String...) async throws -> [Int] {
        try await known(of: stream, after: pages)
    }

    private func known(of stream: StreamConfiguration? = nil, after pages: [String]) async throws -> [Int] {
        try await known(of: stream, reading: pages)
    }

    /// - Parameters:
    ///   - pages: The pages of a read before; nil for one that came as it was stored.
    ///   - place: The beginning of the pages' positions.
    private func known(
        of stream: StreamConfiguration? = nil, reading pages: [String?], at place: String = "page"
    ) async throws -> [Int] {
        let stream = stream ?? self.stream
        if !pages.isEmpty {
            let run = try await fixture.writer.beginReading(stream, identity: "i")
            for (index, page) in pages.enumerated() {
                let isLast = index == pages.count - 1
                var commit = try remembering(
                    page ?? "[]", index + 1, isLast ? .complete : .next("\(place)=\(index + 2)"), at: place)
                if page == nil { (commit.content, commit.memory) = (.unchanged, nil) }
                if isLast {
                    try await fixture.writer.commitLast(commit, to: run)
                } else {
                    _ = try await fixture.writer.commit(commit, to: run)
                }
            }
        }
        let run = try await fixture.writer.begin(stream, identity: "i")
        var known: [Int] = []
        for number in 1...4 where try await fixture.writer.memory(of: "\(place)=\(number)", for: run) != nil {
            known.append(number)
        }
        _ = try await fixture.writer.end(run: run, as: .cancelled)
        return known
    }

    private func remembering(
        _ json: String, _ number: Int, _ continuation: PageCommit.Continuation, at place: String = "page"
    ) throws -> PageCommit {
        var page = try PageCommit.page(json, number, continuation)
        page.position = "\(place)=\(number)"
        page.memory = CachedPage(validator: nil, fingerprint: "\(json.hashValue)", summary: "{}")
        return page
    }
}
