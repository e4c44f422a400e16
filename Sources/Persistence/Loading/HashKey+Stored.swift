import Digest
import SQLite

extension HashKey {
    /// The random bits of a database's own, which its first migration to know of them drew.
    init(of connection: Connection) throws {
        let secret = try connection.firstRow("SELECT secret FROM _garner_hash_key") { Array($0.bytes(at: 0)) }
        guard let key = secret.flatMap(HashKey.init) else {
            throw PersistenceError(
                .unusable, "\(connection.path) has lost the random bits that its hashes are made with",
                hint: "restore the database from a backup, or fetch everything anew into another file")
        }
        self = key
    }
}
