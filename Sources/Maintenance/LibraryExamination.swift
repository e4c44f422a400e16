import GarnerPersistence
import GarnerModel
import GarnerSQLite

/// Checks the version of SQLite.
package struct LibraryExamination {
    /// The version as `Library.versionNumber` returns it.
    private let version: Int

    package init(version: Int = Library.versionNumber) { self.version = version }

    package func findings() -> [Finding] { [versionFinding, threads, search] }

    private var versionFinding: Finding {
        let name = "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
        guard version >= 3_037_000 else {
            return .problem(
                "sqlite_version", "SQLite \(name) does not support STRICT tables", hint: "install SQLite 3.37 or newer")
        }
        let remarks = Defect.all.filter { $0.isIn(version) }.map { "; \($0.remark)" }.joined()
        return .ok("sqlite_version", "SQLite \(name)\(remarks)")
    }

    private var threads: Finding {
        Library.isThreadSafe
            ? .ok("sqlite_threads", "SQLite may be called from several threads")
            : .problem(
                "sqlite_threads", "SQLite was compiled with THREADSAFE=0, so several threads may corrupt a database",
                hint: "install an SQLite that was compiled with THREADSAFE=1 or 2")
    }

    private var search: Finding {
        Library.has("ENABLE_FTS5")
            ? .ok("sqlite_search", "SQLite has FTS5")
            : .warning(
                "sqlite_search", "SQLite was compiled without FTS5, which full-text search needs",
                hint: "install an SQLite that was compiled with ENABLE_FTS5")
    }
}

/// A defect of some versions of SQLite that affects Garner (sqlite.org/chronology.html, sqlite.org/cves.html).
private struct Defect {
    let first: Int
    let fixed: Int
    /// The corrected versions of older branches, from the corrected one up to the next branch.
    var branches: [Range<Int>] = []
    let remark: String

    func isIn(_ version: Int) -> Bool {
        version >= first && version < fixed && !branches.contains { $0.contains(version) }
    }

    static let all = [
        // sqlite.org/wal.html, section 11
        Defect(
            first: 3_007_000, fixed: 3_051_003, branches: [3_044_006..<3_045_000, 3_050_007..<3_051_000],
            remark:
                "its WAL-reset defect (corrected in 3.51.3) needs two connections that write or checkpoint at once, and "
                + "Garner has one: let no other program write to the database"),
        Defect(
            first: 3_000_000, fixed: 3_050_002,
            remark:
                "unless your system has corrected CVE-2025-6965 in it (SQLite has in 3.50.2), run no SQL that you do not "
                + "trust"),
    ]
}
