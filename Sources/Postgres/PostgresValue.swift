/// A value that goes to PostgreSQL or comes from it. All but `untyped` travel in PostgreSQL's binary format.
package enum PostgresValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A NaN equals no other one, as in Swift.
    case double(Double)
    case text(String)
    case bytes([UInt8])
    /// Microseconds since 1970, for `timestamptz`. `Int64.max` and `Int64.min` are its `infinity` and `-infinity`.
    case instant(Int64)
    case uuid(PostgresUUID)
    /// JSON for `jsonb`. As a result it is the server's spelling.
    case json(String)
    /// A text that the server reads as whatever type the statement wants there, such as a `numeric`.
    case untyped(String)
    case booleans([Bool?])
    case integers([Int64?])
    case doubles([Double?])
    case texts([String?])
    case byteStrings([[UInt8]?])
    case instants([Int64?])
    case uuids([PostgresUUID?])
    /// A result of another type, with the type's number. A cast in the statement, such as `::text`, gives a better one.
    case other(type: UInt32, bytes: [UInt8])
}

/// The numbers of types (`pg_type.dat`), which never change.
enum TypeNumber {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let char: UInt32 = 18
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let json: UInt32 = 114
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let unknown: UInt32 = 705
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let uuid: UInt32 = 2950
    static let jsonb: UInt32 = 3802

    /// The numbers of arrays, by those of their elements.
    static let arrays: [UInt32: UInt32] = [
        bool: 1000, bytea: 1001, text: 1009, int8: 1016, float8: 1022, timestamptz: 1185, uuid: 2951,
    ]
}

extension PostgresValue {
    /// The text of a text; nil for other values.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The number of an integer; nil for other values.
    package var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The number of its type; 0 where the server is to infer it.
    var type: UInt32 {
        switch self {
        case .null, .untyped: 0
        case .boolean: TypeNumber.bool
        case .integer: TypeNumber.int8
        case .double: TypeNumber.float8
        case .text: TypeNumber.text
        case .bytes: TypeNumber.bytea
        case .instant: TypeNumber.timestamptz
        case .uuid: TypeNumber.uuid
        case .json: TypeNumber.jsonb
        case .booleans: TypeNumber.arrays[TypeNumber.bool] ?? 0
        case .integers: TypeNumber.arrays[TypeNumber.int8] ?? 0
        case .doubles: TypeNumber.arrays[TypeNumber.float8] ?? 0
        case .texts: TypeNumber.arrays[TypeNumber.text] ?? 0
        case .byteStrings: TypeNumber.arrays[TypeNumber.bytea] ?? 0
        case .instants: TypeNumber.arrays[TypeNumber.timestamptz] ?? 0
        case .uuids: TypeNumber.arrays[TypeNumber.uuid] ?? 0
        case .other(let type, _): type
        }
    }

    /// Reads a value in the binary format of the type with that number.
    init(type: UInt32, binary: UnsafeRawBufferPointer) throws(PostgresError) {
        switch (type, binary.count) {
        case (TypeNumber.bool, 1): self = .boolean(binary[0] != 0)
        case (TypeNumber.int2, 2): self = .integer(Int64(Int16(bigEndian: binary.loadUnaligned(as: Int16.self))))
        case (TypeNumber.int4, 4): self = .integer(Int64(Int32(bigEndian: binary.loadUnaligned(as: Int32.self))))
        case (TypeNumber.oid, 4): self = .integer(Int64(UInt32(bigEndian: binary.loadUnaligned(as: UInt32.self))))
        case (TypeNumber.int8, 8): self = .integer(Int64(bigEndian: binary.loadUnaligned(as: Int64.self)))
        case (TypeNumber.float4, 4):
            self = .double(Double(Float(bitPattern: UInt32(bigEndian: binary.loadUnaligned(as: UInt32.self)))))
        case (TypeNumber.float8, 8):
            self = .double(Double(bitPattern: UInt64(bigEndian: binary.loadUnaligned(as: UInt64.self))))
        case (TypeNumber.timestamptz, 8):
            self = .instant(try Instants.since1970(Int64(bigEndian: binary.loadUnaligned(as: Int64.self))))
        case (TypeNumber.uuid, 16):
            self = .uuid(
                PostgresUUID(
                    high: UInt64(bigEndian: binary.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: binary.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
        case (TypeNumber.text, _), (TypeNumber.varchar, _), (TypeNumber.bpchar, _), (TypeNumber.name, _),
            (TypeNumber.char, _), (TypeNumber.unknown, _):
            self = .text(String(decoding: binary, as: UTF8.self))
        case (TypeNumber.json, _): self = .json(String(decoding: binary, as: UTF8.self))
        // Its first byte is the version of the format.
        case (TypeNumber.jsonb, 1...) where binary[0] == 1:
            self = .json(String(decoding: binary.dropFirst(), as: UTF8.self))
        case (TypeNumber.bytea, _): self = .bytes(Array(binary))
        default: self = .other(type: type, bytes: Array(binary))
        }
    }
}

/// PostgreSQL counts microseconds from 2000 on.
enum Instants {
    private static let year2000: Int64 = 946_684_800_000_000

    static func since1970(_ instant: Int64) throws(PostgresError) -> Int64 {
        guard instant != .max, instant != .min else { return instant }
        let (sum, overflow) = instant.addingReportingOverflow(year2000)
        guard !overflow, sum != .max else { throw .instantOutOfRange }
        return sum
    }

    static func since2000(_ instant: Int64) throws(PostgresError) -> Int64 {
        guard instant != .max, instant != .min else { return instant }
        let (difference, overflow) = instant.subtractingReportingOverflow(year2000)
        guard !overflow, difference != .min else { throw .instantOutOfRange }
        return difference
    }
}
