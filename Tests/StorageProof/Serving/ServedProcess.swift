import Foundation
import Synchronization
import TestSupport

/// A `garner serve` in a folder, whose log is read as it comes.
final class ServedProcess: Sendable {
    private let process = Process()
    private let log = Watched("")
    private let hasStarted = Watched(false)
    private let ending = Watched<Int32?>(nil)

    init(_ binary: String, in folder: URL) throws {
        process.executableURL = URL(filePath: binary)
        process.arguments = ["serve"]
        process.currentDirectoryURL = folder
        // Nothing of the user's own takes part.
        process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
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
        process.terminationHandler = { [ending] ended in
            ending.value = ended.terminationReason == .exit ? ended.terminationStatus : 128 + ended.terminationStatus
        }
        try process.run()
    }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { ending.value == nil }
    var lastWords: String { log.value }

    /// Waits until it decides; false where it ended before.
    func started() async -> Bool {
        await withTaskGroup { group in
            group.addTask { [hasStarted] in await hasStarted.until { $0 } }
            group.addTask { [ending] in await ending.until { $0 != nil } }
            await group.next()
            group.cancelAll()
        }
        return hasStarted.value
    }

    func send(_ signal: Int32) { _ = Foundation.kill(id, signal) }

    func end() async -> Int32 {
        await ending.until { $0 != nil }
        return ending.value ?? -1
    }
}
