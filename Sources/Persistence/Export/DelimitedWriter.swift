import CGarnerCSV
import GarnerDatabase
import GarnerJSON
import GarnerPresentation
import GarnerSQLite

/// A writer of CSV (RFC 4180) and TSV.
///
/// In CSV, NULL is nothing, the empty text is `""`, and a text is quoted only if it must be. In TSV, NULL and the empty
/// text are both nothing, and tab, line feed, carriage return and backslash are written as `\t`, `\n`, `\r` and `\\`.
struct DelimitedWriter: RowWriter {
    private let delimiter: RowFormat.Delimiter
    private let style: DelimitedStyle
    private let separator: UInt8

    private let columnCount: Int
    private let cells: SetAsideCells?

    init(_ delimiter: RowFormat.Delimiter, _ style: DelimitedStyle, of rows: RowCursor) {
        (columnCount, cells) = (rows.columns.count, rows.cells)
        self.delimiter = delimiter
        self.style = style
        separator = delimiter == .comma ? UInt8(ascii: ",") : UInt8(ascii: "\t")
    }

    func begin(_ columns: [String], in output: inout OutputBuffer) throws {
        if style.beginsWithMark { output.append("\u{FEFF}") }
        for (index, name) in columns.enumerated() {
            if index > 0 { output.append(separator) }
            var name = name
            // A name that begins with a byte order mark would look like that of the file.
            let isMarked = index == 0 && name.utf8.starts(with: "\u{FEFF}".utf8)
            try name.withUTF8 { try append($0, mustQuote: isMarked, to: &output) }
        }
        endLine(in: &output)
    }

    func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws {
        for index in 0..<columnCount {
            if index > 0 { output.append(separator) }
            let column = row.column(at: index)
            switch column.kind {
            case .null: if let value = cells?.value(at: index) { try append(value.utf8, to: &output) }
            case .integer: output.append(column.bytes)
            case .real:
                let digits = cells?.digits(at: index, of: column.real)
                if let digits { output.append(digits.utf8) } else { output.append(column.real.description) }
            case .text: try append(column.bytes, to: &output)
            case .blob: try output.append(partsOf: column.bytes) { $1.append(Base64.text(of: $0)) }
            }
        }
        endLine(in: &output)
    }

    func end(rows: Int, in output: inout OutputBuffer) {}

    private func endLine(in output: inout OutputBuffer) {
        if style.endsLinesWithCRLF { output.append(UInt8(ascii: "\r")) }
        output.append(UInt8(ascii: "\n"))
    }

    private func append(
        _ text: UnsafeBufferPointer<UInt8>, mustQuote: Bool = false, to output: inout OutputBuffer
    ) throws {
        let isFormula = style.isExcelSafe && Self.isFormula(text)
        switch delimiter {
        case .comma:
            // The usual text is copied and looked through at once.
            if !isFormula, !mustQuote, !text.isEmpty, text.count <= OutputBuffer.partBytes {
                return output.append(atMost: 2 * text.count + 2) { garner_csv_field($0, text.baseAddress, text.count) }
            }
            let isQuoted = mustQuote || text.isEmpty || Self.mustQuote(text)
            if isQuoted { output.append(UInt8(ascii: "\"")) }
            if isFormula { output.append(UInt8(ascii: "'")) }
            if isQuoted {
                try output.append(partsOf: text, Self.appendEscapingQuotes)
                output.append(UInt8(ascii: "\""))
            } else {
                output.append(text)
            }
        case .tab:
            if isFormula { output.append(UInt8(ascii: "'")) }
            try output.append(partsOf: text, Self.appendEscapingControls)
        }
    }

    /// Returns true if a text must be quoted because of a comma, a quote or the end of a line.
    private static func mustQuote(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
    }

    /// Returns true if a spreadsheet may read the text as a formula. Numbers are none.
    ///
    /// Some spreadsheets ignore white space and invisible characters before the sign, and read full-width signs as
    /// their narrow forms. A tab or an end of line at the beginning may end the cell before it.
    private static func isFormula(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Most texts begin with a letter or a digit.
        guard let first = text.first, first < 0x30 || first == 0x3D || first == 0x40 || first >= 0x7F else {
            return false
        }
        if first == 0x09 || first == 0x0A || first == 0x0D { return true }
        var bytes = text.makeIterator()
        var decoder = UTF8()
        while case .scalarValue(let scalar) = decoder.decode(&bytes) {
            if signs.contains(scalar) { return !isNumber(text) }
            let properties = scalar.properties
            let isSkipped =
                properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || properties.generalCategory == .control
            if !isSkipped { return false }
        }
        return false
    }

    /// The characters `=`, `+`, `-` and `@` with their full-width and small forms, and the minus sign.
    private static let signs: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{FE66}", "\u{FE62}", "\u{FE63}",
        "\u{FE6B}", "\u{2212}",
    ]

    /// Returns true for a sign, digits, and perhaps a fraction and an exponent.
    private static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = text[...]
        func takeDigits() -> Bool {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest = rest[digits.endIndex...]
            return !digits.isEmpty
        }
        func take(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = take("+-")
        guard takeDigits() else { return false }
        if take("."), !takeDigits() { return false }
        if take("eE") {
            _ = take("+-")
            guard takeDigits() else { return false }
        }
        return rest.isEmpty
    }

    private static func appendEscapingQuotes(_ text: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) {
        let quote = UInt8(ascii: "\"")
        var rest = text[...]
        while let place = rest.firstIndex(of: quote) {
            output.append(UnsafeBufferPointer(rebasing: rest[...place]))
            output.append(quote)
            rest = rest[(place + 1)...]
        }
        output.append(UnsafeBufferPointer(rebasing: rest))
    }

    private static func appendEscapingControls(_ text: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\t"): output.append("\\t")
            case UInt8(ascii: "\n"): output.append("\\n")
            case UInt8(ascii: "\r"): output.append("\\r")
            case UInt8(ascii: "\\"): output.append("\\\\")
            default: output.append(byte)
            }
        }
    }
}

/// The dialect of CSV and TSV for other programs.
package struct DelimitedStyle: Sendable, Equatable {
    /// True if a `'` goes before texts that look like formulas and are no numbers.
    package var isExcelSafe = false
    package var endsLinesWithCRLF = false
    /// True if the file begins with U+FEFF.
    package var beginsWithMark = false

    package init() {}
}
