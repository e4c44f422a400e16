/// The advice on a failure.
///
/// Advice on commands and options has no text here: only the program that has them can word it.
package enum Hint: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// Advice that names neither a command nor an option.
    case text(String)

    // Synchronise
    case sync
    case syncFirst
    /// The last sync of the stream found no record to make a table of.
    case noRecordCame(stream: String)
    /// The first sync of the stream has not stored a page yet.
    case firstSyncRuns(stream: String)
    /// Synchronise once, which has that effect.
    case syncOnce(effect: String)
    case syncToFetchMissing
    case syncOrNameDatabase
    case syncOrNameAnotherDatabase
    case setSearch(stream: String)

    // Look
    case listColumns
    case listQuarantine
    case listRuns
    case browse(table: String)
    case filter(table: String, condition: String? = nil)
    case preview(stream: String)
    case seeWhatBecameOfRun
    case seeMigrations
    case examineDatabase

    case listTables
    /// Show the columns of a table; nil for those of all tables.
    case describeTable(String?)

    // Ask for something else
    /// Write a text of the SQL in single quotes, as here, unless a column is meant.
    case quoteText(sql: String, column: String?)
    /// Write a name in double quotes, as in this SQL; nil if that is too long to be told.
    case quoteName(String, reason: String, sql: String?)
    case orderByOption
    case limitByOption
    case chooseFormat
    case askForLess
    case onlyRead
    case searchPlainWords
    case nameAnotherDatabase
    case nameAnotherFile
    case nameTable
    case mendView(String)
    case nameParameters
    case giveParameter(String)

    // Mend
    case migrate
    case restoreOrSync
    /// Make the files of the database those of the user who runs Garner.
    case takeOver(database: String)
    case examineAndRestore
    case restoreColumn(statement: String, losesVersions: Bool)
    case makeRoomToVacuum
    case forgetChangesToVacuum
    case dropToForgetKeys(stream: String)
    /// Drop the stream, so that its table gets another key or form.
    ///
    /// `after` is the step before that, as an imperative.
    case dropToStartAnew(stream: String, after: String)
    case pruneDropped(stream: String)
    case pruneDroppedAgain
    case dropToForgetBytes
    /// Drop the stream whose name another one is to get.
    case dropBeforeRename(stream: String)
    /// Rename the stream whose table another stream would have, or name another table for it.
    case renameOrNameTable(old: String, new: String, table: String)

    package init(stringLiteral text: String) { self = .text(text) }

    /// The advice if it names neither a command nor an option.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Advice on a failure that Garner itself is to blame for.
    package static let report: Hint = "this is a bug in Garner; please report it"
}
