import GarnerJSON
import Synchronization
import TestSupport

/// People and programs beside the workers: some look, some ask for runs, and some run commands of their own.
final class WorkersCompany: Sendable {
    let isOver = Watched(false)
    private let place: WorkersPlace
    private let state: Mutex<State>

    private struct State {
        var dice: SplitMix64
        var requests: [String: Int64] = [:]
        var commands = 0
    }

    init(_ place: WorkersPlace, _ dice: SplitMix64) {
        self.place = place
        state = Mutex(State(dice: dice))
    }

    /// The runs of the requests that were told to have ended.
    var requests: [String: Int64] { state.withLock(\.requests) }
    var commands: Int { state.withLock(\.commands) }

    /// Looks at the runs again and again.
    func read() async throws {
        while !isOver.value {
            try await place.noteRuns()
            count()
            try await pause(500...2500)
        }
    }

    /// Asks for one run after the other, and for each until it has ended.
    func request() async throws {
        var number = 1
        while !isOver.value {
            let request = "slot-\(number)"
            let ending = try await place.run(
                [
                    "trigger", WorkersServer.name(of: WorkersServer.slots), "--request-id", request, "--wait", "--json",
                    "--quiet",
                ])
            count()
            try require(ending, of: "trigger", in: Self.writing)
            let found = try? Document(parsing: Bytes(Array(ending.output.utf8))).withRoot { root in
                (root["state"]?.string ?? "", root["run_id"].flatMap { Int64($0.text) }, ToldRun(root))
            }
            if let (told, run, ended) = found, told == "ended", let run {
                if let ended { place.server.note(ended, by: "garner trigger") }
                state.withLock { $0.requests[request] = run }
                number += 1
            }
            try await pause(100...1500)
        }
    }

    /// Runs commands that read and write.
    func command() async throws {
        while !isOver.value {
            try await pause(500...3000)
            let lists = WorkersServer.lists
            let (kind, list) = state.withLock { state in
                (Int.random(in: 0...3, using: &state.dice), lists.randomElement(using: &state.dice) ?? "")
            }
            switch kind {
            case 0: try require(try await place.run(["status"]), of: "status", in: Self.reading + [3])
            case 1:
                // There is a table once somebody was told of a run.
                let isThere = place.server.told.values.contains { $0.run.stream == WorkersServer.name(of: list) }
                let ending = try await place.run(["export", list])
                try require(ending, of: "export", in: Self.reading + (isThere ? [] : [64]))
            case 2: try require(try await place.run(["workers"]), of: "workers", in: Self.reading)
            default:
                try require(
                    try await place.run(["sync", WorkersServer.name(of: list), "--json"]), of: "sync", in: Self.writing)
            }
            count()
        }
    }

    /// PostgreSQL may be away, and the database not be there yet.
    private static let reading: [Int32] = [0, 66, 69]
    private static let writing: [Int32] = [0, 66, 69, 75]

    private func require(_ ending: WorkersPlace.Ending, of command: String, in codes: [Int32]) throws {
        guard !codes.contains(ending.code) else { return }
        // What it waited for may have been interrupted, or stopped with its worker.
        if ending.code == 1, ["\"interrupted\"", "\"cancelled\""].contains(where: ending.output.contains) { return }
        throw WorkersProblem("garner \(command) ended with \(ending.code): \(ending.words)\(ending.output)")
    }

    private func count() { state.withLock { $0.commands += 1 } }

    private func pause(_ milliseconds: ClosedRange<Int>) async throws {
        let time = state.withLock { Int.random(in: milliseconds, using: &$0.dice) }
        try await ContinuousClock().sleep(for: .milliseconds(time))
    }
}
