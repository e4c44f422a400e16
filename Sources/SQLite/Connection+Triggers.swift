import GarnerDatabase

/// A trigger, as `sqlite_schema` spells it.
package struct Trigger: Sendable, Equatable {
    package let name: String
    package let sql: String
}

/// What was read of the triggers of a database, as long as its schema stays as it is.
struct KnownTriggers {
    fileprivate var version: Int64?
    fileprivate var hasOthers: [String: Bool] = [:]
    /// The number of tables whose triggers were read alone.
    fileprivate var readAlone = 0
    /// All triggers by their tables, whose names are folded; nil if not all were read.
    fileprivate var byTable: [[UInt8]: [Trigger]]?
}

extension Connection {
    /// Returns the triggers of a table.
    ///
    /// To read those of one table takes a tenth of the time for all. So who asks for a few, or makes tables in between, need not
    /// wait for all, and who asks for many does not look through a schema that stays for each.
    package func triggers(of table: String) throws -> [Trigger] {
        try forgetTriggersOfEarlierSchema()
        let selection = "SELECT name, sql, lower(tbl_name) FROM sqlite_schema WHERE type = 'trigger'"
        func read(_ row: Statement) -> Trigger { Trigger(name: row.text(at: 0), sql: row.text(at: 1)) }
        guard knownTriggers.byTable != nil || knownTriggers.readAlone == 10 else {
            knownTriggers.readAlone += 1
            return try rows("\(selection) AND tbl_name = ?1 COLLATE NOCASE", [.text(table)], decode: read)
        }
        if knownTriggers.byTable == nil {
            let all = try rows(selection) { (table: Array($0.text(at: 2).utf8), trigger: read($0)) }
            knownTriggers.byTable = Dictionary(grouping: all, by: \.table).mapValues { $0.map(\.trigger) }
        }
        return knownTriggers.byTable?[table.foldedSQLName] ?? []
    }

    /// Returns true if there is a trigger whose name does not begin with this prefix of letters, digits and underscores.
    package func hasTriggers(besides prefix: String) throws -> Bool {
        try forgetTriggersOfEarlierSchema()
        if let known = knownTriggers.hasOthers[prefix] { return known }
        let others = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, length(?1)) <> ?1 LIMIT 1"
        let found = try integer(others, .text(prefix)) != nil
        knownTriggers.hasOthers[prefix] = found
        return found
    }

    /// Runs `body`, which makes tables, and triggers whose names begin with the prefix. Whether there are others stays known.
    package func makingTriggers(named prefix: String, _ body: () throws -> Void) throws {
        try forgetTriggersOfEarlierSchema()
        // Nobody else changes the schema within a transaction.
        let known = isInTransaction ? knownTriggers.hasOthers[prefix] : nil
        try body()
        guard let known else { return }
        try forgetTriggersOfEarlierSchema()
        knownTriggers.hasOthers[prefix] = known
    }

    private func forgetTriggersOfEarlierSchema() throws {
        let version = try sumOfParts("schema_version")
        if version != knownTriggers.version { knownTriggers = KnownTriggers(version: version) }
    }
}

extension String {
    /// The name with small letters, as SQL's lower() makes it: names that differ only in the case of ASCII letters are the same.
    package var foldedSQLName: [UInt8] { utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 } }
}
