import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport

/// Reads the same again, whole and as a server says that nothing has changed, and looks at which pages were written.
struct PagesHarness {
    let tally: Tally

    private static let streams = [
        stream("animals") { $0.deleteMissing = .hard }, stream("keepers"), stream("feedings", parent: "animals"),
        stream("homes") { $0.childTables = true }, stream("stocks") { $0.writeDisposition = .replace },
        stream("sightings") {
            $0.dedupes = true
            $0.primaryKey = nil
        }, stream("lives") { $0.history = true }, stream("tales") { $0.search = ["name"] },
    ]
    /// The prefixes of the names of the tables and indexes that these streams have beside their main table.
    private static let companions = [
        "_garner_members", "homes__toys", "_garner_history_lives", "_garner_versions_", "_garner_search_", "by_",
    ]
    /// The number of records of every stream.
    private static let records = 600

    func run() async throws {
        try Storage.install()
        defer { Storage.uninstall() }
        let folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        let writer = try ScenarioRun.open(path)
        for stream in Self.streams { _ = try await read(stream, isUnchanged: false, into: writer) }
        // As their owner might.
        try alter(
            path,
            """
            CREATE INDEX by_weight ON animals (weight); CREATE INDEX by_name ON keepers (name, id);
            CREATE INDEX by_what ON homes__toys (what)
            """)
        for isUnchanged in [false, true] {
            for stream in Self.streams {
                let name = "\(stream.table) \(isUnchanged ? "not modified" : "the same")"
                guard tally.begin(name) else { continue }
                try alter(path, "PRAGMA wal_checkpoint(TRUNCATE)")
                let written = WrittenPages()
                let counts = try await Storage.observing {
                    written.note($0)
                } _: {
                    try await read(stream, isUnchanged: isUnchanged, into: writer)
                }
                if let problem = try problem(written.all, counts, at: path) { tally.fail(name, problem) }
            }
        }
        await writer.close()
    }

    private func problem(_ written: Set<Int>, _ counts: RunCounts, at path: String) throws -> String? {
        let owners = try owners(at: path)
        if written.isEmpty { return "not even the run was written" }
        let unknown = (Self.streams.map(\.table) + Self.companions).filter { name in
            !owners.values.contains { $0.hasPrefix(name) }
        }
        if !unknown.isEmpty || owners.count < 50 { return "of \(unknown) no page is known, but \(owners)" }
        let touched = Set(written.compactMap { owners[$0] })
        guard touched.isEmpty else { return "pages of these were written: \(touched.sorted())" }
        return counts.unchanged == Self.records ? nil : "it counts \(counts)"
    }

    /// Returns the table or index that each page belongs to, among those of a stream, of its arrays, its versions and
    /// its search, and of the members of its pages.
    private func owners(at path: String) throws -> [Int: String] {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        let pages = try connection.rows(
            """
            SELECT pageno, dbstat.name FROM dbstat JOIN sqlite_schema USING (name)
            WHERE tbl_name IN (SELECT table_name FROM _garner_streams) OR tbl_name = '_garner_members'
            OR tbl_name LIKE '@_garner@_history@_%' ESCAPE '@' OR tbl_name LIKE '@_garner@_search@_%' ESCAPE '@'
            """
        ) { (Int($0.integer(at: 0)), $0.text(at: 1)) }
        return Dictionary(uniqueKeysWithValues: pages)
    }

    private func alter(_ path: String, _ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    /// One complete read, each slice of which is one page.
    private func read(_ stream: StreamConfiguration, isUnchanged: Bool, into writer: DatabaseWriter) async throws
        -> RunCounts
    {
        let run = try await writer.begin(stream, identity: "all")
        _ = try await writer.openRead(of: run)
        let slices = try await writer.slices(of: run, limit: Self.records)
        var counts = RunCounts()
        for slice in slices {
            let position = slice.bindings.values.sorted().joined(separator: "/")
            let json = Self.page(Self.records / slices.count, of: stream)
            let selection = try Selector(parsing: "$[*]").select(in: try Document(parsing: Bytes(json.utf8)))
            let page = PageCommit(
                content: isUnchanged ? .unchanged : .records(selection),
                facts: PageFacts(memory: CachedPage(validator: "\"1\"", fingerprint: nil, summary: "{}")),
                position: position, slice: slice.id, added: slice.added, continuation: .complete,
                url: "https://api.example.org/\(stream.table)", requests: [])
            counts = try await writer.commit(page, to: run).counts
        }
        return counts
    }

    private static func page(_ count: Int, of stream: StreamConfiguration) -> String {
        let records = (0..<count).map { number in
            let id = stream.table == "keepers" ? "\"keeper \(number)\"" : "\(number)"
            return
                #"{"id":\#(id),"name":"name \#(number)","weight":\#(number).5,"tags":[1.0,"x"],"home":{"land":null},"#
                + #""toys":[{"n":1,"what":"ball"},{"n":2}]}"#
        }
        return "[\(records.joined(separator: ","))]"
    }

    private static func stream(
        _ name: String, parent: String? = nil, _ configure: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: name), table: name,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(
                baseURL: "https://api.example.org/", path: parent.map { "\($0)/{parent.id}/\(name)" } ?? name),
            primaryKey: parent == nil ? ["id"] : nil,
            parent: parent.map { Parent(stream: StreamName(source: "zoo", stream: $0), include: ["id"]) })
        configure(&stream)
        return stream
    }
}
