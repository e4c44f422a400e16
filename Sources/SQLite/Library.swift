import CSQLite

/// The SQLite that this program runs with, which need not be the one that it was built with.
package enum Library {
    /// Such as `3.40.1`.
    package static var version: String { String(cString: sqlite3_libversion()) }

    /// The version with three digits for each part but the first: 3040001.
    package static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// Whether connections may be used from several threads at all.
    package static var isThreadSafe: Bool { sqlite3_threadsafe() != 0 }

    /// Whether it was compiled with an option, such as `ENABLE_FTS5`.
    package static func has(_ option: String) -> Bool { sqlite3_compileoption_used(option) != 0 }
}
