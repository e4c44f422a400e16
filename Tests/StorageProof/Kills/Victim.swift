import Foundation
import TestSupport

/// A `garner` that runs in a folder until it ends or is killed.
final class Victim: Sendable {
    private let process: Process
    private let ending = Watched<Int32?>(nil)

    init(
        _ binary: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
        output: Any? = nil, errors: Any? = nil
    ) throws {
        process = Process()
        process.executableURL = URL(filePath: binary)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Nothing of the user's own takes part.
        process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = errors ?? FileHandle.nullDevice
        // As a shell gives it.
        process.terminationHandler = { [ending] ended in
            ending.value = ended.terminationReason == .exit ? ended.terminationStatus : 128 + ended.terminationStatus
        }
        try process.run()
    }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { ending.value == nil }

    func kill() { send(SIGKILL) }
    func send(_ signal: Int32) { _ = Foundation.kill(id, signal) }

    func end() async -> Int32 {
        await ending.until { $0 != nil }
        return ending.value ?? -1
    }
}
