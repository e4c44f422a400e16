import Digest
import JSON
import SQLite

extension RecordBinder {
    /// Half of a SHA-256: no two records have the same one by chance.
    private static let digits = 32

    /// Binds what a record is told apart by where no field does it: a digest of its canonical text, and of the fields
    /// that it has from its parent.
    mutating func bindContent(
        of record: PageRecord, to statement: Statement, at parameter: Int32
    ) throws(SQLiteError) {
        canonical.removeAll()
        canonical.append(record.node)
        if let added = record.added { canonical.append(added) }
        let digest = SHA256.hexDigest(of: canonical.bytes).utf8.prefix(Self.digits)
        let bytes = Array(digest)
        bytes.withUnsafeBufferPointer { noteKey($0, at: 0) }
        try statement.bind(copyingUTF8: bytes, at: parameter)
    }
}
