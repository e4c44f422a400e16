import GarnerCatalog
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerSync
import Synchronization

/// Reports runs: a progress line on a terminal, and a line or a JSON object for each run that ended.
final class SyncReporter: Sendable {
    private struct State {
        var running: [StreamName: RunCounts] = [:]
        var drawnAt: ContinuousClock.Instant?
        var hasLine = false
        var writeError: (any Error)?
    }

    private static let maximumChanges = 10

    private let setup: Setup
    private let requests: [StreamName: String]?
    private let isDryRun: Bool
    private let state = Mutex(State())

    /// - Parameter requests: The names of the requested runs by stream, if they are to be reported.
    init(_ setup: Setup, requests: [StreamName: String]? = nil, isDryRun: Bool = false) {
        self.setup = setup
        self.isDryRun = isDryRun
        self.requests = requests
    }

    /// The error that prevented a part of the report.
    var writeError: (any Error)? { state.withLock(\.writeError) }

    /// Draws the progress line again, at most ten times a second.
    func progress(_ stream: StreamName, _ counts: RunCounts) {
        guard setup.drawsProgress else { return }
        state.withLock { state in
            state.running[stream] = counts
            let now = setup.clock.now
            if let drawnAt = state.drawnAt, now - drawnAt < .milliseconds(100) { return }
            state.drawnAt = now
            state.hasLine = true
            let pages = state.running.values.map(\.pages).reduce(0, +)
            let rows = state.running.values.map { $0.inserted + $0.updated + $0.unchanged }.reduce(0, +)
            let names = state.running.keys.sorted().map(\.description).joined(separator: ", ")
            StandardError.write("\r\u{1B}[K\(names): \(pages.counted("page")), \(rows.counted("row"))")
        }
    }

    /// Writes a line for a finished request.
    func tell(_ request: RequestRecord, of stream: StreamName) {
        state.withLock { state in
            clear(&state)
            StandardError.write("\(stream): \(request.text)\n")
        }
    }

    func report(_ outcome: RunOutcome, of stream: StreamConfiguration, took duration: Duration) {
        state.withLock { state in
            state.running[stream.name] = nil
            clear(&state)
            do {
                if setup.format.isJSON {
                    var members = outcome.jsonMembers(took: duration, isDryRun: isDryRun)
                    if let request = requests?[stream.name] {
                        let state = outcome.record == nil ? "refused" : "ended"
                        members.insert(contentsOf: Self.members(request, state), at: 1)
                    }
                    try StandardOutput.write(.object(members))
                } else if !setup.isQuiet {
                    StandardError.write(outcome.line(took: duration))
                }
            } catch {
                state.writeError = state.writeError ?? error
            }
            if let failure = outcome.failure, !setup.format.isJSON {
                let place = stream.place.description
                StandardError.write(
                    CommandError(failure, of: stream.name.description, place: place).text(
                        setup.decoration(on: STDERR_FILENO)))
            }
            // A warning that begins or changes may tell of what is stored or deleted, so --quiet shows it, too.
            if setup.isQuiet, !setup.format.isJSON, let warning = outcome.record?.changedWarning {
                StandardError.warn("\(stream.name): \(warning)")
            }
            // The JSON object has the whole warning for programs. People get a single line on how much is missing.
            if let record = outcome.record, !setup.isQuiet {
                let warning = setup.format.isJSON ? record.warning : record.newWarning
                if let warning { StandardError.warn("\(stream.name): \(warning)") }
                if warning != nil, outcome.counts.quarantined > 0, !isDryRun, !setup.format.isJSON {
                    StandardError.write("Try: garner quarantine list \(stream.name)\n")
                }
                if let assumptions = outcome.assumptions, !setup.format.isJSON {
                    StandardError.write("\(stream.name): taken for granted: \(assumptions)\n")
                }
                if let advice = record.advice(stream.remedy), !setup.format.isJSON {
                    StandardError.write("\(stream.name): \(advice)\n")
                }
            }
            if let changes = outcome.record?.schemaChanges, !setup.isQuiet, !setup.format.isJSON {
                StandardError.write(Self.lines(changes, of: stream.name))
            }
        }
    }

    /// Returns a line for each change, up to a limit.
    private static func lines(_ changes: [SchemaChange], of stream: StreamName) -> DisplayText {
        let shown = changes.prefix(changes.count > maximumChanges ? maximumChanges - 1 : maximumChanges)
        let rest = changes.count - shown.count
        let lines = shown.map(\.text) + (rest > 0 ? ["\(rest) more changes of columns; --json tells them all"] : [])
        return lines.map { "\(stream): \($0)\n" as DisplayText }.joined()
    }

    /// Reports a requested run without waiting for it.
    func announce(_ stream: StreamName, _ request: String, state: String, run: RunID?) throws {
        if setup.format.isJSON {
            let members = [("stream", .string(stream.description))] + Self.members(request, state)
            try StandardOutput.write(.object(members + [("run_id", JSONText(run))]))
        } else if !setup.isQuiet {
            let number = run.map { ", run \($0)" } ?? ""
            StandardError.write("\(stream): \(state)\(number), request \(request)\n")
        }
    }

    private static func members(_ request: String, _ state: String) -> [(String, JSONText)] {
        [("request_id", .string(request)), ("state", .string(state))]
    }

    func finish() { state.withLock { clear(&$0) } }

    /// Throws what the program ends with: the code of a signal, or that for all results, or an error of the report.
    ///
    /// - Parameter failures: One category for each stream; nil for a success.
    func end(_ failures: [ErrorCategory?], signal: Int32? = nil) throws {
        if let signal { throw ExitError(code: 128 + signal) }
        try ExitError.requireSuccess(failures)
        if let writeError { throw writeError }
    }

    private func clear(_ state: inout State) {
        guard state.hasLine else { return }
        StandardError.write("\r\u{1B}[K")
        state.hasLine = false
    }
}

extension RequestRecord {
    /// The URL and the result of the request, for people.
    fileprivate var text: DisplayText {
        let result = errorKind ?? status.map { "HTTP \($0)" } ?? "no answer"
        let tries = attempts > 1 ? ", \(attempts) attempts" : ""
        return "\(url): \(result), \(ByteCount.format(bytes)), \(duration.formattedSeconds)\(tries)"
    }
}

extension RunOutcome {
    fileprivate func line(took duration: Duration) -> DisplayText {
        let counted = [
            ("inserted", counts.inserted), ("updated", counts.updated), ("unchanged", counts.unchanged),
            ("deleted", counts.deleted), ("quarantined", counts.quarantined), ("discarded", counts.discarded),
        ].filter { $0.1 > 0 || ["inserted", "updated", "unchanged"].contains($0.0) }
        let rows = counted.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        let pages = counts.pages.counted("page")
        let completeness = record?.completenessText.map { ", \($0)" } ?? ""
        return "\(stream): \(status.rawValue), \(pages), \(rows), \(duration.formattedSeconds)\(completeness)\n"
    }
}

extension Duration {
    /// The duration in a form such as `0.42 s`.
    var formattedSeconds: String {
        let hundredths = (wholeMilliseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
}
