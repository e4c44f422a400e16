package import GarnerPostgres

/// Takes the values of published rows, column by column.
protocol PublishedRowSink {
    mutating func beginRow(columns: Int16)
    mutating func appendNull()
    mutating func append(_ value: Bool)
    mutating func append(_ value: Int64)
    mutating func append(_ value: Double)
    /// Microseconds since 1970.
    mutating func append(instant: Int64) throws(PostgresError)
    /// UTF-8 without NUL.
    mutating func append(utf8 text: UnsafeRawBufferPointer) throws(PostgresError)
    mutating func append(json text: UnsafeRawBufferPointer) throws(PostgresError)
    /// A number that `numeric` holds.
    mutating func append(numeric text: UnsafeBufferPointer<UInt8>, _ parts: DecimalText.Parts) throws(PostgresError)
}

extension CopyRows: PublishedRowSink {
    mutating func append(instant: Int64) throws(PostgresError) { try append(PostgresValue.instant(instant)) }

    mutating func append(numeric text: UnsafeBufferPointer<UInt8>, _ parts: DecimalText.Parts) throws(PostgresError) {
        var bytes: [UInt8] = []
        DecimalText.appendBinary(text, parts, to: &bytes)
        try append(PostgresValue.bytes(bytes))
    }
}

/// Rows as arrays, one for each column: the parameters of a statement with `unnest`.
package struct ColumnArrays: PublishedRowSink, Sendable {
    private struct Values: Sendable {
        let type: PublishedType
        var booleans: [Bool?] = []
        var integers: [Int64?] = []
        var doubles: [Double?] = []
        var texts: [String?] = []

        var array: PostgresValue {
            switch type {
            case .boolean: .booleans(booleans)
            case .bigint: .integers(integers)
            case .timestamptz: .instants(integers)
            case .double: .doubles(doubles)
            case .numeric, .jsonb, .text: .texts(texts)
            }
        }

        mutating func appendNull() {
            switch type {
            case .boolean: booleans.append(nil)
            case .bigint, .timestamptz: integers.append(nil)
            case .double: doubles.append(nil)
            case .numeric, .jsonb, .text: texts.append(nil)
            }
        }

        mutating func removeLast() {
            switch type {
            case .boolean: booleans.removeLast()
            case .bigint, .timestamptz: integers.removeLast()
            case .double: doubles.removeLast()
            case .numeric, .jsonb, .text: texts.removeLast()
            }
        }
    }

    private var columns: [Values]
    private var next = 0
    /// The number of rows.
    package private(set) var count = 0
    /// About how many bytes the rows have.
    package private(set) var size = 0

    init(_ types: [PublishedType]) {
        columns = types.map { Values(type: $0) }
    }

    /// `$1`, `$2` and so on.
    package var parameters: [PostgresValue] { columns.map(\.array) }

    /// Removes the rows.
    package mutating func removeAll() {
        columns = columns.map { Values(type: $0.type) }
        (count, size) = (0, 0)
    }

    mutating func beginRow(columns: Int16) {
        (next, count) = (0, count + 1)
        size += 8 * Int(columns)
    }

    /// Forgets the values of the row that was begun last.
    mutating func dropRow() {
        for index in columns.indices.prefix(next) { columns[index].removeLast() }
        count -= 1
    }

    mutating func appendNull() { columns[take()].appendNull() }
    mutating func append(_ value: Bool) { columns[take()].booleans.append(value) }
    mutating func append(_ value: Int64) { columns[take()].integers.append(value) }
    mutating func append(_ value: Double) { columns[take()].doubles.append(value) }
    mutating func append(instant: Int64) { columns[take()].integers.append(instant) }
    mutating func append(utf8 text: UnsafeRawBufferPointer) { append(text) }
    mutating func append(json text: UnsafeRawBufferPointer) { append(text) }

    mutating func append(numeric text: UnsafeBufferPointer<UInt8>, _ parts: DecimalText.Parts) {
        append(UnsafeRawBufferPointer(text))
    }

    private mutating func append(_ text: UnsafeRawBufferPointer) {
        size += text.count
        columns[take()].texts.append(String(decoding: text, as: UTF8.self))
    }

    private mutating func take() -> Int {
        defer { next += 1 }
        return next
    }
}
