import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FirstPageTests {
    private static let zoo: LoopbackServer.Handler = { request in
        switch request.target {
        case "/animals": .json(#"[{"id":null},{"id":7,"name":"x"},{"id":8,"name":"y"}]"#)
        case "/animals/7/feedings": .json(#"[{"id":1},{"id":2}]"#)
        case "/meals/1": .json(#"[{"meal":"hay"}]"#)
        default: .json("[]")
        }
    }

    private static func fetch(
        _ name: String, of change: @escaping @Sendable (inout StreamConfiguration) -> Void,
        _ check: @escaping @Sendable (FirstPage, StreamConfiguration, [String]) throws -> Void
    ) async throws {
        try await SyncRig.run(zoo) { rig in
            let animals = rig.stream()
            let feedings = rig.stream("feedings") {
                $0.request.path = "animals/{parent.id}/feedings"
                $0.parent = Parent(stream: animals.name, include: ["id", "name"])
                $0.primaryKey = nil
            }
            let stream = rig.stream(name) {
                $0.primaryKey = nil
                change(&$0)
            }
            let transports = Transports(userAgent: "garner/test")
            let timing = Timing(clock: ContinuousClock(), now: { SyncRig.epoch }, random: { 0.5 })
            let streams = [animals, feedings, stream]
            do {
                let first = try await FirstPage.fetch(
                    of: stream, parents: streams, database: rig.path, now: SyncRig.epoch,
                    clock: ContinuousClock()
                ) {
                    try PageFetcher(stream: $0, transport: transports.transport(for: $0), timing: timing)
                }
                try check(first, stream, rig.server.requests.map(\.target))
            } catch {
                try await transports.shutdown()
                throw error
            }
            try await transports.shutdown()
        }
    }

    @Test func `a child is asked for with the parent's first record that has the field`() async throws {
        try await Self.fetch("feedings") {
            $0.request.path = "animals/{parent.id}/feedings"
            $0.parent = Parent(stream: StreamName(source: "zoo", stream: "animals"), include: ["id", "name"])
        } _: { first, stream, targets in
            #expect(targets == ["/animals", "/animals/7/feedings"])
            guard case .records(let records) = first.page.content else { throw NoRecords() }
            let table = try TablePreview(of: stream, from: records, in: first.slice)
            #expect(table.columns.map(\.name) == ["_animals_id", "_animals_name", "id"])
            #expect(table.primaryKey == ["_animals_id", "id"])
            var values: [[String?]] = []
            records.forEach { record in values.append(table.withValues(of: record) { $0.map { $0?.text } }) }
            #expect(values == [["7", "x", "1"], ["7", "x", "2"]])
        }
    }

    @Test func `a grandchild is asked for through its parent`() async throws {
        try await Self.fetch("meals") {
            $0.request.path = "meals/{parent.id}"
            $0.parent = Parent(stream: StreamName(source: "zoo", stream: "feedings"))
        } _: { _, _, targets in
            #expect(targets == ["/animals", "/animals/7/feedings", "/meals/1"])
        }
    }

    @Test func `partitions and cursors begin at their beginning`() async throws {
        try await Self.fetch("sightings") {
            $0.request.path = "sightings/{partition.place}"
            $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
            $0.partitions = [Partition(name: "place", values: ["berlin", "wien"])]
            $0.incremental = Incremental(cursorField: "id", initialValue: "5")
        } _: { _, _, targets in
            #expect(targets == ["/sightings/berlin?since=5"])
        }
    }

    @Test(arguments: ["nothing", "animals.none"])
    func `without a record of the parent there is no page`(field: String) async throws {
        let error = await #expect(throws: PersistenceError.self) {
            try await Self.fetch("feedings") {
                $0.request.path = "animals/{parent.\(field)}/feedings"
                $0.parent = Parent(stream: StreamName(source: "zoo", stream: "animals"))
            } _: { _, _, _ in
            }
        }
        #expect(error?.kind == .configuration)
    }

    @Test func `a stream that is its own ancestor ends`() async throws {
        let error = await #expect(throws: PersistenceError.self) {
            try await Self.fetch("loops") {
                $0.request.path = "loops/{parent.id}"
                $0.parent = Parent(stream: StreamName(source: "zoo", stream: "loops"))
            } _: { _, _, _ in
            }
        }
        #expect(error?.kind == .configuration)
    }
}

private struct NoRecords: Error {}
