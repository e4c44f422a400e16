import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSQLite
import GarnerSync
import TestSupport
import Testing

/// The number of numbers to test, from `GARNER_EXACT_NUMBERS`.
private let numberCount = ProcessInfo.processInfo.environment["GARNER_EXACT_NUMBERS"].flatMap(Int.init) ?? 5_000

@Suite(.timeLimit(.minutes(numberCount < 100_000 ? 5 : 240)))
struct ExactnessTests {
    private static let seed: UInt64 = 20_260_131
    private static let recordsPerPage = 250
    private static let recordCount = max(numberCount / ExactRecord.numbersPerRecord, 1)

    @Test func `numbers and texts survive response, table, CSV and JSON`() async throws {
        let pages = (Self.recordCount + Self.recordsPerPage - 1) / Self.recordsPerPage
        try await SyncRig.run({ request in
            let first = (request.page - 1) * Self.recordsPerPage
            let records = (first..<min(first + Self.recordsPerPage, Self.recordCount)).map {
                ExactRecord(number: $0, seed: Self.seed).json
            }
            let next = request.page < pages ? "\"?page=\(request.page + 1)\"" : "null"
            return .json("{\"data\":[\(records.joined(separator: ",\n"))],\"next\":\(next)}")
        }) { rig in
            let outcome = try await rig.sync()
            #expect(outcome.record?.counts.inserted == Self.recordCount, "\(outcome)")
            #expect(outcome.record?.counts.quarantined == 0)
            let reader = try ReadOnlyDatabase(path: rig.path)
            let names = try Self.memberNames(in: reader)
            var faults = Faults()
            try Self.checkCSV(Self.export(.csv, from: reader), names, &faults)
            try Self.checkJSON(Self.export(.ndjson, from: reader), names, &faults)
            #expect(faults.shown == [])
        }
    }

    @Test(arguments: [true, false]) func `keys survive, whether they are texts or numbers`(areTexts: Bool) async throws
    {
        var random = SplitMix64(seed: Self.seed)
        var keys: [[UInt8]] = []
        var seen: Set<[UInt8]> = []
        while keys.count < 1_500 {
            let key = areTexts ? ExactCorpus.text(&random) : Array(ExactCorpus.number(&random).utf8)
            // Spelled otherwise, a number is still the same; which of the two is kept is no matter here.
            let identity = areTexts ? key : ExactNumber(key).map { Array("\($0)".utf8) } ?? []
            if seen.insert(identity).inserted { keys.append(key) }
        }
        let records = keys.enumerated().map { index, key in
            let spelled =
                areTexts ? ExactCorpus.quoted(key, escapingAll: index % 2 == 0) : String(decoding: key, as: UTF8.self)
            return "{\"k\":\(spelled),\"n\":\(index)}"
        }
        try await SyncRig.run({ _ in .json("[\(records.joined(separator: ","))]") }) { [keys] rig in
            let outcome = try await rig.sync(rig.stream { $0.primaryKey = ["k"] })
            #expect(outcome.record?.counts.inserted == keys.count, "\(outcome)")
            var reading = CSVReading(try Self.export(.csv, from: ReadOnlyDatabase(path: rig.path)))
            _ = reading.nextRow()
            var rows = 0
            while let row = reading.nextRow() {
                let index = try #require(row[1].flatMap { Int(String(decoding: $0, as: UTF8.self)) })
                let isSame =
                    areTexts ? row[0] == keys[index] : ExactNumber(row[0] ?? []) == ExactNumber(keys[index])
                if !isSame {
                    Issue.record(
                        "\(String(decoding: keys[index], as: UTF8.self)) is \(String(decoding: row[0] ?? [], as: UTF8.self))"
                    )
                }
                rows += 1
            }
            #expect(rows == keys.count)
            let again = try await rig.sync(rig.stream { $0.primaryKey = ["k"] })
            #expect(again.record?.counts.unchanged == keys.count)
        }
    }

    @Test(arguments: [#"{"id":null,"a":-0}"#, #"{"a":"\ud800", "b" : 1.50}"#, #"{"id" : null,"\u0000":{"b":[1,2.0]}}"#])
    func `what cannot be stored is in quarantine as it came`(record: String) async throws {
        try await SyncRig.run({ _ in .json("[{\"id\":1},\(record)]") }) { rig in
            let outcome = try await rig.sync()
            #expect(outcome.record?.counts.quarantined == 1)
            #expect(
                try rig.texts("SELECT record FROM _garner_quarantine").map { Array($0.utf8) } == [Array(record.utf8)])
        }
    }

    @Test func `keys that differ in halves of characters do not overwrite each other`() async throws {
        let records = #"[{"id":"\ud800","a":1},{"id":"x","a":2},{"id":"\ud801","a":3},{"id":"\ud83d\ude00","a":4}]"#
        try await SyncRig.run({ _ in .json(records) }) { rig in
            let record = try await rig.sync().record
            #expect(record?.counts.quarantined == 2)
            #expect(record?.completeness == .partial)
            #expect(try rig.integers("SELECT a FROM animals ORDER BY a") == [2, 4])
        }
    }

    @Test(arguments: [(["1", "5"], ["5.0", "6"]), (["1.0", "5.0"], ["5", "6"]), (["1.0", "5"], ["5.0", "6.00"])])
    func `a key is one, whether it is spelled as 5 or 5.0`(first: [String], last: [String]) async throws {
        try await SyncRig.run({ request in
            let keys = request.page == 2 ? last : first
            let records = keys.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return .json(#"{"data":[\#(records)],"next":\#(request.page == 2 ? "null" : "\"?page=2\"")}"#)
        }) { rig in
            for inserted in [3, 0] {
                let record = try await rig.sync().record
                #expect(record?.counts.inserted == inserted)
                #expect(try rig.texts("SELECT CAST(id AS TEXT) FROM animals ORDER BY id") == ["1", "5", "6"])
            }
        }
    }

    @Test func `a key beyond what a double holds is one, whether it has a point or not`() async throws {
        try await SyncRig.run({ request in
            let records =
                request.page == 2
                ? #"{"id":9007199254740993},{"id":9007199254740995.0}"#
                : #"{"id":9007199254740993.0},{"id":9007199254740992.0}"#
            return .json(#"{"data":[\#(records)],"next":\#(request.page == 2 ? "null" : "\"?page=2\"")}"#)
        }) { rig in
            for inserted in [3, 0] {
                let record = try await rig.sync().record
                #expect(record?.counts.inserted == inserted)
                let keys = try rig.texts("SELECT CAST(id AS TEXT) FROM animals ORDER BY id")
                #expect(keys == ["9007199254740992", "9007199254740993", "9007199254740995"])
            }
        }
    }

    @Test func `a surrogate without its other half becomes U+FFFD, and that is told`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"a":"x\ud83dy\udc00"}]"#) }) { rig in
            let outcome = try await rig.sync()
            #expect(try rig.texts("SELECT a FROM animals") == ["x\u{FFFD}y\u{FFFD}"])
            #expect(outcome.record?.warning?.isEmpty == false)
        }
    }
}

extension ExactnessTests {
    /// The first of those values that came out otherwise.
    private struct Faults {
        private(set) var shown: [String] = []

        mutating func note(_ place: String, _ name: [UInt8], _ expected: ExactRecord.Value?, _ found: [UInt8]?) {
            guard shown.count < 20 else { return }
            let found = found.map { String(decoding: $0, as: UTF8.self).debugDescription } ?? "nothing"
            shown.append(
                "\(place) \(String(decoding: name, as: UTF8.self).debugDescription): \(expected.map { "\($0)" } ?? "nothing") is \(found)"
            )
        }
    }

    private static func export(_ format: RowFormat, from reader: ReadOnlyDatabase) throws -> [UInt8] {
        let output = Output()
        try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock()), limits: .none) {
            let rows = try reader.rows(for: RowRequest(table: "animals", order: "_rowid_"))
            try rows.write(as: format) { output.bytes += $0 }
        }
        return output.bytes
    }

    private final class Output {
        var bytes: [UInt8] = []
    }

    /// The member that each column holds.
    private static func memberNames(in reader: ReadOnlyDatabase) throws -> [[UInt8]: [UInt8]] {
        let columns = try reader.description(of: "animals").columns
        return try Dictionary(
            uniqueKeysWithValues: columns.map { (Array($0.name.utf8), Array(try #require($0.path.first).utf8)) })
    }

    private static func checkCSV(_ bytes: [UInt8], _ names: [[UInt8]: [UInt8]], _ faults: inout Faults) throws {
        var reading = CSVReading(bytes)
        let first = reading.nextRow()
        let header = try #require(first).map { names[$0 ?? []] ?? [] }
        #expect(Set(header).count == names.count)
        var number = 0
        while let row = reading.nextRow() {
            try #require(row.count == header.count)
            check(Dictionary(zip(header, row)) { first, _ in first }, number, "CSV \(number)", &faults)
            number += 1
        }
        #expect(number == recordCount)
    }

    private static func checkJSON(_ bytes: [UInt8], _ names: [[UInt8]: [UInt8]], _ faults: inout Faults) throws {
        var reading = JSONReading(bytes)
        var number = 0
        while let object = try reading.nextObject() {
            let values = Dictionary(object.map { (names[$0.name] ?? [], $0.value) }) { first, _ in first }
            #expect(values.count == names.count)
            check(values, number, "JSON \(number)", &faults)
            number += 1
        }
        #expect(number == recordCount)
    }

    private static func check(_ found: [[UInt8]: [UInt8]?], _ number: Int, _ place: String, _ faults: inout Faults) {
        let expected = ExactRecord(number: number, seed: seed).values
        for (name, value) in expected where !found.keys.contains(name) { faults.note(place, name, value, nil) }
        for (name, value) in found {
            let isSame =
                switch (expected[name], value) {
                case (nil, nil): true
                case (.text(let text), let value?): text == value
                case (.number(let spelling), let value?): ExactNumber(spelling.utf8) == ExactNumber(value)
                default: false
                }
            if !isSame { faults.note(place, name, expected[name], value) }
        }
    }
}
