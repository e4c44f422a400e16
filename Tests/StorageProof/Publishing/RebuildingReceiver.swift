import GarnerDatabase
import GarnerModel
import GarnerPersistence

/// Stands for PostgreSQL: its tables are made of nothing but the rows that the file's notes name, as a publisher makes them.
struct RebuildingReceiver: Sendable {
    /// The values of a row that are not NULL, in a form that tells 1 and '1' apart, but not 1 and 1.0: a published column stays one of
    /// integers when that of the file becomes REAL, which SQLite does without a change to a row.
    private typealias Row = [String: String]

    private struct Table: Sendable {
        /// By their keys.
        var rows: [String: Row] = [:]
        var position: Int64 = 0
    }

    /// A way in which the tables are not those of the file.
    struct Deviation: Error, CustomStringConvertible {
        let description: String
    }

    private var tables: [StreamID: Table] = [:]
    /// The highest note that has come.
    private(set) var position: Int64 = 0

    /// Takes what waits, and compares each table with that of the file.
    ///
    /// - Parameter confirms: False if the file is not told what has come.
    /// - Throws: A deviation.
    mutating func receive(
        from reader: OutboxReader, noting writer: DatabaseWriter, confirms: Bool, at instant: Timestamp
    ) async throws {
        var snapshot = try reader.beginSnapshot()
        defer { snapshot.end() }
        let begun = try snapshot.tables().filter { $0.isReady && $0.position == nil }.map(\.id)
        if !begun.isEmpty {
            snapshot.end()
            try await writer.publish(begun)
            snapshot = try reader.beginSnapshot()
        }
        let noted = try follow(snapshot)
        snapshot.end()
        if confirms, !noted.isEmpty { try await writer.confirm(position, noted, asOf: instant) }
    }

    /// Brings each table to a state of the file. Returns those that notes spoke of.
    private mutating func follow(_ snapshot: OutboxSnapshot) throws -> [StreamID] {
        let lastNote = try snapshot.lastNote()
        let published = try snapshot.tables().filter { $0.position != nil }
        let positions = Dictionary(uniqueKeysWithValues: published.map { ($0.id, tables[$0.id]?.position ?? 0) })
        let changes = try snapshot.changes(after: positions)
        var noted: [StreamID] = []
        for table in published {
            let change = changes[table.id]
            // A server that was restored has less than it had confirmed.
            let isBehind = table.position ?? 0 > positions[table.id] ?? 0
            let isWhole = change?.isWhole == true || isBehind || tables[table.id] == nil
            var rows = tables[table.id]?.rows ?? [:]
            if isWhole {
                rows = try Self.rows(of: table, in: nil, snapshot)
            } else if let change {
                try apply(change, of: table, snapshot, to: &rows)
            }
            let expected = try Self.rows(of: table, in: nil, snapshot)
            if rows != expected { throw Self.deviation(table, rows, expected) }
            if isWhole || change?.lastNote != nil {
                noted.append(table.id)
                tables[table.id] = Table(rows: rows, position: lastNote)
            }
        }
        tables = tables.filter { positions[$0.key] != nil }
        position = max(position, lastNote)
        return noted
    }

    private func apply(
        _ change: OutboxChanges, of table: PublishedTable, _ snapshot: OutboxSnapshot, to rows: inout [String: Row]
    ) throws {
        for key in change.deletedKeys { rows[Self.key(of: key.map(\.form))] = nil }
        if table.key.isEmpty {
            for key in rows.keys {
                if let row = Int64(key), change.deletedRows.contains(where: { $0.contains(row) }) { rows[key] = nil }
            }
        }
        for (key, row) in try Self.rows(of: table, in: change.updated, snapshot) {
            guard rows.updateValue(row, forKey: key) != nil else {
                throw Deviation(description: "\(table.name): the row \(key) is only updated, and was never there")
            }
        }
        for (key, row) in try Self.rows(of: table, in: change.replaced, snapshot) {
            guard rows.updateValue(row, forKey: key) == nil else {
                throw Deviation(description: "\(table.name): the row \(key) came, and is there already")
            }
        }
    }

    /// The rows with these numbers, by their keys; nil for all.
    private static func rows(
        of table: PublishedTable, in ranges: [ClosedRange<Int64>]?, _ snapshot: OutboxSnapshot
    ) throws -> [String: Row] {
        var found: [String: Row] = [:]
        guard ranges.map({ !$0.isEmpty }) ?? true else { return found }
        let rows = try snapshot.rows(of: table, in: ranges)
        while try rows.next() {
            var row: Row = [:]
            var forms: [String] = []
            for (place, column) in table.columns.enumerated() {
                let form = rows.value(at: place).form
                forms.append(form ?? "")
                // The rows that are there when such a column comes are not noted.
                if column.kind != .other { row[column.name] = form }
            }
            let key = table.key.isEmpty ? "\(rows.row)" : Self.key(of: table.key.map { forms[$0] })
            guard found.updateValue(row, forKey: key) == nil else {
                throw Deviation(description: "\(table.name): two rows have the key \(key)")
            }
        }
        return found
    }

    private static func key(of parts: [String?]) -> String { parts.map { $0 ?? "" }.joined(separator: "\u{1}") }

    private static func deviation(
        _ table: PublishedTable, _ got: [String: Row], _ expected: [String: Row]
    ) -> Deviation {
        let keys = Set(got.keys).union(expected.keys).filter { got[$0] != expected[$0] }.sorted()
        let lines = keys.prefix(3).map { key in
            "the row \(key) is \(told(got[key])) instead of \(told(expected[key]))"
        }
        return Deviation(
            description: "published table \(table.name) of \(table.stream): \(lines.joined(separator: "; "))")
    }

    private static func told(_ row: Row?) -> String {
        guard let row else { return "missing" }
        return "(\(row.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")))"
    }
}

extension StoredBytes {
    /// nil for NULL.
    fileprivate var form: String? {
        switch self {
        case .null: nil
        case .integer(let integer): integer.form
        case .real(let real): real.form
        case .text(let text): "text \(String(decoding: text, as: UTF8.self))"
        case .blob(let bytes): "blob \(Array(bytes))"
        }
    }
}

extension Value {
    fileprivate var form: String? {
        switch self {
        case .null: nil
        case .integer(let integer): integer.form
        case .real(let real): real.form
        case .text(let text): "text \(text)"
        case .blob(let bytes): "blob \(bytes)"
        }
    }
}

extension Int64 {
    fileprivate var form: String { "number \(self)" }
}

extension Double {
    fileprivate var form: String { Int64(exactly: self).map(\.form) ?? "number \(self)" }
}
