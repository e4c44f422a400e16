import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Stations of several cities: each value of a partition is stored with its records.
@Suite(.timeLimit(.minutes(5)))
struct PartitionTests {
    private static func stations(
        _ rig: SyncRig, of cities: [String] = ["berlin", "bern"],
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("stations") {
            $0.request.path = "{partition.city}/stations"
            $0.partitions = [Partition(name: "city", values: cities)]
            $0.primaryKey = nil
            change(&$0)
        }
    }

    private static func city(of request: LoopbackRequest) -> String {
        String(request.target.split(separator: "/").first ?? "")
    }

    private static func list(_ records: [(id: Int, name: String)]) -> LoopbackReply {
        .json("[\(records.map { #"{"id":\#($0.id),"name":"\#($0.name)"}"# }.joined(separator: ","))]")
    }

    private static func rows(_ rig: SyncRig) throws -> [String] {
        try rig.texts("SELECT coalesce(_city, '-') || ' ' || id || ' ' || name FROM stations ORDER BY id, _city")
    }

    @Test func `the value of a partition is a column beside the key`() async throws {
        try await SyncRig.run({ Self.list(Self.city(of: $0) == "berlin" ? [(1, "Zoo")] : [(2, "Tor")]) }) { rig in
            for expected in [[2, 0, 0], [0, 0, 2]] {
                let counts = try await rig.sync(Self.stations(rig)).counts
                #expect([counts.inserted, counts.updated, counts.unchanged] == expected)
            }
            #expect(try Self.rows(rig) == ["berlin 1 Zoo", "bern 2 Tor"])
            #expect(try rig.texts("SELECT name FROM pragma_table_info('stations') WHERE pk > 0") == ["id"])
        }
    }

    @Test func `a column of the partition's value is that of the first one, too`() async throws {
        try await SyncRig.run({ _ in Self.list((1...3).map { ($0, "the same") }) }) { rig in
            let stream = Self.stations(rig, of: ["c", "a"]) {
                $0.fields.additions = [
                    AddedColumn(
                        name: "town", content: .composed([FieldTemplate(parts: [.value(.partition("city"))])]))
                ]
            }
            for inserted in [3, 0] {
                let counts = try await rig.sync(stream).counts
                #expect(counts.inserted == inserted)
                // In the first sync, either of the two answers may come first.
                #expect(inserted > 0 || counts.updated == 0)
                #expect(try rig.texts("SELECT DISTINCT town FROM stations") == ["c"])
            }
        }
    }

    @Test func `a record that comes under two values is one row with the first one`() async throws {
        try await SyncRig.run({ _ in Self.list((1...30).map { ($0, "the same") }) }) { rig in
            let stream = Self.stations(rig, of: ["c", "a", "b"])
            let first = try await rig.sync(stream)
            #expect(first.status == .succeeded)
            #expect(first.record?.warning == nil)
            #expect(try rig.texts("SELECT DISTINCT _city FROM stations") == ["c"])
            let second = try await rig.sync(stream)
            #expect([second.counts.inserted, second.counts.updated, second.counts.unchanged] == [0, 0, 90])
        }
    }

    @Test func `a partition that fails in each sync does not keep the others from being read again`() async throws {
        let name = Watched("old")
        try await SyncRig.run({ request in
            Self.city(of: request) == "bern" ? .status(500) : Self.list([(1, name.value)])
        }) { rig in
            let stream = Self.stations(rig, of: ["bern", "berlin"]) { $0.maxConcurrency = 1 }
            _ = try await rig.sync(stream)
            name.value = "new"
            for _ in 1...2 { #expect(try await rig.sync(stream).status == .failed) }
            #expect(try Self.rows(rig) == ["berlin 1 new"])
            #expect(rig.server.requests.map(Self.city) == ["bern", "berlin", "bern", "bern", "berlin"])
        }
    }

    @Test func `values that share records are read in their order, although no page can be remembered`() async throws {
        try await SyncRig.run({ request in
            // The first value comes last where both are requested at once.
            if Self.city(of: request) == "berlin" { try? await ContinuousClock().sleep(for: .milliseconds(300)) }
            return .json(#"[{"id":null,"name":"nobody"},{"id":1,"name":"Zoo"}]"#)
        }) { rig in
            let stream = Self.stations(rig) { $0.primaryKey = ["id"] }
            _ = try await rig.sync(stream)
            let counts = try await rig.sync(stream).counts
            #expect([counts.updated, counts.unchanged, counts.quarantined] == [0, 2, 2])
        }
    }

    @Test func `a record that moves to another value takes that`() async throws {
        let isMoved = Watched(false)
        try await SyncRig.run({ request in
            Self.list((Self.city(of: request) == "bern") == isMoved.value ? [(1, "Zoo"), (2, "Tor")] : [])
        }) { rig in
            _ = try await rig.sync(Self.stations(rig))
            isMoved.value = true
            #expect(try await rig.sync(Self.stations(rig)).counts.updated == 2)
            #expect(try Self.rows(rig) == ["bern 1 Zoo", "bern 2 Tor"])
        }
    }

    @Test func `different records with the same key fail the first read, which says what to write`() async throws {
        try await SyncRig.run({ request in
            let city = Self.city(of: request)
            return Self.list((1...20).map { ($0, "\(city) \($0)") })
        }) { rig in
            let outcome = try await rig.sync(Self.stations(rig) { $0.maxConcurrency = 1 })
            let failure = try #require(outcome.failure)
            #expect(failure.message.contains("20 records of different partitions have the id of another one"))
            #expect(failure.message.contains("such as 1 (city berlin; city bern)"))
            #expect(
                failure.hint
                    == "set primary_key: [_city, id] if they are different records, or leave out with fields: { drop: … } what differs"
            )

            let stream = Self.stations(rig) { $0.primaryKey = ["_city", "id"] }
            #expect(try await rig.sync(stream).counts.inserted == 40)
            #expect(try await rig.sync(stream).counts.unchanged == 40)
        }
    }

    @Test func `a few records with the same key and other content are a warning`() async throws {
        try await SyncRig.run({ request in
            let city = Self.city(of: request)
            return Self.list((1...20).map { ($0, $0 == 7 ? city : "the same") })
        }) { rig in
            let stream = Self.stations(rig) { ($0.primaryKey, $0.maxConcurrency) = (["id"], 1) }
            for _ in 1...2 {
                let warning = try #require(try await rig.sync(stream).record?.warning)
                #expect(warning.contains("1 record of different partitions has the id of another one"))
                #expect(warning.contains("such as 7 (city berlin; city bern)"))
                #expect(warning.contains("set primary_key: [_city, id]"))
            }
        }
    }

    @Test func `a conflict with a record on a page that came unchanged is told by the next sync`() async throws {
        let hasOther = Watched(false)
        try await SyncRig.run({ request in
            let isBern = Self.city(of: request) == "bern"
            return Self.list(
                (1...20).map { number in
                    guard isBern else { return (number, "berlin") }
                    return number == 7 && hasOther.value ? (7, "other") : (100 + number, "bern")
                })
        }) { rig in
            let stream = Self.stations(rig) { ($0.primaryKey, $0.maxConcurrency) = (["id"], 1) }
            #expect(try await rig.sync(stream).record?.warning == nil)
            hasOther.value = true
            _ = try await rig.sync(stream)
            let warning = try #require(try await rig.sync(stream).record?.warning)
            #expect(warning.contains("1 record of different partitions has the id of another one"))
        }
    }

    @Test func `the only record of each value is known by the value`() async throws {
        try await SyncRig.run({ .json(#"{"temperature":\#(Self.city(of: $0).count)}"#) }) { rig in
            let stream = Self.stations(rig) { $0.recordSelector = "$" }
            for expected in [[2, 0], [0, 2]] {
                let counts = try await rig.sync(stream).counts
                #expect([counts.inserted, counts.unchanged] == expected)
            }
            #expect(try rig.texts("SELECT _city || temperature FROM stations ORDER BY 1") == ["berlin6", "bern4"])
        }
    }

    @Test func `a field with the name of the column is an error`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"_city":"Rome"}]"#) }) { rig in
            let failure = try #require(try await rig.sync(Self.stations(rig)).failure)
            #expect(
                failure.message == "the records have a field '_city', which is the column for the partition 'city'")
            #expect(failure.hint == "give the partition another name, or the field: fields: { rename: { _city: … } }")
        }
    }

    /// Reads one city without partitions, and then both with them.
    private static func withoutAndWith(
        _ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void
    ) async throws -> RunCounts {
        _ = try await rig.sync(
            stations(rig) {
                change(&$0)
                ($0.partitions, $0.request.path) = ([], "berlin/stations")
            })
        return try await rig.sync(stations(rig, change)).counts
    }

    @Test func `the column is added to a table that exists, whatever its contract, and filled`() async throws {
        try await SyncRig.run({ Self.list(Self.city(of: $0) == "berlin" ? [(1, "Zoo")] : [(2, "Tor")]) }) { rig in
            let counts = try await Self.withoutAndWith(rig) { $0.schemaContract.columns = .freeze }
            #expect([counts.inserted, counts.updated] == [1, 1])
            #expect(try Self.rows(rig) == ["berlin 1 Zoo", "bern 2 Tor"])
        }
    }

    @Test func `the records of a table with dedupe keep the content that they had`() async throws {
        try await SyncRig.run({ _ in Self.list([(1, "Zoo")]) }) { rig in
            let counts = try await Self.withoutAndWith(rig) { $0.dedupes = true }
            #expect([counts.inserted, counts.unchanged] == [0, 2])
        }
    }
}
