import GarnerLibC

/// Bytes in PostgreSQL's binary format, in the order of the network.
struct BinaryFormat: Sendable {
    var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a text, which must not hold NUL: "The character with the code zero cannot be in a string constant".
    mutating func append(utf8 text: UnsafeRawBufferPointer) throws(PostgresError) {
        if let start = text.baseAddress, memchr(start, 0, text.count) != nil { throw .textWithNUL }
        bytes.append(contentsOf: text)
    }

    mutating func append(text: String) throws(PostgresError) {
        guard !text.utf8.contains(0) else { throw .textWithNUL }
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends the length of what `body` appends, and that.
    mutating func appendWithLength(_ body: (inout Self) throws(PostgresError) -> Void) throws(PostgresError) {
        let start = bytes.count
        append(Int32(0))
        try body(&self)
        guard let length = Int32(exactly: bytes.count - start - 4) else { throw .tooLong }
        withUnsafeBytes(of: length.bigEndian) { length in
            for (offset, byte) in length.enumerated() { bytes[start + offset] = byte }
        }
    }

    /// Appends a value without its length. NULL has no bytes.
    mutating func append(_ value: PostgresValue) throws(PostgresError) {
        switch value {
        case .null: break
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .integer(let value): append(value)
        case .double(let value): append(value.bitPattern)
        case .text(let text), .untyped(let text): try append(text: text)
        case .bytes(let value), .other(_, let value): bytes += value
        case .instant(let value): append(try Instants.since2000(value))
        case .uuid(let value): append(value)
        case .json(let text):
            bytes.append(1)
            try append(text: text)
        case .booleans(let values):
            try append(values, of: TypeNumber.bool) { (format, value) in format.bytes.append(value ? 1 : 0) }
        case .integers(let values):
            try append(values, of: TypeNumber.int8) { (format, value) in format.append(value) }
        case .doubles(let values):
            try append(values, of: TypeNumber.float8) { (format, value) in format.append(value.bitPattern) }
        case .texts(let values):
            try append(values, of: TypeNumber.text) { (format, value) throws(PostgresError) in
                try format.append(text: value)
            }
        case .byteStrings(let values):
            try append(values, of: TypeNumber.bytea) { (format, value) in format.bytes += value }
        case .instants(let values):
            try append(values, of: TypeNumber.timestamptz) { (format, value) throws(PostgresError) in
                format.append(try Instants.since2000(value))
            }
        case .uuids(let values):
            try append(values, of: TypeNumber.uuid) { (format, value) in format.append(value) }
        }
    }

    mutating func append(_ value: PostgresUUID) {
        append(value.high)
        append(value.low)
    }

    /// Appends an array of one dimension, as `array_recv` reads it.
    private mutating func append<Element>(
        _ values: [Element?], of type: UInt32,
        _ write: (inout Self, Element) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        append(Int32(values.isEmpty ? 0 : 1))
        append(Int32(values.contains { $0 == nil } ? 1 : 0))
        append(type)
        guard !values.isEmpty else { return }
        guard let count = Int32(exactly: values.count) else { throw .tooLong }
        append(count)
        append(Int32(1))  // The lower bound.
        for value in values {
            guard let value else {
                append(Int32(-1))
                continue
            }
            try appendWithLength { (format) throws(PostgresError) in try write(&format, value) }
        }
    }
}

/// The parameters of a statement, as libpq takes them.
struct Parameters {
    private(set) var types: [UInt32] = []
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    private var starts: [Int?] = []
    private var format = BinaryFormat()

    init(_ values: [PostgresValue]) throws(PostgresError) {
        for value in values {
            let start = format.bytes.count
            try format.append(value)
            guard let length = Int32(exactly: format.bytes.count - start) else { throw .tooLong }
            var isText = false
            if case .untyped = value { isText = true }
            // A text ends with NUL, and an empty value needs a place, too.
            format.bytes.append(0)
            types.append(value.type)
            lengths.append(length)
            formats.append(isText ? 0 : 1)
            starts.append(value == .null ? nil : start)
        }
    }

    /// Calls `body` with pointers to the values, which are valid until it returns.
    func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        format.bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return body(starts.map { start in start.flatMap { base?.advanced(by: $0) } })
        }
    }
}
