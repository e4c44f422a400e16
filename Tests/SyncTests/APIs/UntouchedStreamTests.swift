import GarnerCatalog
import GarnerModel
import GarnerPersistence
import SimulatedAPIs
import GarnerSync
import Testing

/// Streams that look as if they had pages, and have none: they are read with one request each time, and nothing is warned of.
@Suite(.timeLimit(.minutes(2)))
struct UntouchedStreamTests {
    private static func records(_ count: Int, _ more: String = "") -> String {
        (1...count).map { #"{"id":\#($0),"name":"n\#($0)"\#(more)}"# }.joined(separator: ",")
    }

    private static let streams: [SimulatedAPI] = [
        SimulatedAPI(name: "a to-do with done: false", path: "todo", count: 1) { _, _ in
            APIReply(#"{"id":7,"title":"x","done":false,"next_due":"2026-12-01"}"#)
        },
        SimulatedAPI(name: "JSON-RPC", path: "rpc", count: 3, body: "{ jsonrpc: \"2.0\", id: 1, method: list }") {
            _, _ in
            APIReply(#"{"jsonrpc":"2.0","id":1,"result":[\#(records(3))]}"#)
        },
        SimulatedAPI(name: "one random animal", path: "animals/rand", count: 1) { _, _ in
            APIReply(#"{"id":4,"name":"Kea"}"#)
        },
        SimulatedAPI(name: "ten random records", path: "animals/rand/10", count: 10) { _, _ in
            APIReply("[\(records(10))]")
        },
        SimulatedAPI(name: "a list of exactly 50", path: "list", count: 50) { _, _ in APIReply("[\(records(50))]") },
        SimulatedAPI(name: "an order with its lines", path: "order", count: 1, whole: "record_selector: $") { _, _ in
            APIReply(#"{"id":1,"lines":[{"sku":"a"},{"sku":"b"}],"total":99}"#)
        },
        SimulatedAPI(name: "a quota with usage.total", path: "quota", count: 1) { _, _ in
            APIReply(#"{"id":"q","usage":{"total":900,"limit":1000}}"#)
        },
        SimulatedAPI(name: "health with ok: false", path: "health", count: 1) { _, _ in
            APIReply(#"{"id":"h","ok":false,"checks":{"db":{"ok":false}}}"#)
        },
        SimulatedAPI(name: "a response with Content-Range: bytes", path: "file", count: 3) { _, _ in
            APIReply("[\(records(3))]", headers: [("Content-Range", "bytes 0-99/5000")])
        },
        SimulatedAPI(name: "books with pages", path: "books", count: 2) { _, _ in
            APIReply(#"[{"id":1,"pages":350,"page":1},{"id":2,"pages":120}]"#)
        },
    ]

    @Test(arguments: streams)
    func `each sync is one request, and warns of nothing`(api: SimulatedAPI) async throws {
        try await APIRig.run(api) { rig in
            let stream = try rig.stream(api.whole.map { [$0] } ?? [])
            for round in 1...3 {
                let outcome = try await rig.sync(with: stream)
                #expect(outcome.status == .succeeded, "\(outcome)")
                #expect(outcome.record?.warning == nil, "\(outcome)")
                #expect(rig.transport.requestCount == round)
                #expect(try rig.storedCount(of: stream) == api.count)
            }
        }
    }

    /// The table exists before the API begins to send a total.
    @Test func `the newest 50 are polled on, although there are more`() async throws {
        let api = SimulatedAPI(name: "the newest 50", path: "events?limit=50", count: 50) { _, records in
            let total = records.count > 50 ? #","total":12000"# : ""
            return APIReply(#"{"data":[\#(Self.records(50))]\#(total)}"#)
        }
        try await APIRig.run(api) { rig in
            let stream = try rig.stream([])
            _ = try await rig.sync(with: stream)
            rig.transport.records.append(51)
            let outcome = try await rig.sync(with: stream)
            #expect(outcome.status == .succeeded)
            #expect(rig.transport.requestCount == 2)
            #expect(outcome.record?.completeness == .partial)
        }
    }
}
