/// A row of a result. Its values are read in place and are valid until the next row. Columns are numbered from 0.
package protocol Row {
    func kind(at column: Int) -> ValueKind
    func integer(at column: Int) -> Int64
    func real(at column: Int) -> Double
    /// The bytes of a text or blob.
    func bytes(at column: Int) -> UnsafeBufferPointer<UInt8>
}

extension Row {
    @inlinable
    package func text(at column: Int) -> String { String(decoding: bytes(at: column), as: UTF8.self) }

    /// Returns the text, or nil if the value is NULL.
    @inlinable
    package func optionalText(at column: Int) -> String? { kind(at: column) == .null ? nil : text(at: column) }

    /// Returns the integer, or nil if the value is NULL.
    @inlinable
    package func optionalInteger(at column: Int) -> Int64? { kind(at: column) == .null ? nil : integer(at: column) }

    @inlinable
    package func value(at column: Int) -> Value {
        switch kind(at: column) {
        case .null: .null
        case .integer: .integer(integer(at: column))
        case .real: .real(real(at: column))
        case .text: .text(text(at: column))
        case .blob: .blob(Array(bytes(at: column)))
        }
    }
}
