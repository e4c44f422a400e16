import Digest
import JSON

// The key of a record, whatever its columns hold.
extension RecordBinder {
    /// Returns the values of a record's key, nil for missing ones; if its content is the key, all that it is made from.
    func keyValues(of record: PageRecord) -> [Node?] {
        contentColumn == nil ? keyColumns.map { record.value(at: $0.path) } : [record.node, record.added]
    }

    /// Returns the reason why the record cannot be a row, whatever the table's columns are; nil if its key is there.
    func missingKey(of record: PageRecord) -> String? {
        if contentColumn != nil { return nil }
        for (column, value) in zip(keyColumns, keyValues(of: record)) where value?.isNull ?? true {
            return "the key '\(columnNames[column.column])' is \(value == nil ? "missing" : "null")"
        }
        return nil
    }

    /// Notes a part of the key by its bytes.
    mutating func noteKey(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
        keyParts[position] = hashKey.fingerprint(of: UnsafeRawBufferPointer(bytes))
    }
}
