/// Rows in the format of `COPY … FROM STDIN (FORMAT binary)`: each row begins, and then takes a value for each column.
///
/// A value goes in as its column's type has it: `integer` is a `bigint` and does not fit an `integer`, which is shorter.
package struct CopyRows: Sendable {
    private var format = BinaryFormat()
    /// The number of rows that were begun.
    private(set) var count = 0

    /// From this size on, the rows are worth to be sent.
    private static let fullSize = 256 << 10

    init() {
        format.bytes.reserveCapacity(Self.fullSize + Self.fullSize / 8)
        format.bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
        format.append(Int32(0))  // Flags.
        format.append(Int32(0))  // The length of the header's extension.
    }

    /// The bytes that have not been sent.
    package var size: Int { format.bytes.count }

    var isFull: Bool { size >= Self.fullSize }

    package mutating func beginRow(columns: Int16) {
        format.append(columns)
        count += 1
    }

    package mutating func appendNull() { format.append(Int32(-1)) }

    package mutating func append(_ value: Bool) {
        format.append(Int32(1))
        format.bytes.append(value ? 1 : 0)
    }

    package mutating func append(_ value: Int64) {
        format.append(Int32(8))
        format.append(value)
    }

    /// Appends a value for a column of `integer`.
    package mutating func append(_ value: Int32) {
        format.append(Int32(4))
        format.append(value)
    }

    package mutating func append(_ value: Double) {
        format.append(Int32(8))
        format.append(value.bitPattern)
    }

    /// Appends a text. It must be UTF-8; one with NUL is refused.
    package mutating func append(utf8 text: UnsafeRawBufferPointer) throws(PostgresError) {
        guard let length = Int32(exactly: text.count) else { throw .tooLong }
        format.append(length)
        try format.append(utf8: text)
    }

    package mutating func append(_ text: String) throws(PostgresError) {
        guard let length = Int32(exactly: text.utf8.count) else { throw .tooLong }
        format.append(length)
        try format.append(text: text)
    }

    /// Appends JSON for a column of `jsonb`.
    package mutating func append(json text: UnsafeRawBufferPointer) throws(PostgresError) {
        guard let length = Int32(exactly: text.count + 1) else { throw .tooLong }
        format.append(length)
        format.bytes.append(1)
        try format.append(utf8: text)
    }

    package mutating func append(bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        guard let length = Int32(exactly: bytes.count) else { throw .tooLong }
        format.append(length)
        format.bytes.append(contentsOf: bytes)
    }

    /// Appends any value but an `untyped` one, for which there is no binary format.
    package mutating func append(_ value: PostgresValue) throws(PostgresError) {
        switch value {
        case .null: appendNull()
        case .untyped: throw PostgresError(.invalidValue, "COPY in binary format takes no value without a type")
        default: try format.appendWithLength { (format) throws(PostgresError) in try format.append(value) }
        }
    }

    /// Ends the rows; none may follow.
    mutating func end() { format.append(Int16(-1)) }

    /// Returns what has not been sent and forgets it.
    mutating func take() -> [UInt8] {
        let bytes = format.bytes
        format.bytes = []
        format.bytes.reserveCapacity(bytes.count)
        return bytes
    }
}
