import Catalog
import Fetcher
import Persistence
import Sync

/// What a stream's hooks are told of one run, in their order.
struct HookJob: Sendable {
    struct Call: Sendable {
        /// The key that asks for it, such as `on_failure`.
        let hook: String
        let action: Action
    }

    enum Action: Sendable {
        case ping(Hooks.Beat)
        case action(Hooks.Action)
    }

    let stream: Catalog.Stream
    let calls: [Call]
    let run: RunOutcome?
    let nominal: Timestamp?

    /// Of a run that begins; nil where nobody wants to know.
    init?(beginning stream: Catalog.Stream, nominal: Timestamp?) {
        guard stream.hooks.ping != nil else { return nil }
        self.stream = stream
        calls = [Call(hook: "ping", action: .ping(.start))]
        run = nil
        self.nominal = nominal
    }

    /// Of a run that has ended; nil where nobody wants to know.
    ///
    /// What was cancelled neither succeeded nor failed; what it has changed is told all the same.
    init?(ending run: RunOutcome, of stream: Catalog.Stream, nominal: Timestamp?) {
        let hooks = stream.hooks
        let counts = run.counts
        let hasChanged = counts.changes > 0
        var calls: [Call] = []
        switch run.status {
        case .succeeded:
            if hooks.ping != nil { calls.append(Call(hook: "ping", action: .ping(.success))) }
            calls += hooks.onSuccess.map { Call(hook: "on_success", action: .action($0)) }
        case .failed:
            if hooks.ping != nil { calls.append(Call(hook: "ping", action: .ping(.failure))) }
            calls += hooks.onFailure.map { Call(hook: "on_failure", action: .action($0)) }
        case .running, .cancelled, .skipped, .interrupted: break
        }
        if hasChanged { calls += hooks.onChange.map { Call(hook: "on_change", action: .action($0)) } }
        guard !calls.isEmpty else { return nil }
        self.stream = stream
        self.calls = calls
        self.run = run
        self.nominal = nominal
    }

    var status: String { run?.status.rawValue ?? "started" }

    /// The object of `sync --json`, and what belongs to the schedule.
    func json(for hook: String) -> String {
        let record = run?.record
        let members: [(String, JSONText)] =
            run.map { $0.jsonMembers(took: record?.duration ?? .zero) } ?? [
                ("stream", .string(stream.name.description)), ("status", .string(status)),
            ]
        let times: [(String, JSONText)] = [
            ("nominal_at", JSONText(nominal)), ("started_at", JSONText(record?.startedAt)),
            ("ended_at", JSONText(record?.endedAt)), ("hook", .string(hook)),
        ]
        return JSONText.object(members + times).text
    }

    /// What a program finds in its environment besides ours.
    func variables(for hook: String) -> [String: String] {
        var variables = [
            "GARNER_STREAM": stream.name.description, "GARNER_STATUS": status, "GARNER_HOOK": hook,
        ]
        if let record = run?.record { variables["GARNER_RUN_ID"] = String(record.id) }
        return variables
    }
}
