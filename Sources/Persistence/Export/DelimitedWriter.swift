import SQLite

/// CSV (RFC 4180 with LF) and TSV.
///
/// In CSV, NULL is nothing, the empty text is `""`, and a text is quoted only where it must be. In TSV, NULL is nothing,
/// and tab, line feed, carriage return and backslash are written as `\t`, `\n`, `\r` and `\\`.
struct DelimitedWriter: RowWriter {
    enum Dialect {
        case csv, tsv
    }

    private let dialect: Dialect
    private let separator: UInt8

    init(_ dialect: Dialect) {
        self.dialect = dialect
        separator = dialect == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")
    }

    func begin(_ columns: [String], in output: inout OutputBuffer) {
        for (index, name) in columns.enumerated() {
            if index > 0 { output.append(separator) }
            var name = name
            name.withUTF8 { append($0, to: &output) }
        }
        output.append(UInt8(ascii: "\n"))
    }

    func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) {
        for index in 0..<row.columnCount {
            if index > 0 { output.append(separator) }
            switch row.kind(at: index) {
            case .null: break
            case .integer: output.append(row.bytes(at: index))
            case .real: output.append(row.real(at: index).description)
            case .text: append(row.bytes(at: index), to: &output)
            case .blob: output.append(Base64.text(of: row.bytes(at: index)))
            }
        }
        output.append(UInt8(ascii: "\n"))
    }

    func end(rows: Int, in output: inout OutputBuffer) {}

    private func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) {
        switch dialect {
        case .csv:
            if text.isEmpty || text.contains(where: { Self.isSpecial($0) }) {
                appendQuoted(text, to: &output)
            } else {
                output.append(text)
            }
        case .tsv: appendEscaped(text, to: &output)
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    private func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) {
        output.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }

    private func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) {
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
