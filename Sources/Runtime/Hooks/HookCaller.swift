import GarnerCatalog
import GarnerFetcher
import Logging
import GarnerModel
import GarnerReports
import GarnerSync
import GarnerTasks

/// Performs the hooks of one run, one after another, each within its time limit.
struct HookCaller: Sendable {
    let transports: Transports
    let timing: Timing
    let environment: [String: String]
    let logger: Logger

    func perform(_ job: HookBatch) async {
        for call in job.calls where !Task.isCancelled {
            var metadata = job.metadata
            metadata["hook"] = "\(call.hook)"
            metadata["target"] = "\(call.action.target)"
            do {
                let output = try await withinTime(of: job) { try await perform(call, of: job) }
                if let output { metadata["output"] = "\(output)" }
                logger.info("Hook done", metadata: metadata)
            } catch let failure as FailedCommandError {
                metadata["error"] = "\(failure.problem.message)"
                metadata["try"] = "\(failure.problem.hint)"
                if let output = failure.output { metadata["output"] = "\(output)" }
                logger.warning("Hook failed", metadata: metadata)
            } catch {
                let failure = RunFailure(error)
                metadata["error"] = "\(failure.message)"
                let hint = (error as? FetchError)?.hint(ofHook: call.action.key) ?? failure.hint?.words
                if let hint { metadata["try"] = "\(hint)" }
                logger.warning("Hook failed", metadata: metadata)
            }
        }
    }

    private struct FailedCommandError: Error {
        let problem: HookError
        let output: String?
    }

    /// Returns the output of a program; nil if it wrote none or the hook is not a program.
    private func perform(_ call: HookBatch.Call, of job: HookBatch) async throws -> String? {
        let json = job.json(for: call.hook)
        switch call.action {
        case .ping(let beat):
            guard let url = job.stream.hooks.pingURL(beat) else { return nil }
            // Only a failure has a body. A GET request may be retried.
            try await send(Notice(to: url, json: beat == .failure ? json : nil), of: job)
            return nil
        case .action(.post(let url, let headers)):
            try await send(Notice(to: url, headers: headers, json: json), of: job)
            return nil
        case .action(.run(let words)):
            let variables = ChildProcess.inherited(environment)
                .merging(job.variables(for: call.hook)) { $1 }
            let ending = try await ChildProcess(words: words, environment: variables, input: json + "\n").run()
            try Task.checkCancellation()
            let output = text(of: ending, job.stream)
            if let problem = ending.problem(of: words[0]) { throw FailedCommandError(problem: problem, output: output) }
            return output
        }
    }

    private func send(_ notice: Notice, of job: HookBatch) async throws {
        if let error = MissingValuesError(job.stream.hooks.missing) { throw error }
        try await notice.send(about: job.stream, over: transports, timing: timing, limit: job.stream.hooks.timeout)
    }

    private func text(of ending: ChildProcess.Ending, _ stream: StreamConfiguration) -> String? {
        let text = String(decoding: ending.output, as: UTF8.self)
        let said = Redaction(of: stream).redacted(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        if said.isEmpty { return nil }
        return ending.isCut ? said + " … (cut off)" : said
    }

    private func withinTime<Result: Sendable>(
        of job: HookBatch, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let limit = job.stream.hooks.timeout
        let clock = timing.clock
        return try await race(body) {
            try await clock.sleep(for: limit)
            throw HookError.timeIsUp(limit)
        }
    }
}

extension HookBatch.Action {
    fileprivate var key: String { if case .ping = self { "ping" } else { "post" } }

    /// The target for people, without secrets: the path of a URL may be one and is left out.
    fileprivate var target: String {
        switch self {
        case .ping: "ping"
        case .action(.run(let words)): words[0]
        case .action(.post(.literal(let url), _)): WebAddress(url)?.origin.description ?? "***"
        case .action(.post(.secret(let secret), _)): "\(secret)"
        }
    }
}

extension ChildProcess.Ending {
    /// The signal that ended the program; nil if the program exited.
    private var signal: Int32? { status & 0x7F == 0 ? nil : status & 0x7F }

    private var exitCode: Int32 { status >> 8 & 0xFF }

    /// A phrase such as "exited with 1" or "was ended by signal 9"; nil if the program exited with 0.
    var phrase: String? {
        if let signal { return "was ended by signal \(signal)" }
        return exitCode == 0 ? nil : "exited with \(exitCode)"
    }

    /// Returns the reason why a hook has failed; nil if it exited with 0.
    func problem(of program: String) -> HookError? {
        if let signal { return .killed(program: program, signal: signal) }
        return exitCode == 0 ? nil : .exited(program: program, code: exitCode)
    }
}
