import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel

// The key of a record, and single values as a column of a type has them.
extension RecordBinder {
    /// Returns the values of a record's key, nil for missing ones; if its content is the key, all that it is made from.
    func keyValues(of record: PageRecord) -> [Node?] {
        contentColumn == nil ? keyColumns.map { record.value(at: $0.path) } : [record.node, record.added]
    }

    /// Returns the reason why the record cannot be a row, whatever the table's columns are; nil if its key is there.
    func missingKey(of record: PageRecord) -> String? {
        if contentColumn != nil { return nil }
        for (column, value) in zip(keyColumns, keyValues(of: record)) {
            if value?.isNull ?? true {
                return "the key '\(columnNames[column.column])' is \(value == nil ? "missing" : "null")"
            }
            if value?.isHalved == true { return halvedKey(at: column.column) }
        }
        return nil
    }

    /// The reason to refuse a key with half of a character, for which U+FFFD stands. Other keys may look the same.
    func halvedKey(at column: Int) -> String {
        "the key '\(columnNames[column])' has half of a character (a lone surrogate)"
    }

    /// Notes a part of the key by its bytes.
    mutating func noteKey(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
        keyParts[position] = hashKey.fingerprint(of: UnsafeRawBufferPointer(bytes))
        keyInteger = nil
    }

    /// Notes a part of the key that is an integer.
    mutating func noteKey(_ integer: Int64, at position: Int) {
        keyParts[position] = withUnsafeBytes(of: integer) { hashKey.fingerprint(of: $0) }
        keyInteger = integer
    }

    /// Stores the part of the key that was just bound, whatever the order of the record's members.
    mutating func noteKey(_ value: Node, as type: ColumnType, at position: Int) {
        switch (type, value.kind) {
        case (.text, .array), (.text, .object), (.json, .array), (.json, .object):
            canonical.bytes.withUnsafeBufferPointer { noteKey($0, at: position) }
        case (.text, _): noteKey(value.utf8, at: position)
        default:
            let integer: Int64 = value.kind == .integer ? value.integer : value.kind == .true ? 1 : 0
            noteKey(integer, at: position)
        }
    }

    /// Binds a value that is not null. Returns false if a column of this type cannot hold it exactly.
    mutating func bind<Sink: RecordSink>(
        _ value: Node, as type: ColumnType, to sink: Sink, at parameter: Int32
    ) throws(Sink.Failure) -> Bool {
        switch (type, value.kind) {
        case (.text, .array), (.text, .object), (.json, .array), (.json, .object):
            canonical.removeAll()
            canonical.append(value)
            try sink.bind(copyingUTF8: canonical.bytes, at: parameter)
        case (.text, _): try sink.bind(unownedUTF8: value.utf8, at: parameter)
        case (.integer, .integer): try sink.bind(value.integer, at: parameter)
        case (.real, .real): try sink.bind(value.real, at: parameter)
        case (.real, .integer) where value.integer.isExactDouble:
            try sink.bind(Double(value.integer), at: parameter)
        case (.boolean, .true), (.integer, .true): try sink.bind(1 as Int64, at: parameter)
        case (.boolean, .false), (.integer, .false): try sink.bind(0 as Int64, at: parameter)
        case (.real, .true): try sink.bind(1.0, at: parameter)
        case (.real, .false): try sink.bind(0.0, at: parameter)
        default: return false
        }
        return true
    }
}
