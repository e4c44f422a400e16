import Catalog
import FaultyStorage
import Persistence
import TestSupport

/// Counts how often a run waits for the disk.
struct WaitsHarness {
    let tally: Tally

    private static let stream = Scenario.stream("animals", key: ["id"])
    private static let page = #"[{"id":1,"name":"Tapir"},{"id":2,"name":"Okapi"}]"#

    func run() async throws {
        try Storage.install()
        defer { Storage.uninstall() }
        for synchronous in Synchronous.allCases {
            for pages in [1, 3] {
                let name = "\(pages) unchanged, \(synchronous.rawValue)"
                guard tally.begin(name) else { continue }
                let expected = synchronous == .full ? pages : 0
                let waits = try await waits(for: pages, synchronous)
                if waits != expected { tally.fail(name, "it waits \(waits) times instead of \(expected)") }
            }
        }
    }

    /// Returns the number of syncs in the third run, since the log is begun with the first ones.
    private func waits(for pages: Int, _ synchronous: Synchronous) async throws -> Int {
        let folder = try TemporaryFolder()
        let writer = try DatabaseWriter(path: folder.path("garner.db"), synchronous: synchronous) {
            ScenarioRun.instant
        }
        for _ in 1...2 { try await read(pages, into: writer) }
        let count = CallCount { $0.kind == GARNER_CALL_SYNC }
        try await Storage.observing {
            count.note($0)
        } _: {
            try await read(pages, into: writer)
        }
        await writer.close()
        return count.value
    }

    private func read(_ pages: Int, into writer: DatabaseWriter) async throws {
        let read = Scenario.Read(
            stream: Self.stream, ordinal: 1, pages: Array(repeating: .records(Self.page), count: pages))
        let run = try await writer.begin(read.stream, identity: ScenarioRun.identity)
        _ = try await writer.openRead(of: run)
        guard let slice = try await writer.slices(of: run, limit: 1).first else { return }
        for number in 1...pages { _ = try await writer.commit(read.commit(number, to: slice), to: run) }
    }
}
