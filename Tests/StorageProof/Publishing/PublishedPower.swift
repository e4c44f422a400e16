import Foundation
import GarnerPersistence
import TestSupport

/// Cuts the power at random moments of a scenario that is published, and has the receiver go on with what is then on the disk.
///
/// Only what has come to the disk may go to another machine: after the loss, the file has each note that the receiver has.
struct PublishedPower {
    let options: ProofOptions
    let tally: Tally

    /// The tables on another machine after a number of steps, and the token of the process that sent them.
    private struct Received: Sendable {
        var receiver = RebuildingReceiver()
        var token: String?
    }

    func run() async throws {
        #if os(Linux)
            try await run(.standard)
            try await run(.together)
        #else
            tally.note("no losses of power, since only on Linux it is seen what waits for the disk")
        #endif
    }

    private func run(_ scenario: Scenario) async throws {
        try Storage.install()
        let (events, received) = try await recorded(scenario)
        Storage.uninstall()
        var generator = SplitMix64(seed: options.seed &+ 77)
        let moments = (0..<(options.size == .full ? 2000 : 80)).map { number in
            (number, Int.random(in: 0...events.count, using: &generator), generator.next())
        }.sorted { $0.1 < $1.1 }
        var disk = Disk()
        var (passed, steps) = (0, 0)
        for (number, moment, seed) in moments {
            let name = "\(scenario.name)power \(number)"
            guard tally.begin(name) else { continue }
            for event in events[passed..<moment] {
                switch event {
                case .call(let call): disk.perform(call)
                case .acknowledged(let count): steps = count
                }
            }
            passed = moment
            var dice = SplitMix64(seed: seed)
            let problem = await problem(disk.survivors(using: &dice), received[steps])
            if let problem { tally.fail(name, "after \(steps) steps: \(problem)") }
        }
    }

    private func recorded(_ scenario: Scenario) async throws -> ([RecordedCalls.Event], [Received]) {
        let folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        let calls = RecordedCalls()
        let run = ScenarioRun(scenario, at: path, .normal, isPublished: true)
        var all = [Received()]
        try await Storage.observing {
            calls.note($0)
        } _: {
            var current = Received()
            try await run.perform { steps in
                if let writer = run.writer {
                    let outbox = try OutboxReader(path: path)
                    defer { outbox.close() }
                    try await current.receiver.receive(
                        from: outbox, noting: writer, confirms: steps % 2 == 0, at: ScenarioRun.instant)
                    current.token = run.token
                }
                all.append(current)
                calls.acknowledge(steps)
            }
        }
        return (calls.events, all)
    }

    /// Returns the problem with the files that survived, for a receiver that has what came before; nil if there is none.
    private func problem(_ survivors: [Disk.Survivor], _ received: Received) async -> String? {
        do {
            let folder = try TemporaryFolder()
            for survivor in survivors { try Data(survivor.bytes).write(to: folder.url.appending(path: survivor.name)) }
            let path = folder.path("garner.db")
            let writer = try ScenarioRun.open(path, publishingAs: UUID().uuidString.lowercased())
            let problem = await problem(at: path, writer, received)
            await writer.close()
            return problem
        } catch {
            return "it does not open: \(error)"
        }
    }

    private func problem(at path: String, _ writer: DatabaseWriter, _ received: Received) async -> String? {
        do {
            let outbox = try OutboxReader(path: path)
            defer { outbox.close() }
            if let token = received.token, received.receiver.position > 0 {
                let last = try outbox.snapshot { try $0.publisher(token)?.lastNote }
                guard let last, last >= received.receiver.position else {
                    return
                        "another machine has note \(received.receiver.position), the file \(last.map { "\($0)" } ?? "none")"
                }
            }
            var receiver = received.receiver
            try await receiver.receive(from: outbox, noting: writer, confirms: true, at: ScenarioRun.instant)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
