import ArgumentParser
import Catalog
import Model
import Persistence
import Sync

/// The selection of a table's rows and columns, as options of `rows` and `export`.
struct RowOptions: ParsableArguments {
    @Option(name: .customLong("where"), help: ArgumentHelp("Only rows that meet this SQL condition.", valueName: "sql"))
    var condition: String?

    @Option(help: ArgumentHelp("The order of the rows, as SQL ordering terms.", valueName: "sql"))
    var order: String?

    @Option(help: ArgumentHelp("Only these columns, separated by commas.", valueName: "names"), completion: .columns)
    var columns: String?

    var areGiven: Bool { condition != nil || order != nil || columns != nil }

    /// True if none of the options is SQL.
    var haveNoSQL: Bool { condition == nil && order == nil }

    func request(of table: String, limit: Int?) -> RowRequest {
        // The text is split by scalars, since a comma with a combining mark is a single character.
        let names = columns.map { $0.unicodeScalars.split(separator: ",").map { String($0.trimming { $0 == " " }) } }
        return RowRequest(table: table, columns: names, condition: condition, order: order, limit: limit)
    }
}

extension Instant {
    /// Runs `body`. If an instant is given, the reader shows the rows as they were then.
    static func viewing(
        _ reader: ReadOnlyDatabase, asOf text: String?, now: Timestamp, _ body: () throws -> Void
    ) throws {
        guard let text else { return try body() }
        try reader.viewing(asOf: instant(text, of: reader, now: now), body)
    }

    /// Returns the instant of a text. A number is a run, and means the instant of its end.
    private static func instant(_ text: String, of reader: ReadOnlyDatabase, now: Timestamp) throws -> Timestamp {
        guard let run = RunID(text) else { return try parse(text, now: now) }
        guard let end = try reader.run(run).endedAt else {
            throw CommandError(
                .usage, kind: "usage", message: "run \(run) has not ended",
                hint: "name one that has: garner runs")
        }
        return end
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
