import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

/// The selection of a table's rows and columns, as options of `rows` and `export`.
struct RowOptions: ParsableArguments {
    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: ArgumentHelp("Only rows that meet this SQL condition.", valueName: "sql"))
    var conditions: [String] = []

    var condition: String? { conditions.first }

    func validate() throws {
        guard conditions.count > 1 else { return }
        let joined = conditions.map { "(\($0))" }.joined(separator: " AND ")
        throw ValidationError("--where is given \(conditions.count) times; write --where \(ShellText.quoted(joined))")
    }

    @Option(help: ArgumentHelp("The order of the rows, as SQL ordering terms.", valueName: "sql"))
    var order: String?

    @Option(help: ArgumentHelp("Only these columns, separated by commas.", valueName: "names"), completion: .columns)
    var columns: String?

    @OptionGroup var deleted: DeletedOption

    var areGiven: Bool { condition != nil || order != nil || columns != nil || deleted.isGiven }

    var haveNoSQL: Bool { condition == nil && order == nil }

    /// The longest SQL that is searched for slips, in bytes. The search is no part of the time limit.
    private static let longestSearched = 64 << 10

    /// Warns of a comparison with NULL, which nothing equals, as SQL has it.
    static func warnOfNull(in sql: String, of place: String) {
        let isBare = /(?i)('[^']*'|"[^"]*"|--[^\n]*)|(?:=|<>|!=)\s*null\b/
        guard sql.utf8.count <= longestSearched, sql.matches(of: isBare).contains(where: { $0.1 == nil }) else {
            return
        }
        StandardError.warn("no value equals NULL; write IS NULL or IS NOT NULL in \(place)")
    }

    /// Warns of an index of a list, which SQL takes for another name of the column.
    static func warnOfIndex(in sql: String) {
        let pattern = /'[^']*'|"[^"]*"|--[^\n]*|\b([A-Za-z_]\w*)\[([0-9]{1,9})\]/
        guard sql.utf8.count <= longestSearched, let match = sql.matches(of: pattern).first(where: { $0.1 != nil }),
            let column = match.1,
            let index = match.2
        else { return }
        let (name, number) = (String(column), String(index))
        StandardError.warn(
            "\(name)[\(number)] is the whole column \(name), under the name \(number)",
            try: "write \(name) ->> \(number)")
    }

    /// Warns of slips that SQLite takes without a word.
    static func warnOfSlips(in sql: String, on table: String? = nil, _ reader: ReadOnlyDatabase) {
        guard sql.utf8.count <= longestSearched else { return }
        for slip in (try? reader.quietSlips(in: sql, on: table)) ?? [] {
            StandardError.warn("\(slip.message)", try: slip.remedy)
        }
    }

    func request(of table: String, limit: Int?) -> RowRequest {
        if let condition { Self.warnOfNull(in: condition, of: "--where") }
        // The text is split by scalars, since a comma with a combining mark is a single character.
        let names = columns.map { $0.unicodeScalars.split(separator: ",").map { String($0.trimming { $0 == " " }) } }
        return RowRequest(
            table: table, columns: names, condition: condition, order: order, limit: limit, deleted: deleted.rows)
    }
}

/// The option for rows that are kept although the source lacks their records.
struct DeletedOption: ParsableArguments {
    @Flag(
        name: .customLong("deleted"),
        help: "Show the rows, too, whose records were deleted at the source (delete_missing: soft).")
    var isGiven = false

    var rows: DeletedRows { isGiven ? .shown : .leftOut }

    /// Tells of the rows that are left out. It is part of the result, so that --quiet does not hide it.
    static func tell(leftOut count: Int) {
        guard count > 0 else { return }
        StandardError.write(
            "\(count.counted("deleted row")) \(count == 1 ? "is" : "are") left out; --deleted shows \(count == 1 ? "it" : "them")\n"
        )
    }
}

/// The option for the time limit of a statement.
struct TimeoutOption: ParsableArguments {
    @Option(help: ArgumentHelp("The time limit, such as 5m; 0s for no limit.", valueName: "duration"))
    var timeout: String?

    func validate() throws { _ = try duration(otherwise: nil) }

    /// Returns the time limit; nil for no limit.
    func duration(otherwise: Duration?) throws -> Duration? {
        guard let timeout else { return otherwise }
        do {
            let duration = try DurationText.parse(timeout)
            return duration == .zero ? nil : duration
        } catch {
            throw ValidationError("'\(timeout)' is not a duration such as 30s or 5m")
        }
    }
}
