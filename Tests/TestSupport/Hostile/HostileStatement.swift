/// SQL that is meant to write, to reach other files, or to take all time and memory there is.
package struct HostileStatement: Sendable, CustomStringConvertible {
    package var sql: String
    package let family: String
    /// True if the statement may take hours, or gigabytes, in one step of SQLite that cannot be interrupted, so that it
    /// needs a process of its own that can be ended.
    package let needsProcess: Bool

    package init(sql: String, family: String, needsProcess: Bool) {
        self.sql = sql
        self.family = family
        self.needsProcess = needsProcess
    }

    package var description: String { "\(family): \(sql.prefix(60))" }
}

/// The same sequence of hostile statements for the same seed: attacks by a grammar, then mutated as texts.
package struct HostileStatements {
    var random: SplitMix64
    /// The folder that files would be written to.
    let folder: String

    package init(seed: UInt64, folder: String) {
        random = SplitMix64(seed: seed)
        self.folder = folder
    }

    package mutating func next() -> HostileStatement {
        let family = pick(Self.families)
        let sql = family.make(&self)
        return HostileStatement(sql: mutated(sql), family: family.name, needsProcess: family.needsProcess)
    }

    struct Family: Sendable {
        let name: String
        var needsProcess = false
        let make: @Sendable (inout HostileStatements) -> String
    }

    static let families =
        writingFamilies + escapingFamilies + endlessFamilies + oversizedFamilies + stuckFamilies + malformedFamilies

    mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &random)]
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func path() -> String {
        let name = pick(["x.db", "garner.db", "garner.db-wal", "a'b.db", "pwned.txt"])
        let path = "\(folder)/\(name)".replacing("'", with: "''")
        return pick([path, path, "file:\(path)?mode=rwc", ":memory:", "", "file:\(path)?vfs=unix-none&immutable=1"])
    }

    mutating func table() -> String {
        pick([
            "animals", "main.animals", "\"animals\"", "_garner_runs", "_garner_streams", "sqlite_schema",
            "sqlite_master",
            "sqlite_sequence", "sqlite_stat1", "words", "words_data", "words_config", "temp.stolen", "missing",
        ])
    }
}
