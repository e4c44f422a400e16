import GarnerCatalog
import FaultyStorage
import GarnerModel
import GarnerPersistence
import Synchronization
import TestSupport

/// Counts how often a run waits for the disk.
struct WaitsHarness {
    let tally: Tally

    private static let stream = Scenario.stream("animals", key: ["id"])
    private static let page = #"[{"id":1,"name":"Tapir"},{"id":2,"name":"Okapi"}]"#

    /// A run of three pages, of which some have to wait.
    private struct Case {
        var name: String
        var synchronous = Synchronous.normal
        var stream = WaitsHarness.stream
        var pages = 3
        var mayNotComeAgain = false
        /// The time between two pages.
        var pause = Duration.zero
        let waits: Int
    }

    private static let cases = [
        Case(name: "one page", pages: 1, waits: 1),
        Case(name: "one page, full", synchronous: .full, pages: 1, waits: 1),
        Case(name: "three pages: the end of the run waits", waits: 1),
        Case(name: "three pages, full", synchronous: .full, waits: 3),
        Case(name: "three pages by a cursor", mayNotComeAgain: true, waits: 3),
        Case(name: "three pages in as many seconds", pause: .seconds(1), waits: 3),
        Case(name: "three pages of an incremental stream without a key", stream: keyless, waits: 3),
    ]

    private static let keyless: StreamConfiguration = {
        var stream = Scenario.stream("sightings", writing: .append)
        stream.incremental = Incremental(cursorField: "id")
        return stream
    }()

    func run() async throws {
        try Storage.install()
        defer { Storage.uninstall() }
        for item in Self.cases where tally.begin(item.name) {
            let waits = try await waits(of: item)
            if waits != item.waits { tally.fail(item.name, "it waits \(waits) times instead of \(item.waits)") }
        }
    }

    /// Returns the number of syncs in the third run, since the log is begun with the first ones.
    private func waits(of item: Case) async throws -> Int {
        let folder = try TemporaryFolder()
        let time = Mutex(ScenarioRun.instant)
        let writer = try DatabaseWriter(path: folder.path("garner.db"), synchronous: item.synchronous) {
            time.withLock(\.self)
        }
        let pass = { time.withLock { $0 = $0.advanced(by: item.pause) } }
        for _ in 1...2 { try await read(item, into: writer, pass) }
        let count = CallCount { $0.kind == GARNER_CALL_SYNC }
        try await Storage.observing {
            count.note($0)
        } _: {
            try await read(item, into: writer, pass)
        }
        await writer.close()
        return count.value
    }

    private func read(_ item: Case, into writer: DatabaseWriter, _ pass: () -> Void) async throws {
        let read = Scenario.Read(
            stream: item.stream, ordinal: 1, pages: Array(repeating: .records(Self.page), count: item.pages))
        let run = try await writer.begin(read.stream, identity: ScenarioRun.identity)
        _ = try await writer.openRead(of: run)
        guard let slice = try await writer.slices(of: run, limit: 1).first else { return }
        for number in 1...item.pages {
            pass()
            var commit = try read.commit(number, to: slice)
            commit.mayNotComeAgain = item.mayNotComeAgain
            _ = try await writer.commit(commit, to: run)
        }
    }
}
