import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerModel
import GarnerPersistence
import SimulatedAPIs
import GarnerSync
import Testing

/// The paging of well-known APIs: what the smallest configuration gives, what `garner init` gives, and what makes it whole.
@Suite(.timeLimit(.minutes(20)))
struct WellKnownAPITests {
    @Test(arguments: SimulatedAPI.all)
    func `a stream that misses a record is never complete`(api: SimulatedAPI) async throws {
        let results = try await Result.all(of: api)
        for result in [results.minimal, results.initialized] {
            #expect(result.stored == api.count || result.completeness != .complete, "\(result)")
            #expect(result.failure == nil || result.stored == 0, "\(result)")
        }
        #expect(api.isCapped || results.minimal.isWhole || results.pasted?.isWhole == true, "\(results)")
    }

    @Test func `most are whole from a path alone, and more from init`() async throws {
        var minimal = 0
        var initialized = 0
        for api in SimulatedAPI.all {
            let results = try await Result.all(of: api)
            minimal += results.minimal.isWhole ? 1 : 0
            initialized += results.initialized.isWhole ? 1 : 0
        }
        #expect(minimal >= 24)
        #expect(initialized >= 32)
    }

    /// `docs/apis.md` is what this test has seen. With `GARNER_WRITE_DOCS=1` it is written.
    @Test func `the documentation tells what each gives`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/apis.md")
        var rows: [String] = []
        for api in SimulatedAPI.all { rows.append(try await Result.all(of: api).row) }
        let text = Self.introduction + rows.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["GARNER_WRITE_DOCS"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    private static let introduction = """
        # Well-known APIs

        What Garner makes of the paging of well-known APIs. A test runs a simulation of each, with its envelope, its paging, its errors and
        its limits, and writes this page.

        - **path alone:** the stream has only `path` (and `json`, where the API wants a POST).
        - **`garner init`:** the stream is what `garner init URL` writes.
        - **whole with:** the line to add where `path` alone is not enough.

        *whole* means that all records are stored and that Garner knows it. Otherwise the word of
        [completeness.md](completeness.md) stands there, or *stops* where the first sync fails with the lines to paste. The number behind it
        is that of the requests of the first sync.

        | API | path alone | `garner init` | whole with |
        | --- | --- | --- | --- |

        """

    struct Result: Sendable {
        var stored = 0
        var count: Int
        var completeness: Completeness?
        var failure: String?
        var reason: String?
        let requests: Int

        var isWhole: Bool { stored == count && completeness == .complete }

        var word: String {
            if isWhole { return "whole" }
            if failure != nil { return "stops" }
            return completeness?.rawValue ?? "stops"
        }

        var cell: String { "\(word), \(requests)" }

        /// - Parameter earlier: The requests that the rig had made before the sync.
        init(_ rig: APIRig, _ stream: StreamConfiguration, _ outcome: RunOutcome, after earlier: Int = 0) throws {
            count = rig.api.count
            requests = rig.transport.requestCount - earlier
            stored = try rig.storedCount(of: stream)
            completeness = outcome.record?.completeness
            reason = outcome.record?.verdict?.reason
            failure = outcome.failure.map { "\($0.message); try: \($0.hint?.text ?? "")" }
        }

        struct All: Sendable {
            let api: SimulatedAPI
            let minimal: Result
            let initialized: Result
            let pasted: Result?

            var row: String {
                let line =
                    api.isCapped
                    ? "no line: ask in `partitions` for fewer results than its cap each"
                    : minimal.isWhole ? "" : api.whole.map { "`\($0)`" } ?? ""
                return "| \(api.name) | \(minimal.cell) | \(initialized.cell) | \(line) |"
            }
        }

        static func all(of api: SimulatedAPI) async throws -> All {
            let minimal = try await APIRig.run(api) { rig in
                let stream = try rig.stream([])
                return try Result(rig, stream, await rig.sync(with: stream))
            }
            let initialized = try await APIRig.run(api) { rig in
                let stream = try await rig.initialized()
                let probes = rig.transport.requestCount
                return try Result(rig, stream, await rig.sync(with: stream), after: probes)
            }
            let pasted: Result? =
                if let line = api.whole {
                    try await APIRig.run(api) { rig in
                        let stream = try rig.stream([line])
                        return try Result(rig, stream, await rig.sync(with: stream))
                    }
                } else { nil }
            return All(api: api, minimal: minimal, initialized: initialized, pasted: pasted)
        }
    }
}
