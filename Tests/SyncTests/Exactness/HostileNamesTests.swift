import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSQLite
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HostileNamesTests {
    private static let names = ExactCorpus.hostileNames

    /// The member of this number among `names`, with a value as JSON.
    private static func member(_ number: Int, _ value: String) -> String {
        "\(ExactCorpus.quoted(Array(names[number].utf8), escapingAll: number % 2 == 0)):\(value)"
    }

    /// A record with so many members from the first on; their values are their numbers.
    private static func whole(_ id: Int) -> String {
        "{\"id\":\(id),\(names.indices.map { member($0, "\($0)") }.joined(separator: ","))}"
    }

    @Test func `columns of any name are found again, and widened one by one`() async throws {
        var random = SplitMix64(seed: 7)
        let order = Self.names.indices.shuffled(using: &random)
        let late = Watched<[String]>([])
        try await SyncRig.run({ _ in .json("[\(([Self.whole(-1)] + late.value).joined(separator: ","))]") }) { rig in
            #expect(try await rig.sync().counts.inserted == 1)
            #expect(try await rig.sync().counts.unchanged == 1)
            late.value = order.prefix(1).map { "{\"id\":\($0),\(Self.member($0, "\"x1\""))}" }
            #expect(try await rig.sync().counts.inserted == 1)
            try Self.expectColumns(in: rig) { $0 == order[0] }
            late.value = order.map { "{\"id\":\($0),\(Self.member($0, "\"x1\""))}" }
            #expect(try await rig.sync().counts.inserted == order.count - 1)
            try Self.expectColumns(in: rig) { _ in true }
            let again = try await rig.sync().counts
            #expect([again.inserted, again.updated, again.unchanged] == [0, 0, order.count + 1])
            let rows = try Self.rows(in: rig)
            #expect(rows[-1] == Self.names.indices.map { Optional("\($0)") })
            for number in Self.names.indices {
                #expect(rows[Int64(number)] == Self.names.indices.map { $0 == number ? "x1" : nil })
            }
            #expect(try rig.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test func `what is set aside from columns of any name is shown, and put back`() async throws {
        let records = Watched([Self.whole(-1), Self.whole(-2)])
        try await SyncRig.run({ _ in .json("[\(records.value.joined(separator: ","))]") }) { rig in
            _ = try await rig.sync()
            let odd = Self.names.indices.map { "{\"id\":\($0),\(Self.member($0, "\"n/a\""))}" }
            records.value += odd
            #expect(try await rig.sync().counts.inserted == odd.count)
            try Self.expectColumns(in: rig) { _ in false }
            let shown = Watched("")
            let reader = try ReadOnlyDatabase(path: rig.path)
            _ = try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock()), limits: .none) {
                try reader.rows(for: RowRequest(table: "animals", condition: "id >= 0", order: "id"))
                    .write(as: .csv) { bytes in shown.change { $0 += String(decoding: bytes, as: UTF8.self) } }
            }
            #expect(shown.value.split(separator: "\r\n").suffix(odd.count).allSatisfy { $0.contains(",n/a") })
            records.value.append(
                "{\"id\":-3,\(Self.names.indices.map { Self.member($0, "\"x1\"") }.joined(separator: ","))}")
            #expect(try await rig.sync().counts.inserted == 1)
            try Self.expectColumns(in: rig) { _ in true }
            let rows = try Self.rows(in: rig)
            for number in Self.names.indices {
                let values = rows[Int64(number)]?.prefix(Self.names.count) ?? []
                #expect(Array(values) == Self.names.indices.map { $0 == number ? "n/a" : nil })
            }
        }
    }

    @Test func `arrays of any name have a table each`() async throws {
        let value = Watched("1")
        try await SyncRig.run({ _ in
            let arrays = Self.names.indices.map { number in
                let element = "{\(Self.member(number, "\(number)"))}"
                return Self.member(number, "[\(element),{\"n\":\(value.value)}]")
            }
            return .json("[{\"id\":1,\(arrays.joined(separator: ","))}]")
        }) { rig in
            let stream = rig.stream { $0.childTables = true }
            #expect(try await rig.sync(stream).counts.inserted == 1)
            #expect(try await rig.sync(stream).counts.unchanged == 1)
            value.value = "\"x1\""
            #expect(try await rig.sync(stream).counts.updated == 1)
            let reader = try ReadOnlyDatabase(path: rig.path)
            let tables = try reader.tables().map(\.table).filter { $0 != "animals" }
            let connection = try Connection(path: rig.path, mode: .readOnly)
            #expect(tables.count == Self.names.count)
            var found: Set<Int> = []
            for table in tables {
                let rows = try connection.rows("SELECT * FROM \(quoted(table))") { row in
                    (0..<row.columnCount).map { row.optionalText(at: $0) }
                }
                let number = try #require(rows.first?[2].flatMap { Int($0) })
                #expect(rows == [["1", "0", "\(number)", nil], ["1", "1", nil, "x1"]])
                let paths = try reader.description(of: table).columns.map { $0.path.map { Array($0.utf8) } }
                #expect(paths[2...] == [[Array(Self.names[number].utf8)], [Array("n".utf8)]])
                found.insert(number)
            }
            #expect(found.count == tables.count)
            #expect(try rig.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    /// The columns behind the key are those of `names` in their order, with these types.
    private static func expectColumns(
        in rig: SyncRig, sourceLocation: SourceLocation = #_sourceLocation, isText: (Int) -> Bool
    ) throws {
        let columns = try Connection(path: rig.path, mode: .readOnly).rows(
            "SELECT name, type FROM pragma_table_info('animals')"
        ) { [Array($0.text(at: 0).utf8), Array($0.text(at: 1).utf8)] }
        let expected = names.enumerated().map { number, name in
            [Array(name.utf8), Array((isText(number) ? "TEXT" : "INTEGER").utf8)]
        }
        #expect(columns.first?.first == Array("id".utf8), sourceLocation: sourceLocation)
        #expect(Array(columns.dropFirst().prefix(expected.count)) == expected, sourceLocation: sourceLocation)
    }

    /// The values behind the key, by that.
    private static func rows(in rig: SyncRig) throws -> [Int64: [String?]] {
        let rows = try Connection(path: rig.path, mode: .readOnly).rows("SELECT * FROM animals") { row in
            (row.integer(at: 0), (1..<row.columnCount).map { row.optionalText(at: $0) })
        }
        return Dictionary(rows) { first, _ in first }
    }
}
