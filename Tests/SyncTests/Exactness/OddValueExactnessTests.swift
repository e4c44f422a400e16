import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync
import TestSupport
import Testing

/// The number of values to test, from `GARNER_EXACT_NUMBERS`.
private let valueCount = ProcessInfo.processInfo.environment["GARNER_EXACT_NUMBERS"].flatMap(Int.init) ?? 24_000

/// Tables whose columns have numbers, booleans, texts and lists in every mixture, which drift from read to read.
@Suite(.timeLimit(.minutes(valueCount < 100_000 ? 5 : 120)))
struct OddValueExactnessTests {
    private static let (tables, rounds, fields) = (20, 4, 6)

    /// A value as the source writes it.
    private enum Kind: CaseIterable {
        case integer, decimal, boolean, placeholder, spelled, code, list, null, hard, empty
    }

    /// The kinds of values that a field has, the likeliest first.
    private struct Mixture {
        let kinds: [Kind]

        /// - Parameter round: later rounds have more kinds.
        init(round: Int, _ random: inout SplitMix64) {
            var main: [Kind] = [.integer, .integer, .decimal, .boolean, .placeholder, .spelled, .code, .list]
            if round == 0 { main.append(.empty) }
            var kinds = Array(repeating: main.randomElement(using: &random) ?? .integer, count: 12)
            for _ in 0..<Int.random(in: 0...2 + round, using: &random) {
                kinds.append(Kind.allCases.randomElement(using: &random) ?? .null)
            }
            self.kinds = kinds
        }

        func value(_ random: inout SplitMix64) -> String {
            switch kinds.randomElement(using: &random) ?? .null {
            case .integer: "\(Int.random(in: -999...999, using: &random))"
            case .decimal:
                "\(Int.random(in: -99...99, using: &random)).\(["0", "5", "25", "50"].randomElement(using: &random) ?? "5")"
            case .boolean: Bool.random(using: &random) ? "true" : "false"
            case .placeholder: ["\"n/a\"", "\"\"", "\"unknown\"", "[]", "{}"].randomElement(using: &random) ?? "[]"
            case .spelled:
                "\"\(Int.random(in: -99...99, using: &random))\(["", ".5", ".50"].randomElement(using: &random) ?? "")\""
            case .code: ["\"A12\"", "\"012\"", "\"+49\"", "\"1 \""].randomElement(using: &random) ?? "\"A1\""
            case .list: "[\(Int.random(in: 0...9, using: &random)),\"x\"]"
            case .null: "null"
            case .empty: "{}"
            case .hard: ExactCorpus.number(&random)
            }
        }
    }

    @Test(arguments: 1...tables)
    func `what the source wrote is shown, and SQL counts the numbers`(seed: Int) async throws {
        let now = Watched<[[String]]>([])
        let pageSize = 50
        try await SyncRig.run({ request in
            let first = (request.page - 1) * pageSize
            let records = now.value.enumerated().dropFirst(first).prefix(pageSize).map { id, values in
                "{\"id\":\(id),\(values.enumerated().map { "\"f\($0)\":\($1)" }.joined(separator: ","))}"
            }
            let next = first + pageSize < now.value.count ? "\"?page=\(request.page + 1)\"" : "null"
            return .json("{\"data\":[\(records.joined(separator: ","))],\"next\":\(next)}")
        }) { rig in
            var random = SplitMix64(seed: UInt64(seed))
            let most = max(valueCount / Self.tables / Self.rounds / Self.fields, 5)
            for round in 0..<Self.rounds {
                // Some records go, some come again as they were, and the others have new values.
                let mixtures = (0..<Self.fields).map { _ in Mixture(round: round, &random) }
                let old = now.value
                now.value = (0..<Int.random(in: most / 2...most, using: &random)).map { id in
                    id < old.count && Bool.random(using: &random) ? old[id] : mixtures.map { $0.value(&random) }
                }
                let history = seed.isMultiple(of: 3)
                // An empty object that came before its column is there with the second sync.
                let flattens = seed.isMultiple(of: 2)
                for _ in 0..<(flattens ? 2 : 1) {
                    let outcome = try await rig.sync(
                        rig.stream {
                            ($0.history, $0.deleteMissing, $0.maxDeleteRatio) = (history, .hard, 1)
                            if !flattens { $0.flattenDepth = 0 }
                        })
                    #expect(outcome.failure == nil && outcome.record?.counts.quarantined == 0, "\(outcome)")
                }
                try Self.check(now.value, rig, "round \(round)")
            }
        }
    }

    private static func check(_ records: [[String]], _ rig: SyncRig, _ place: String) throws {
        let reader = try ReadOnlyDatabase(path: rig.path)
        let columns = try reader.description(of: "animals").columns
        let noted = try reader.history(of: rig.stream().name)?.oddColumns ?? []
        for field in 0..<fields {
            let values = records.map { $0[field] }
            guard let column = columns.first(where: { $0.name == "f\(field)" && $0.type != nil }) else {
                #expect(values.allSatisfy { $0 == "{}" || $0 == "null" }, "\(place), f\(field)")
                continue
            }
            let shown = try Self.shown(column.name, reader)
            let type = column.type ?? .text
            let wrong = zip(values, shown).first { !isSame($0, $1, in: type) }
            #expect(wrong == nil, "\(place), \(column.name) \(type.rawValue)")
            #expect(shown.count == values.count)
            guard [.boolean, .integer, .real].contains(type) else { continue }
            let numbers = values.compactMap { number($0) }
            let odd = values.count { $0 != "null" } - numbers.count
            for limit in [-50.0, 0, 7.5] {
                let found = try rig.integers("SELECT count(*) FROM animals WHERE \(column.name) > \(limit)")
                #expect(found == [Int64(numbers.count { $0 > limit })], "\(place), \(column.name) > \(limit)")
            }
            #expect(try rig.integers("SELECT count(\(column.name)) FROM animals") == [Int64(numbers.count)])
            #expect(noted.first { $0.column == column.name }?.odd ?? 0 == odd, "\(place), \(column.name): \(noted)")
        }
    }

    private static func shown(_ column: String, _ reader: ReadOnlyDatabase) throws -> [String] {
        let output = Watched<[UInt8]>([])
        _ = try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock()), limits: .none) {
            try reader.rows(for: RowRequest(table: "animals", columns: [column], order: "id"))
                .write(as: .ndjson) { bytes in output.change { $0 += bytes } }
        }
        return String(decoding: output.value, as: UTF8.self).split(separator: "\n").map {
            String($0.dropFirst(column.utf8.count + 4).dropLast())
        }
    }

    /// What a column of numbers or booleans has of a value: the number that it is, or that it spells.
    private static func number(_ value: String) -> Double? {
        if value == "true" || value == "false" { return value == "true" ? 1 : 0 }
        let text = value.hasPrefix("\"") ? String(value.dropFirst().dropLast()) : value
        guard ExactNumber(Array(text.utf8)) != nil else { return nil }
        return Double(text)
    }

    private static func isSame(_ value: String, _ shown: String, in type: ColumnType) -> Bool {
        if value == shown { return true }
        if value == "true" || value == "false" { return shown == "\"\(value)\"" }
        let isText = type == .text || type == .json
        // A column of text has texts; one of numbers shows the numbers that texts spell, and booleans.
        let bare = shown.hasPrefix("\"") ? String(shown.dropFirst().dropLast()) : shown
        if isText, value == bare.replacing("\\\"", with: "\"") { return true }
        guard let number = number(value), let other = Self.number(shown) else { return false }
        let spellings = [value, shown].map { ExactNumber(Array($0.filter { $0 != "\"" }.utf8)) }
        // No column keeps the sign of a zero.
        if number == 0, other == 0 { return true }
        return number == other && (spellings.contains { $0 == nil } || spellings[0] == spellings[1])
    }
}
