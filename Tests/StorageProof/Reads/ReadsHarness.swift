import FaultyStorage
import GarnerSQLite
import TestSupport

/// Counts the calls that a scan of a large table takes, and fails each of them.
struct ReadsHarness {
    let tally: Tally

    private static let rows: Int64 = 12_000
    private static let question = "SELECT sum(n * 7 + length(text)) FROM t"

    func run() async throws {
        try Storage.install()
        defer { Storage.uninstall() }
        let folder = try TemporaryFolder()
        let path = folder.path("large.db")
        let pages = try fill(path)
        let expected = try answer(at: path)
        for scan in Self.scans(pages: pages) { try await count(scan, at: path) }
        garner_storage_reset()
        _ = try answer(at: path)
        let calls = garner_storage_calls()
        for fault in [GARNER_FAULT_IO, GARNER_FAULT_SHORT] {
            for forEver in [false, true] {
                try fail(fault, of: calls, forEver: forEver, at: path, expecting: expected)
            }
        }
    }

    private struct Scan {
        let name: String
        let question: String
        /// The maximum number of reads.
        let reads: Int
    }

    private static func scans(pages: Int) -> [Scan] {
        [
            // Sixteen pages at once, after as many one by one; and those that lead to others.
            Scan(name: "one scan", question: question, reads: pages / 8),
            // A quarter of the pages, which the cache can hold: once past it, and once into it.
            Scan(
                name: "scans of the same",
                question: """
                    SELECT count(*) FROM (SELECT n FROM t LIMIT 100) AS a CROSS JOIN t AS b WHERE b.n < \(rows / 4)
                    """, reads: pages / 3),
            // As far as the cache goes, they might be in it.
            Scan(
                name: "the one before", question: "SELECT max(m) + (\(question)) FROM named", reads: pages * 3 / 4),
            // In the order of their keys, the pages that lead to others are among them.
            Scan(name: "keys of text", question: "SELECT sum(length(name) * m) FROM named", reads: pages / 4),
            Scan(
                name: "values with pages of their own",
                question: "SELECT sum(length(text)) FROM long", reads: pages / 4),
        ]
    }

    private func count(_ scan: Scan, at path: String) async throws {
        guard tally.begin(scan.name) else { return }
        let calls = CallCount { $0.kind == GARNER_CALL_READ && $0.file == GARNER_FILE_DATABASE }
        _ = try await Storage.observing {
            calls.note($0)
        } _: {
            try answer(scan.question, at: path)
        }
        if calls.value > scan.reads {
            tally.fail(scan.name, "it takes \(calls.value) reads instead of \(scan.reads) at most")
        }
    }

    /// Fails each of the calls of a scan.
    private func fail(
        _ fault: garner_storage_fault, of calls: Int64, forEver: Bool, at path: String, expecting expected: Int64
    ) throws {
        defer { garner_storage_reset() }
        for number in 1...calls {
            let name = "call \(number) \(fault == GARNER_FAULT_IO ? "eio" : "short")\(forEver ? " for ever" : "")"
            guard tally.begin(name) else { continue }
            garner_storage_reset()
            garner_storage_fail(number, fault, forEver ? 1 : 0)
            do {
                let found = try answer(at: path)
                if found != expected { tally.fail(name, "it finds \(found) instead of \(expected)") }
            } catch let error as SQLiteError where error.kind == .io || error.kind == .cannotOpen {
                // It was told.
            }
            if garner_storage_open_files() != 0 { tally.fail(name, "a file is still open") }
        }
    }

    /// Makes a table whose scan takes long; returns its pages.
    private func fill(_ path: String) throws -> Int {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(
            """
            PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO t SELECT i, hex(zeroblob(200 + i % 50)) FROM n;
            """)
        let pages = Int(try connection.integer("PRAGMA page_count") ?? 0)
        try connection.executeScript(
            """
            CREATE TABLE named (name TEXT PRIMARY KEY, m INTEGER) WITHOUT ROWID;
            INSERT INTO named SELECT printf('%0390d', n * 7919 % 12007), n FROM t;
            CREATE TABLE long (text TEXT);
            INSERT INTO long SELECT hex(zeroblob(10000)) FROM t LIMIT 200;
            VACUUM
            """)
        return pages
    }

    private func answer(_ question: String = question, at path: String) throws -> Int64 {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        return try connection.integer(question) ?? 0
    }
}
