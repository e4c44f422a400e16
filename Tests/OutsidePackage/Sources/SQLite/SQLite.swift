internal import CSQLite

public enum SQLite { public static var version: String { String(cString: sqlite3_libversion()) } }
