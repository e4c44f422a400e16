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
        // By scalars, since a comma and a combining mark are one character.
        let names = columns.map { $0.unicodeScalars.split(separator: ",").map(Self.trimmed) }
        return RowRequest(table: table, columns: names, condition: condition, order: order, limit: limit)
    }

    private static func trimmed(_ name: Substring.UnicodeScalarView) -> String {
        let start = name.drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { String(start[...$0]) } ?? ""
    }
}
