/// The marks with which a text format lays rows out as a table.
package protocol TableMarkup: Sendable {
    /// What stands before the first cell of a row, between two cells, and after the last.
    var marks: (before: String, between: String, after: String) { get }
    /// The end of a line within a cell.
    var lineBreak: String { get }
    /// The lines between the names of columns and the rows. By column: true if its values are numbers.
    func rule(_ isNumeric: [Bool]) -> String
    /// Passes on the bytes of a text one by one, escaped, so that it is shown as it is and does not end its cell; O(length).
    func escape(_ scalars: some Sequence<Unicode.Scalar>, to write: (UInt8) -> Void)
}

extension TableMarkup {
    package func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        escape(text.unicodeScalars) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a row of texts, each in one line.
    func row(_ cells: [String]) -> String {
        marks.before + cells.map(escaped).joined(separator: marks.between) + marks.after
    }
}
