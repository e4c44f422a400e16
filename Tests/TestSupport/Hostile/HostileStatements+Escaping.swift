extension HostileStatements {
    /// Statements that would reach other files, programs or settings.
    static let escapingFamilies: [Family] = [
        Family(name: "attach") { generator in
            let path = generator.path()
            return generator.pick([
                "ATTACH '\(path)' AS x", "ATTACH DATABASE '\(path)' AS main", "DETACH main", "DETACH DATABASE temp",
                "ATTACH (SELECT '\(path)') AS x KEY 'a'", "ATTACH :memory AS x",
            ])
        },
        Family(name: "pragma") { generator in
            let name = generator.pick(pragmas)
            let value = generator.pick([
                "1", "0", "ON", "OFF", "RESET", "DELETE", "TRUNCATE", "'\(generator.path())'", "-1", "EXCLUSIVE",
                "animals",
            ])
            return generator.pick([
                "PRAGMA \(name)", "PRAGMA \(name) = \(value)", "PRAGMA main.\(name)(\(value))",
                "PRAGMA temp.\(name) = \(value)",
                "SELECT * FROM pragma_\(name)", "SELECT * FROM pragma_\(name)('\(value.replacing("'", with: "''"))')",
                "SELECT * FROM animals, pragma_\(name)(name)",
            ])
        },
        Family(name: "function") { generator in
            let path = generator.path()
            return "SELECT "
                + generator.pick([
                    "load_extension('\(path)')", "load_extension('\(path)', 'main')", "readfile('\(path)')",
                    "writefile('\(path)', 'stolen')", "edit('a', 'vi')",
                    "fts3_tokenizer('simple', x'4141414141414141')",
                    "fts3_tokenizer('simple')", "eval('DELETE FROM animals')", "sqlite_log(1, 'a')",
                    "rtreecheck('animals')",
                    "sqlite_rename_table(1, 2, 3, 4, 5, 6, 7)", "fts5(x'00')", "matchinfo(animals, 'x')",
                    "sqlite_compileoption_get(\(generator.number(-9...99)))",
                ]) + generator.pick(["", " FROM animals", " FROM words"])
        },
    ]

    private static let pragmas = [
        "writable_schema", "journal_mode", "user_version", "application_id", "query_only", "locking_mode",
        "wal_checkpoint", "wal_autocheckpoint", "optimize", "incremental_vacuum", "auto_vacuum", "secure_delete",
        "temp_store", "temp_store_directory", "data_store_directory", "shrink_memory", "hard_heap_limit",
        "soft_heap_limit", "mmap_size", "cache_size", "cache_spill", "case_sensitive_like", "trusted_schema",
        "cell_size_check", "legacy_alter_table", "schema_version", "rekey", "key", "foreign_keys", "defer_foreign_keys",
        "recursive_triggers", "synchronous", "max_page_count", "journal_size_limit", "page_size", "encoding", "threads",
        "ignore_check_constraints", "reverse_unordered_selects", "integrity_check", "quick_check", "table_info",
        "table_list", "table_xinfo", "foreign_key_check", "function_list", "database_list", "analysis_limit",
        "busy_timeout", "stats", "lock_status", "full_column_names", "count_changes", "read_uncommitted",
    ]
}
