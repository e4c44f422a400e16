import ArgumentParser
import Persistence

/// Which rows and columns of a table are asked for, in the words of `rows` and `export`.
struct RowOptions: ParsableArguments {
    @Option(name: .customLong("where"), help: ArgumentHelp("An SQL condition.", valueName: "sql"))
    var condition: String?

    @Option(help: ArgumentHelp("SQL ordering terms.", valueName: "sql"))
    var order: String?

    @Option(help: ArgumentHelp("Columns, separated by commas.", valueName: "names"))
    var columns: String?

    var areGiven: Bool { condition != nil || order != nil || columns != nil }

    /// Whether no part of them is SQL.
    var haveNoSQL: Bool { condition == nil && order == nil }

    func request(of table: String, limit: Int?) -> RowRequest {
        RowRequest(
            table: table, columns: columns.map { $0.split(separator: ",").map { $0.trimmed } }, condition: condition,
            order: order, limit: limit)
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
