package import GarnerModel

/// The requests for runs that have no answer yet: events in, actions out, no clock and no I/O of its own.
///
/// A request is a stream and an ID: the same one twice counts once, and everybody who makes it gets its answers.
package struct RequestBook<Asker: Sendable>: Sendable {
    private struct Key: Hashable {
        let stream: StreamName
        let id: String
    }

    private struct Entry: Sendable {
        let scope: RunScope
        /// True if its run has begun.
        var isUnderWay = false
        var askers: [Asker] = []
    }

    private var entries: [Key: Entry] = [:]
    /// True if requests are no longer accepted.
    package private(set) var isClosed = false

    package init() {}

    package enum Event: Sendable {
        case asked(RunRequest, by: Asker)
        /// A run begins that serves these requests.
        case began([String], of: StreamName)
        case ended([String], of: StreamName, RequestAnswer)
        /// No more requests are accepted. Send this before the scheduler stops, which refuses later ones.
        case closed
        /// Nothing serves those that are left.
        case stopped
    }

    package enum Action: Sendable {
        /// Store the request, and tell the timetable.
        case store(RunRequest)
        case answer(Asker, RequestAnswer)
        /// Do this in the run that begins, which serves all its requests.
        case run(RunScope)
    }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .asked(let request, let asker):
            guard !isClosed else { return [.answer(asker, .stopped)] }
            let key = Key(stream: request.stream, id: request.id)
            let isNew = entries[key] == nil
            let joins = entries.contains { $0.key.stream == key.stream && !$0.value.isUnderWay }
            entries[key, default: Entry(scope: request.scope)].askers.append(asker)
            return isNew
                ? [.store(request), .answer(asker, joins ? .joined : .accepted)] : [.answer(asker, .joined)]
        case .began(let ids, let stream):
            let keys = ids.map { Key(stream: stream, id: $0) }
            for key in keys { entries[key]?.isUnderWay = true }
            let scopes = keys.compactMap { entries[$0]?.scope }
            return [.run(scopes.dropFirst().reduce(scopes.first ?? RunScope()) { $0.union($1) })]
        case .ended(let ids, let stream, let answer):
            return ids.flatMap { answered(Key(stream: stream, id: $0), answer) }
        case .closed:
            isClosed = true
            return []
        case .stopped:
            isClosed = true
            let keys = entries.keys.sorted { ($0.stream, $0.id) < ($1.stream, $1.id) }
            return keys.flatMap { answered($0, .stopped) }
        }
    }

    private mutating func answered(_ key: Key, _ answer: RequestAnswer) -> [Action] {
        entries.removeValue(forKey: key)?.askers.map { Action.answer($0, answer) } ?? []
    }
}

/// What those who ask for a run hear: `accepted` or `joined`, and then how the request ended; `stopped` alone if it came too late.
package enum RequestAnswer: Sendable, Equatable {
    /// A run will begin for the request.
    case accepted
    /// A run that was asked for before serves this request, too.
    case joined
    case run(RunID)
    case failed(RunFailure)
    /// The service stopped first.
    case stopped

    /// True if nothing follows.
    package var isLast: Bool { self != .accepted && self != .joined }
}
