import CSQLite

/// What a statement that only reads may do, of all that an authorizer is asked (sqlite.org/c3ref/c_alter_table.html).
enum ReadingRules {
    /// nil where it may; else what it would do, as words behind "the query would".
    static func refusal(of action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> String? {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: nil
        case SQLITE_FUNCTION: refusal(ofFunction: text(second))
        case SQLITE_PRAGMA: refusal(ofPragma: text(first), hasValue: second != nil)
        // A table-valued function makes itself known by an update of the schema that is never run. One that a user
        // writes fails before anything is asked here: "table sqlite_master may not be modified".
        case SQLITE_UPDATE where text(first) == "sqlite_master": nil
        case SQLITE_ATTACH, SQLITE_DETACH: "attach or detach a database"
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: "begin or end a transaction"
        default: "change the database"
        }
    }

    private static func text(_ name: UnsafePointer<CChar>?) -> String {
        name.map { String(cString: $0).lowercased() } ?? ""
    }

    private static func refusal(ofFunction name: String) -> String? {
        foreignFunctions.contains(name) ? "call \(name)(), which is not allowed in queries" : nil
    }

    private static func refusal(ofPragma name: String, hasValue: Bool) -> String? {
        if aboutTables.contains(name) || (!hasValue && aboutTheFile.contains(name)) { return nil }
        return "run PRAGMA \(name)\(hasValue ? " with a value" : ""), which is none of those that only read"
    }

    /// What reaches files, memory or programs outside of the database, in SQLite, its extensions or its shell.
    private static let foreignFunctions: Set<String> = [
        "edit", "eval", "fsdir", "fts3_tokenizer", "load_extension", "lsmode", "readfile", "rtreecheck", "writefile",
    ]

    /// Pragmas whose value only says what they are asked about.
    private static let aboutTables: Set<String> = [
        "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
        "quick_check", "table_info", "table_list", "table_xinfo",
    ]

    /// Pragmas that only read where they have no value.
    private static let aboutTheFile: Set<String> = [
        "application_id", "collation_list", "compile_options", "data_version", "database_list", "encoding",
        "foreign_keys", "freelist_count", "function_list", "module_list", "page_count", "page_size", "pragma_list",
        "query_only", "schema_version", "user_version",
    ]
}
