import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct LatenessTests {
    private func milliseconds(_ values: [Int]) -> [Duration] { values.map { .milliseconds($0) } }

    @Test func `lateness counts the runs within each bound`() {
        let lateness = Lateness(
            of: milliseconds([-5, 0, 10, 11, 50, 51, 100, 101, 1000, 1001, 10_000, 10_001, 60_000, 60_001, 900_000]))
        #expect(lateness.buckets.map(\.count) == [3, 2, 2, 2, 2, 2, 2])
        #expect(
            lateness.buckets.map(\.upTo) == milliseconds([10, 50, 100, 1000, 10_000, 60_000]) + [nil])
        #expect(lateness.count == 15)
        #expect(lateness.greatest == .seconds(900))
    }

    @Test(arguments: [([7], 7, 7), ([1, 9], 1, 9), (Array(1...100), 50, 99), (Array(1...1000), 500, 990)])
    func `lateness has a median and a 99th percentile`(values: [Int], median: Int, p99: Int) {
        let lateness = Lateness(of: milliseconds(values.reversed()))
        #expect(lateness.median == .milliseconds(median))
        #expect(lateness.p99 == .milliseconds(p99))
    }

    @Test func `lateness without runs has empty buckets and no percentiles`() {
        let lateness = Lateness(of: [])
        #expect(lateness.count == 0 && lateness.buckets.allSatisfy { $0.count == 0 })
        #expect(lateness.median == nil && lateness.p99 == nil && lateness.greatest == nil)
    }

    @Test func `lateness covers scheduled runs, of one stream or since an instant`() async throws {
        let fixture = try Fixture()
        // The store's clock stands at 1_769_846_700_000.
        for (table, milliseconds) in [("animals", 5), ("animals", 70), ("plants", 20_000)] {
            let due = Timestamp(millisecondsSince1970: 1_769_846_700_000 - Int64(milliseconds))
            let run = try await fixture.writer.begin(
                .animals(table: table), identity: "i", occasion: .scheduled(nominal: due, dueAt: due))
            _ = try await fixture.writer.end(run: run, as: .failed)
        }
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let early = Timestamp(millisecondsSince1970: 0)
        try await fixture.writer.skip(.animals(), nominals: early...early, count: 1, reason: "busy")
        let reader = try ReadOnlyDatabase(path: fixture.path)
        #expect(try reader.lateness().buckets.map(\.count) == [1, 0, 1, 0, 0, 1, 0])
        let animals = StreamName(source: "zoo", stream: "animals")
        #expect(try reader.lateness(of: animals).buckets.map(\.count) == [1, 0, 1, 0, 0, 0, 0])
        let since = Timestamp(millisecondsSince1970: 1_769_846_700_000 - 70)
        #expect(try reader.lateness(since: since).count == 2)
    }
}
