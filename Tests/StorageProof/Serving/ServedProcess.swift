import Foundation
import Synchronization
import TestSupport

/// A `garner serve` in a folder, whose log is read as it comes.
final class ServedProcess: Sendable {
    private let victim: Victim
    private let log = Watched("")
    private let hasStarted = Watched(false)

    init(_ binary: String, in folder: URL, environment: [String: String] = [:]) throws {
        let errors = Pipe()
        errors.fileHandleForReading.readabilityHandler = { [log, hasStarted] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            // Its end is enough to know how far it is, and why it ended.
            let text = log.change { text in
                text = String((text + String(decoding: data, as: UTF8.self)).suffix(4000))
                return text
            }
            if text.contains("Scheduler started") { hasStarted.value = true }
        }
        victim = try Victim(binary, ["serve"], in: folder, environment: environment, errors: errors)
    }

    var id: Int32 { victim.id }
    var isRunning: Bool { victim.isRunning }
    var lastWords: String { log.value }

    /// Waits until it decides; false where it ended before.
    func started() async -> Bool {
        await withTaskGroup { group in
            group.addTask { [hasStarted] in await hasStarted.until { $0 } }
            group.addTask { [victim] in _ = await victim.end() }
            await group.next()
            group.cancelAll()
        }
        return hasStarted.value
    }

    func send(_ signal: Int32) { victim.send(signal) }
    func end() async -> Int32 { await victim.end() }
}
