import Foundation
import GarnerDatabase
import GarnerSQLite
import TestSupport
import Testing

/// The tables that an import and two syncs make of a manifest, beside the records that Airbyte's own program emits.
///
/// `zoo.json` was recorded once: airbyte-cdk 7.39.1 read each stream of `zoo.manifest.yaml` from a server in Python with
/// the rules of `Zoo.answer`, and again with its state after the changes under `then`. Nothing here needs Python.
@Suite(.timeLimit(.minutes(5)))
struct ParityTests {
    private static let streams: [String] = ((try? Zoo.recorded.get().streams.keys) ?? [:].keys).sorted()

    /// Airbyte asks again for the children of the parent at its cursor. Garner sees that this parent has not changed.
    private static let notAsked = ["changed_zoo_offset": "/v1/zoos/3/animals"]

    /// Between the two reads three records change, one goes and one comes, and so do parents with all that is under them. A
    /// table keeps the row of a record that goes, as one does to which Airbyte's records are appended and deduplicated by their key.
    @Test(arguments: streams)
    func `a stream has the rows that Airbyte's own program gives it, after a first and a second read`(
        stream: String
    ) async throws {
        let zoo = try Zoo.recorded.get()
        let expected = try #require(zoo.streams[stream])
        let lists = Watched(zoo.lists)
        try await LoopbackServer.serve({ Zoo.answer($0, from: lists.value) }) { server in
            let place = try Workplace()
            let manifest = try String(contentsOf: Zoo.folder.appending(path: "zoo.manifest.yaml"), encoding: .utf8)
            try place.write(manifest, to: "zoo.manifest.yaml")
            let made = try await place.garner(
                "init", "--from", "zoo.manifest.yaml", "--streams", stream, "--set", "url=\(server.url)",
                "--set", "start_date=2024-01-01", "--strict")
            try #require(made.code == 0, "\(made.errors)")

            try await sync(place)
            var rows = Self.rows(expected.first, of: zoo.lists[expected.list])
            #expect(try Self.table(stream, of: place) == rows)

            let count = server.requests.count
            lists.value = zoo.changedLists
            try await sync(place)
            rows.merge(Self.rows(expected.second, of: lists.value[expected.list])) { _, new in new }
            #expect(try Self.table(stream, of: place) == rows)
            let asked = (expected.from ?? [:]).filter { $0.key != Self.notAsked[stream] }
            #expect(Zoo.bounds(of: server.requests.dropFirst(count)) == asked)
        }
    }

    private func sync(_ place: Workplace) async throws {
        let sync = try await place.garner("sync")
        try #require(sync.code == 0, "\(sync.output)\(sync.errors)")
    }

    /// Records as rows, by their ids.
    private static func rows(_ ids: [Int], of list: [Zoo.Record]?) -> [Int64: [String: String]] {
        let rows = (list ?? []).map { Zoo.columns($0) }.filter { row in ids.contains { "\($0)" == row["id"] } }
        return Dictionary(rows.map { (Int64($0["id"] ?? "") ?? 0, $0) }) { _, new in new }
    }

    /// A table by its rows' ids, without the columns that Garner adds.
    private static func table(_ name: String, of place: Workplace) throws -> [Int64: [String: String]] {
        let rows = try place.rows("SELECT * FROM \"\(name)\"") { row in
            var values: [String: String] = [:]
            for column in 0..<row.columnCount where !row.columnName(at: column).hasPrefix("_") {
                values[row.columnName(at: column)] = row.text(at: column)
            }
            return values
        }
        #expect(Set(rows.map { $0["id"] }).count == rows.count)
        return Dictionary(rows.map { (Int64($0["id"] ?? "") ?? 0, $0) }) { _, new in new }
    }
}
