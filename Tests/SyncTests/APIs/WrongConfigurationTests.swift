import GarnerCatalog
import Foundation
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import SimulatedAPIs
import GarnerSync
import Testing

/// Missing rows are deleted, and the configuration is wrong: no record that the API still has may go.
@Suite(.timeLimit(.minutes(5)))
struct WrongConfigurationTests {
    /// Each is what somebody may have written for any API.
    private static let mistakes = [
        "", "paginator: { type: json_link, next_url_path: $.nxt }",
        "paginator: { type: json_link, next_url_path: $.previous }",
        "paginator: { type: cursor, cursor_path: $.nothing, cursor_param: cursor }",
        "paginator: { type: cursor, cursor_path: $.next_cursor, cursor_param: wrong }",
        "paginator: { type: page_number, page_param: pg }",
        "paginator: { type: offset, limit: 500, total_path: $.wrong }",
        "paginator: { type: page_number, page_size_param: limit, page_size: 1000 }",
        "record_selector: \"$.others[*]\"", "paginator: { type: auto, max_pages: 2 }",
        "paginator: { type: page_number, base_page: 2 }", "paginator: { type: single_page }",
        "paginator: { type: header_link, rel: nxt }", "paginator: { type: page_number, total_path: $.per_page }",
    ]

    /// Where pages are counted from 0 and `base_page` is 1, a right number of the last page covers that page 0 was never asked for.
    private static let apis = SimulatedAPI.all.filter { $0.name != "pages from 0 with the last one" }

    @Test(arguments: apis)
    func `no record that the API has is deleted, whatever is wrong`(api: SimulatedAPI) async throws {
        try await Self.expectAllStay(api) { _ in }
    }

    /// Three records come and three go while the pages are read.
    @Test(arguments: apis)
    func `no record present throughout is deleted if the server shows that its list changed`(
        api: SimulatedAPI
    ) async throws {
        try await Self.expectAllStay(api) { rig in
            var records = rig.transport.records
            records.removeFirst(3)
            rig.transport.records = records
            rig.transport.changesAfter(2) { $0.insert(contentsOf: [901, 902, 903], at: 0) }
        }
    }

    private static func expectAllStay(_ api: SimulatedAPI, _ change: @escaping @Sendable (APIRig) -> Void) async throws
    {
        // All of it, as somebody has it who then changes the file.
        var whole = try await api.initialized(through: APITransport(api), timing: APIRig.timing)
        whole.name = try api.stream([]).name
        whole.table = "items"
        let right = whole
        let database = try await APIRig.database(of: api) { rig in
            let first = try await rig.sync(with: right)
            try #require(first.status == .succeeded, "\(first)")
        }
        for mistake in mistakes {
            let lines = [mistake, "delete_missing: hard", "max_delete_ratio: 1"].filter { !$0.isEmpty }
            guard var wrong = try? api.stream(lines) else { continue }
            wrong.primaryKey = right.primaryKey
            wrong.recordSelector = wrong.recordSelector ?? right.recordSelector
            try await expectAllStay(api, over: database, with: wrong, mistake, change)
        }
    }

    private static func expectAllStay(
        _ api: SimulatedAPI, over database: Data, with wrong: StreamConfiguration, _ mistake: String,
        _ change: @Sendable (APIRig) -> Void
    ) async throws {
        try await APIRig.run(api, over: database) { rig in
            let keys = try rig.keys()
            change(rig)
            for _ in 1...2 {
                let outcome = try await rig.sync(with: wrong)
                let alive = Set(rig.transport.records).intersection(Set(1...api.count))
                let left = try rig.keys()
                let gone = alive.filter { keys.contains($0) && !left.contains($0) }
                #expect(
                    gone.isEmpty,
                    "\(api.name), \(mistake): \(gone.count) deleted; \(outcome.record?.verdict.map { "\($0)" } ?? "-")")
            }
        }
    }
}
