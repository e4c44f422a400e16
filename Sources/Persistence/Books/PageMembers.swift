import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The records of each page when it was last seen, so that records on no page can be found: `_garner_members`.
///
/// If a page's keys have changed, only those that came or went are written: a new record in front moves one on each page.
final class PageMembers {
    private let connection: Connection
    private let hashKey: HashKey
    /// The parts of the key of each record of a page.
    private let rows: VirtualTable
    /// Reads the keys from there.
    private let keys: Statement
    /// Inserts all of them.
    private let insertion: Statement

    /// - Parameter schema: The stream's table. The columns of its key stay, though their types may change.
    init(of schema: TableSchema, hashKey: HashKey, on connection: Connection) throws {
        (self.connection, self.hashKey) = (connection, hashKey)
        let parts = (1...max(schema.key.count, 1)).map { "c\($0)" }
        let key = parts.count == 1 ? parts[0] : "json_array(\(parts.joined(separator: ", ")))"
        rows = try VirtualTable(columns: parts.count, on: connection)
        keys = try Statement("SELECT \(key) FROM \(rows.name)", on: connection)
        insertion = try Statement(
            "INSERT OR IGNORE INTO _garner_members (page_id, record_key) SELECT ?1, \(key) FROM \(rows.name)",
            on: connection)
    }

    /// Stores a page's records as its members. Writes nothing if the keys are unchanged.
    ///
    /// - Parameters:
    ///   - keysDigest: The digest of the stored records' keys; nil if not all records were stored.
    ///   - isInPieces: True if there are any. All of their members are then written, since those of a long page are too many to
    ///     compare in memory.
    ///   - leave: Called before the members that the page had are forgotten.
    func note(
        _ records: Selection, adding added: Node?, on page: PageRow, keysDigest: String?, _ loader: TableLoader,
        behind later: LaterRecords.Pass, isInPieces: Bool, leave: () throws -> Void
    ) throws {
        guard !page.hasMembers || keysDigest == nil || page.keysDigest != keysDigest else { return }
        if page.hasMembers { try leave() }
        defer { rows.values.clear() }
        let areAll =
            try isInPieces
            ? storeAll(records, adding: added, on: page, loader, behind: later)
            : store(records, adding: added, on: page, loader)
        guard !areAll || keysDigest == nil else { return }
        // A key that does not fit its column now may fit a wider one later, and a record that was not stored
        // may go while all stored ones stay. Then the page's members must be stored again.
        try connection.execute("UPDATE _garner_pages SET has_members = 0 WHERE page_id = ?1", .id(page.id))
    }

    /// Stores the members. Returns true if all records have a key that the table holds.
    private func store(
        _ records: Selection, adding added: Node?, on page: PageRow, _ loader: TableLoader
    ) throws -> Bool {
        var new: [Value] = []
        var areAll = true
        var former = try FormerMembers(of: page, hashKey, on: connection)
        defer { former.reset() }
        if former.count > 0 {
            areAll = try supply(records, adding: added, loader) {
                defer { keys.reset() }
                while try keys.step() {
                    if try !former.take(MemberKey(keys, hashKey)) { new.append(keys.value(at: 0)) }
                }
                try former.passRest()
            }
        }
        // One statement for all takes less than one for each of most of them.
        guard 2 * former.passed.count < former.count else {
            return try storeAll(records, adding: added, on: page, loader) { _ in }
        }
        // First those that went: a key that only looks like another one may come back.
        for key in former.passed.values {
            try connection.execute(
                "DELETE FROM _garner_members WHERE page_id = ?1 AND record_key = ?2", .id(page.id), key)
        }
        // A record that is on the page twice is new once more.
        for key in new {
            try connection.execute(
                "INSERT OR IGNORE INTO _garner_members (page_id, record_key) VALUES (?1, ?2)", .id(page.id), key)
        }
        return areAll
    }

    /// Stores all members in place of those that the page had. Returns true if all records have a key that the table holds.
    private func storeAll(
        _ records: Selection, adding added: Node?, on page: PageRow, _ loader: TableLoader,
        behind later: LaterRecords.Pass
    ) throws -> Bool {
        try connection.execute("DELETE FROM _garner_members WHERE page_id = ?1", .id(page.id))
        var areAll = true
        func store(_ records: Selection) throws {
            // The values point into the records.
            defer { rows.values.clear() }
            let areStored = try supply(records, adding: added, loader) {
                try insertion.bind(page.id.number, at: 1)
                try insertion.run()
            }
            areAll = areAll && areStored
        }
        try store(records)
        try later { try store($0.records.removing($0.deletions)) }
        return areAll
    }

    /// Calls `read`, which may run one statement that reads the keys of the records. Returns true if the table holds each.
    private func supply(
        _ records: Selection, adding added: Node?, _ loader: TableLoader, to read: () throws -> Void
    ) throws -> Bool {
        var areAll = true
        try records.withNodes { nodes in
            var nodes = nodes
            try rows.supply(
                {
                    while let node = nodes.next() {
                        let record = PageRecord(node: node, added: added)
                        if loader.bindKey(of: record, to: rows.values, from: 1) { return true }
                        areAll = false
                        // It was discarded for its key. The row that it means is not gone from the source.
                        if loader.bindKeyOfRow(of: record, to: rows.values, from: 1) { return true }
                    }
                    return false
                }, to: read)
        }
        return areAll
    }
}

/// A key of the table, as SQLite holds it.
private enum MemberKey: Hashable {
    case integer(Int64)
    case real(Double)
    case text(Fingerprint)

    /// Creates the key in the first column of a row.
    init(_ row: Statement, _ hashKey: HashKey) {
        let value = row.column(at: 0)
        switch value.kind {
        case .integer: self = .integer(value.integer)
        case .real: self = .real(value.real)
        case .text, .blob, .null: self = .text(hashKey.fingerprint(of: UnsafeRawBufferPointer(value.bytes)))
        }
    }

    /// Returns true if this key is known to come before another one, and all behind that, in SQLite's order.
    func precedes(_ other: MemberKey) -> Bool {
        guard case (.integer(let own), .integer(let other)) = (self, other) else { return false }
        return own < other
    }
}

/// The members that a page had, which are passed in the order of their keys.
///
/// That is mostly the order of the page's records, too. So only the members that went have to be kept in memory.
private struct FormerMembers {
    private let statement: Statement
    private let hashKey: HashKey
    /// The first one that was not passed; nil behind the last.
    private var next: MemberKey?
    /// The number of members so far; of all, once they are passed.
    private(set) var count = 0
    /// Those that were passed, and whose keys no record has had so far.
    private(set) var passed: [MemberKey: Value] = [:]

    init(of page: PageRow, _ hashKey: HashKey, on connection: Connection) throws {
        self.hashKey = hashKey
        statement = try connection.statement(
            "SELECT record_key FROM _garner_members WHERE page_id = ?1 ORDER BY record_key")
        try statement.bind(page.id.number, at: 1)
        try advance()
    }

    /// Returns true if the page had a member with this key, which is taken.
    mutating func take(_ key: MemberKey) throws -> Bool {
        if !passed.isEmpty, passed.removeValue(forKey: key) != nil { return true }
        while let member = next, !key.precedes(member) {
            guard member != key else {
                try advance()
                return true
            }
            try pass(member)
        }
        return false
    }

    mutating func passRest() throws {
        while let member = next { try pass(member) }
    }

    func reset() { statement.reset() }

    private mutating func pass(_ member: MemberKey) throws {
        passed[member] = statement.value(at: 0)
        try advance()
    }

    private mutating func advance() throws {
        next = try statement.step() ? MemberKey(statement, hashKey) : nil
        if next != nil { count += 1 }
    }
}
