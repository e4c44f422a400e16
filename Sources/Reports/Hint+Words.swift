package import GarnerModel

extension Hint {
    /// The advice in the words of the command line.
    package var words: String {
        switch self {
        case .text(let text): text
        case .sync: "run 'garner sync'"
        case .syncFirst: "run 'garner sync' first"
        case .noRecordCame(let stream):
            "the last sync of \(stream) found no record to make a table of; look at the answer with "
                + "'garner preview \(stream)'"
        case .firstSyncRuns(let stream):
            "the first sync of \(stream) is running and has stored no page yet; see 'garner status', and try again"
        case .syncOnce(let effect): "run 'garner sync' once, which \(effect)"
        case .syncToFetchMissing: "run 'garner sync' to fetch what is missing"
        case .syncOrNameDatabase: "run 'garner sync', or name it with --database"
        case .syncOrNameAnotherDatabase: "run 'garner sync' first, or name another with --database"
        case .setSearch(let stream):
            "set 'search: [FIELD, …]' for the stream \(stream), with fields that its records have, and run 'garner sync'"
        case .listColumns: "check the SQL; 'garner schema' lists the columns"
        case .listTables: "list the tables with: garner tables"
        case .describeTable(let table):
            "show the columns with: garner schema\(table.map { " \(ShellText.quoted($0))" } ?? "")"
        case .quoteText(let sql, let column): Self.quoteText(ShellText.quoted(sql), column)
        case .quoteName(let name, let reason, let sql): "\(reason): \(sql.map(ShellText.quoted) ?? "\"\(name)\"")"
        case .orderByOption: "leave ORDER BY out of the condition, and give the order with --order"
        case .limitByOption: "leave LIMIT out of the condition, and give the number with --limit"
        case .chooseFormat: "choose the form of the output with --format, as in: --format csv"
        case .listQuarantine: "list them with: garner quarantine list"
        case .listRuns: "list the runs with: garner runs"
        case .browse(let table): "browse its records with: garner rows \(table)"
        case .filter(let table, let condition):
            "use: garner rows \(ShellText.quoted(table)) --where \(condition.map(ShellText.quoted) ?? "SQL")"
        case .preview(let stream): "look at it with 'garner preview \(stream)'"
        case .seeWhatBecameOfRun: "see its log, and 'garner runs' for what became of the run"
        case .seeMigrations: "see 'garner migrate --status'; a newer schema will be refused"
        case .examineDatabase: "look at the database itself with: garner doctor --full"
        case .askForLess: "ask for less, or give it more time with --timeout"
        case .onlyRead: "queries only read; write with 'garner sync'"
        case .searchPlainWords: "leave --raw out to search for plain words; sqlite.org/fts5.html has the syntax"
        case .nameAnotherDatabase: "name another file under 'database:' or with --database"
        case .nameAnotherFile: "name another file, or replace it with --force"
        case .nameTable: "views are for 'garner rows', 'garner export' and 'garner query'; name a table"
        case .mendView(let view): "make the view anew, or remove it in sqlite3 with: DROP VIEW \(view)"
        case .nameParameters: "write :name in the SQL, and -p name=VALUE"
        case .giveParameter(let name): "give it with: -p \(name)=VALUE"
        case .migrate: "run 'garner migrate'; the next sync does the same"
        case .restoreOrSync:
            "restore it from a backup, or move it away and run 'garner sync' to fetch everything anew"
        case .takeOver(let path):
            "run it as that user, or take the files over with: sudo chown \"$(id -un)\" \(ShellText.quoted(path))*"
        case .examineAndRestore: "look for damage with 'garner doctor', and restore a backup if it finds any"
        case .restoreColumn(let statement, let losesVersions):
            "rename back what was renamed; or add it with '\(statement)' and sync with --full-refresh; or "
                + "drop the table, and the next sync makes it anew from all pages"
                + (losesVersions ? ", without the versions of its rows" : "")
        case .makeRoomToVacuum: "make room: a copy on this disk and 'garner prune --vacuum' need as much again"
        case .forgetChangesToVacuum:
            "the rest is done; leave out --vacuum, or forget the changes with --runs-older-than first"
        case .dropToForgetKeys(let stream):
            "run 'garner drop \(stream)' and then 'garner prune --dropped', and fetch it anew with 'garner sync'"
        case .dropToStartAnew(let stream, let decision):
            "\(decision), run 'garner drop \(stream)', and the next sync makes its table anew"
        case .pruneDropped(let stream):
            "if they may go for good, run 'garner prune --dropped \(stream)'; if not, leave them, and give the fields back to 'fields'"
        case .dropToForgetBytes:
            "the values are out of the rows; to get their bytes out of the file, run 'garner drop' for that stream and "
                + "'garner prune --dropped' again"
        case .renameOrNameTable(let old, let new, let table):
            "if \(new) is \(old) under another name, run 'garner rename \(old) \(new)'; else write 'table: \(table)' in \(new)"
        case .dropBeforeRename(let stream):
            "give it another name; or, if the rows of \(stream) may go, run 'garner drop \(stream)' first"
        case .pruneDroppedAgain: "end the program that reads it, and run 'garner prune --dropped' again"
        }
    }

    /// The advice in the words of a running service, beside which no other program can write to the database.
    package var serviceWords: String {
        switch self {
        case .dropToForgetKeys, .dropToStartAnew, .pruneDropped, .dropToForgetBytes, .renameOrNameTable,
            .dropBeforeRename, .pruneDroppedAgain:
            words + "; stop the service before that command, and start it again afterwards"
        default: words
        }
    }

    /// The advice in the words of a page, whose reader has no shell around the SQL.
    package static func quoteText(_ sql: String, _ column: String?) -> String {
        "write text in single quotes: \(sql)\(column.map { "; or did you mean the column '\($0)'?" } ?? "")"
    }
}
