import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// A writer of one JSON object per row, with the columns in order: as an array, or one per line.
///
/// An integer has all its digits. A number that is stored as text, since no column type holds it exactly, is a string.
/// Columns for arrays and objects are written as such. A text that is not UTF-8, which SQL can make, is written as bytes are.
struct JSONWriter: RowWriter {
    private let names: [[UInt8]]
    private let types: [ColumnType?]
    private let isArray: Bool
    private let cells: SetAsideCells?
    private var text = CanonicalText()

    init(of rows: RowCursor, isArray: Bool) {
        let statement = rows.statement
        cells = rows.cells
        self.isArray = isArray
        types = rows.columns.indices.map { index in
            // This column holds an object of all members without a column.
            statement.columnName(at: index) == TableSchema.restColumn
                ? .json : statement.declaredType(at: index).flatMap(ColumnType.init)
        }
        names = rows.columns.map { name in
            var text = CanonicalText()
            var name = name
            name.withUTF8 { text.append(string: $0) }
            return text.bytes + [UInt8(ascii: ":")]
        }
    }

    func begin(_ columns: [String], in output: inout OutputBuffer) {
        if isArray { output.append(UInt8(ascii: "[")) }
    }

    mutating func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws {
        if isArray { output.append(isFirst ? "\n" : ",\n") }
        output.append(UInt8(ascii: "{"))
        for (index, name) in names.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            name.withUnsafeBufferPointer { output.append($0) }
            try writeValue(row, at: index, to: &output)
        }
        output.append(UInt8(ascii: "}"))
        if !isArray { output.append(UInt8(ascii: "\n")) }
    }

    func end(rows: Int, in output: inout OutputBuffer) {
        if isArray { output.append(rows == 0 ? "]\n" : "\n]\n") }
    }

    private mutating func writeValue(_ row: Statement, at index: Int, to output: inout OutputBuffer) throws {
        let column = row.column(at: index)
        switch column.kind {
        case .null:
            guard let value = cells?.value(at: index) else { return output.append("null") }
            write(value, to: &output)
        case .integer:
            let integer = column.bytes
            guard integer.count == 1, let digit = integer.first, digit == 0x30 || digit == 0x31,
                types[index] == .boolean || cells?.boolean(at: index, as: Double(digit - 0x30)) != nil
            else { return output.append(integer) }
            output.append(digit == 0x31 ? "true" : "false")
        case .real:
            let real = column.real
            if let boolean = cells?.boolean(at: index, as: real) { return output.append(boolean ? "true" : "false") }
            if let digits = cells?.digits(at: index, of: real) { return write(digits, to: &output) }
            // JSON has no infinity. In SQLite it is 9e999.
            output.append(real.isFinite ? real.description : "\"\(real.description)\"")
        case .text:
            guard CanonicalText.canHold(column.bytes) else { return try write(bytes: column.bytes, to: &output) }
            if types[index] == .json, isJSON(column.bytes) { return output.append(column.bytes) }
            output.append(UInt8(ascii: "\""))
            try output.append(partsOf: column.bytes) { part, output in
                text.removeAll()
                text.append(unquoted: part)
                text.bytes.withUnsafeBufferPointer { output.append($0) }
            }
            output.append(UInt8(ascii: "\""))
        case .blob: try write(bytes: column.bytes, to: &output)
        }
    }

    private mutating func write(_ value: Node, to output: inout OutputBuffer) {
        text.removeAll()
        text.append(value)
        text.bytes.withUnsafeBufferPointer { output.append($0) }
    }

    private func write(bytes: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) throws {
        output.append(#"{"$base64":""#)
        try output.append(partsOf: bytes) { $1.append(Base64.text(of: $0)) }
        output.append(#""}"#)
    }

    /// Returns false for a text that another program has written into the column.
    private func isJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        (bytes.first == UInt8(ascii: "[") || bytes.first == UInt8(ascii: "{"))
            && (try? Document(parsing: Bytes(Array(bytes)))) != nil
    }
}

/// The Base64 encoding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
