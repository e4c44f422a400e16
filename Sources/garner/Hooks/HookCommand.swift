import Foundation

/// A program that is told of a run: in a process group of its own, which ends with the task that waits for it.
struct HookCommand: Sendable {
    /// Beyond this, what it says is dropped. In bytes.
    static let maximumOutput = 64 << 10

    /// The program, by its path or as found by `PATH`, and its arguments.
    let words: [String]
    /// All of it.
    let environment: [String: String]
    /// What it can read.
    let input: String

    struct Ending: Sendable {
        /// As `waitpid` tells it.
        let status: Int32
        /// Standard output and error as they came.
        let output: [UInt8]
        let isCut: Bool

        func problem(of program: String) -> HookProblem? {
            let signal = status & 0x7F
            if signal != 0 { return .killed(program: program, signal: signal) }
            let code = status >> 8 & 0xFF
            return code == 0 ? nil : .exited(program: program, code: code)
        }
    }

    /// Returns when the program has ended; what it has left behind in the background goes on, unheard.
    ///
    /// Throws `HookProblem` where it cannot be started. A cancellation kills the whole group.
    func run() async throws -> Ending {
        let process = try HookProcess(words, environment)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Reading and waiting block; the threads of the concurrency pool are for others.
                Thread.detachNewThread { [input] in continuation.resume(returning: process.attend(input: input)) }
            }
        } onCancel: {
            process.kill()
        }
    }
}
