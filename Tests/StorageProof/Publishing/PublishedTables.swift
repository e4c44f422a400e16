import Foundation
import GarnerDatabase
import GarnerJSON
import GarnerPostgres
import GarnerSQLite

/// A value in a form in which those of the file and of PostgreSQL can be compared.
///
/// The form is worked out here once more, from docs/publishing.md, without anything of the publisher's.
struct ComparedValue: Hashable, Comparable, Sendable, CustomStringConvertible {
    let description: String

    static let null = ComparedValue(description: "null")

    static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    private init(description: String) { self.description = description }

    /// - Parameter type: The type of the column in PostgreSQL, whether the value is in it or set aside.
    init(_ node: Node, as type: String?) {
        switch (type, node.kind) {
        case (_, .null): self = .null
        case ("timestamp with time zone", .string):
            description = Self.instant(node.text) ?? Self.shown(node.text)
        // A column of booleans that becomes one of numbers has 1 where it had `true`, and no row of it is written.
        case ("boolean", _) where ["true", "false"].contains(node.text):
            description = Self.number(node.text == "true" ? "1" : "0") ?? ""
        // A column of arrays may have become one of texts, and what `jsonb` refuses is set aside as a text.
        case ("jsonb", .string): description = Self.composed(node.text) ?? Self.shown(node.text)
        // The same number, or `true`, may have become a text.
        case (.some, .string): description = Self.number(node.text) ?? Self.shown(node.text)
        default: description = Self.json(node)
        }
    }

    private static func composed(_ text: String) -> String? {
        guard text.hasPrefix("[") || text.hasPrefix("{") else { return number(text) }
        return try? Document(parsing: Bytes(Array(text.utf8))).withRoot(json)
    }

    /// NUL becomes U+FFFD.
    private static func shown(_ text: String) -> String { text.replacing("\0", with: "\u{FFFD}") }

    private static func json(_ node: Node) -> String {
        switch node.kind {
        case .null: "null"
        case .true: "true"
        case .false: "false"
        case .integer, .real, .number: number(node.text) ?? node.text
        case .string: "\"\(shown(node.text))\""
        case .array: "[\(node.elements.map(json).joined(separator: ","))]"
        case .object:
            object(node)
        }
    }

    /// Of members of one name, the last counts.
    private static func object(_ node: Node) -> String {
        let members = Dictionary(node.members.map { (shown($0.key.text), json($0.value)) }) { $1 }
        return "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    }

    /// A number by its digits and the place of its point; nil for no number.
    private static func number(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: /(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/) else {
            return nil
        }
        let fraction = match.3.map(String.init) ?? ""
        var exponent = (match.4.flatMap { Int($0) } ?? 0) - fraction.count
        var digits = Substring(String(match.2) + fraction).drop { $0 == "0" }
        while digits.last == "0" {
            digits.removeLast()
            exponent += 1
        }
        return digits.isEmpty ? "0" : "\(match.1)\(digits)e\(exponent)"
    }

    /// An instant of the years that the source has, in microseconds; nil for another text, or one with more decimals.
    private static func instant(_ text: String) -> String? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d):(\d\d))/)
        else { return nil }
        func part(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        let date = DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: part(match.1), month: part(match.2),
            day: part(match.3))
        guard date.isValidDate, let day = date.date else { return nil }
        let offset = (part(match.9) * 60 + part(match.10)) * (match.8 == "-" ? -60 : 60)
        let seconds =
            Int(day.timeIntervalSince1970) + part(match.4) * 3600 + part(match.5) * 60 + part(match.6) - offset
        let decimals = match.7.map { String($0) + String(repeating: "0", count: 6 - $0.count) } ?? "000000"
        return "\(seconds).\(decimals)"
    }
}

/// The published tables of a file, and what the file has.
struct PublishedTables {
    /// The program, its folder, and what its configuration needs.
    let garner: String
    let folder: URL
    let environment: [String: String]
    let connection: PostgresConnection

    /// Returns the first difference between the tables of both sides, and between the runs; nil if there is none.
    ///
    /// - Parameters:
    ///   - file: A file in the folder. What it has is compared.
    ///   - isWhole: True if PostgreSQL has no run that the file does not have.
    func problem(of file: String = "garner.db", isWhole: Bool = true) async throws -> String? {
        let sqlite = try Connection(path: folder.appending(path: file).path, mode: .readOnly)
        defer { sqlite.close() }
        let names = try sqlite.rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_garner%' ESCAPE '\\'
                AND name NOT LIKE 'sqlite%' ORDER BY name
            """
        ) { $0.text(at: 0) }
        for name in names {
            if let problem = try await problem(ofTable: name) { return "\(name): \(problem)" }
        }
        return try await problemOfRuns(sqlite, isWhole: isWhole)
    }

    // MARK: - One table

    private typealias Row = [String: ComparedValue]

    private func problem(ofTable table: String) async throws -> String? {
        let types = try await types(of: table.lowercased())
        guard !types.isEmpty else { return "it is not published" }
        let file = try await exported(table, types)
        let server = try await published(table.lowercased(), types, columns: file.columns)
        guard file.rows != server else { return nil }
        let lost = Self.difference(file.rows, server)
        let more = Self.difference(server, file.rows)
        return "\(file.rows.count) rows in the file, \(server.count) in PostgreSQL"
            + (lost.first.map { "; lost \(lost.count), such as \(Self.told($0))" } ?? "")
            + (more.first.map { "; too many \(more.count), such as \(Self.told($0))" } ?? "")
    }

    private static func told(_ row: [String]) -> String { String(row.joined(separator: ", ").prefix(500)) }

    private static func difference(_ left: [[String]], _ right: [[String]]) -> [[String]] {
        var counts: [[String]: Int] = [:]
        for row in right { counts[row, default: 0] += 1 }
        return left.filter { row in
            counts[row, default: 0] -= 1
            return counts[row, default: 0] < 0
        }
    }

    /// The types of the columns by their names.
    private func types(of table: String) async throws -> [String: String] {
        let result = try await connection.execute(
            """
            SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
            WHERE attrelid = to_regclass('public.' || quote_ident($1)) AND attnum > 0 AND NOT attisdropped
            """, .text(table))
        return Dictionary(
            uniqueKeysWithValues: result.rows.compactMap { row in
                row[0].text.flatMap { name in row[1].text.map { (name, $0) } }
            })
    }

    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    /// The name in PostgreSQL.
    private static func name(of column: String) -> String {
        let name = String(
            decoding: column.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 },
            as: UTF8.self)
        return systemColumns.contains(name) ? "_\(name)" : name
    }

    private static let rest = "_garner_rest"

    /// Returns the output of `garner export`: the columns but for the rest, and the rows in an order.
    private func exported(_ table: String, _ types: [String: String]) async throws -> (
        columns: [String], rows: [[String]]
    ) {
        let place = folder.appending(path: "export.ndjson")
        try? FileManager.default.removeItem(at: place)
        let victim = try Victim(
            garner, ["export", table, "--deleted", "--quiet", "-o", place.path], in: folder, environment: environment)
        let code = await victim.end()
        guard code == 0, let data = FileManager.default.contents(atPath: place.path) else {
            throw PublishProblem("garner export \(table) ended with \(code)")
        }
        var columns: [String] = []
        let rows = try data.split(separator: UInt8(ascii: "\n")).map { line in
            try Document(parsing: Bytes(Array(line))).withRoot { root in
                let members = root.members.map { (name: $0.key.text, value: $0.value) }
                columns = members.map(\.name).filter { $0 != Self.rest }
                return members.filter { $0.name != Self.rest }.map { name, value in
                    "\(name): \(ComparedValue(value, as: types[Self.name(of: name)]))"
                }
            }
        }
        return (columns, rows.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// The rows in PostgreSQL, with what was set aside in its column's place.
    private func published(
        _ table: String, _ types: [String: String], columns: [String]
    ) async throws -> [[String]] {
        let expressions = types.keys.sorted().map { name in
            let quoted = "\"\(name.replacing("\"", with: "\"\""))\""
            return types[name] == "timestamp with time zone"
                ? "to_char(\(quoted) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS \(quoted)" : quoted
        }
        let result = try await connection.execute(
            "SELECT to_jsonb(r)::text FROM (SELECT \(expressions.joined(separator: ", ")) FROM public.\"\(table)\") AS r"
        )
        let rows = try result.rows.map { row in
            let text = row.first?.text ?? "{}"
            return try Document(parsing: Bytes(Array(text.utf8))).withRoot { root in
                let rest = root[Self.rest]
                return columns.map { column in
                    let name = Self.name(of: column)
                    let value = (rest.flatMap { $0[column] } ?? root[name]).map { ComparedValue($0, as: types[name]) }
                    return "\(column): \(value ?? .null)"
                }
            }
        }
        return rows.sorted { $0.lexicographicallyPrecedes($1) }
    }

    // MARK: - Runs

    private func problemOfRuns(_ sqlite: Connection, isWhole: Bool) async throws -> String? {
        guard let file = try sqlite.text("SELECT file FROM _garner_publication") else {
            return "the file has no identity"
        }
        let ended = try sqlite.rows(
            """
            SELECT run_id, started_at || ' ' || status || ' ' || pages || ' ' || inserted || ' ' || updated || ' ' || deleted FROM _garner_runs
            WHERE status <> 'running'
            """
        ) { ($0.integer(at: 0), $0.text(at: 1)) }
        let found = try await connection.execute(
            """
            SELECT run, concat_ws(' ', to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), status,
                pages, inserted, updated, deleted)
            FROM _garner.runs WHERE file = $1::text::uuid
            """, .text(file))
        let published = found.rows.compactMap { row -> (Int64, String)? in
            guard case .integer(let run) = row[0], let text = row[1].text else { return nil }
            return (run, text)
        }
        let (here, there) = (
            Dictionary(ended) { first, _ in first }, Dictionary(published) { first, _ in "\(first), twice" }
        )
        for (run, text) in here.sorted(by: { $0.key < $1.key }) where there[run] != text {
            return "run \(run) is '\(text)' in the file, and '\(there[run] ?? "missing")' in PostgreSQL"
        }
        let more = there.keys.filter { here[$0] == nil }.sorted()
        return isWhole && !more.isEmpty ? "PostgreSQL has runs that the file has not: \(more)" : nil
    }
}

/// A problem with the published tables.
struct PublishProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
