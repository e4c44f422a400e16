import GarnerCatalog
import GarnerModel
import GarnerScheduler

extension Simulation {
    /// Returns true if the books are certain that a stream wants a place now and could have one.
    private func wantsPlace(_ book: Book) -> Bool {
        let name = book.stream.name
        guard !book.isRemoved, activeRun(of: name) == nil else { return false }
        guard book.stream.host.isEmpty || runs(at: book.stream.host) < placesPerHost else { return false }
        if isAsked(name) { return !mayWaitForAskedParent(book) }
        return book.revision == nil && isDue(book) && !mayWaitForParent(book)
    }

    private func isAsked(_ name: StreamName) -> Bool {
        waiting.contains { asked[$0] == name }
    }

    /// Returns true if the stream has to run now by its schedule, provided that there is a place.
    private func isDue(_ book: Book) -> Bool {
        guard !book.isPaused, book.heldUntil.map({ $0 <= wall }) ?? true else { return false }
        guard book.spreadsUntil.map({ $0 <= wall }) ?? true else { return false }
        return book.firstDue(at: wall).map { $0 <= wall } ?? false
    }

    private func mayWaitForAskedParent(_ book: Book) -> Bool {
        guard let parent = book.stream.parent else { return false }
        return isAsked(parent) || activeRun(of: parent) != nil
    }

    private func mayWaitForParent(_ book: Book) -> Bool {
        guard let parent = book.stream.parent.flatMap({ books[$0] }) else { return false }
        return !parent.hasRun && !parent.isRemoved
    }

    /// A source never starts before another one that waits, too, and whose latest start is longer ago.
    mutating func expectTurn(of name: StreamName) {
        let turn = turns[name.source] ?? 0
        for book in books.values where book.stream.name.source != name.source {
            guard turns[book.stream.name.source] ?? 0 < turn, wantsPlace(book) else { continue }
            // What is too late by `catch_up: none` is left out instead.
            guard book.schedule?.catchUp != Schedule.CatchUp.none || isAsked(book.stream.name) else { continue }
            fail("\(name) takes the turn of \(book.stream.name)")
        }
    }

    /// A stream that is due is only left waiting where there is no place free; and the next wake is not too late.
    mutating func expectNobodyWaits(wake: Timetable.Action?) {
        let timer: Timestamp? = if case .wake(let instant)? = wake { instant } else { nil }
        for book in books.values where !book.isRemoved && activeRun(of: book.stream.name) == nil {
            let name = book.stream.name
            if activeRuns.count < places, wantsPlace(book) {
                fail("\(name) waits beside a free place: due \(book.firstDue(at: wall)?.description ?? "never")")
            }
            guard !book.isPaused, let due = book.firstDue(at: wall) else { continue }
            let next = max(due, book.heldUntil ?? due)
            guard next > wall, !mayWaitForParent(book) else { continue }
            expect(timer.map { $0 <= next } ?? false, "\(name) is not woken for at \(next)")
        }
    }

    mutating func expect(_ condition: Bool, _ violation: @autoclosure () -> String) {
        if !condition { fail(violation()) }
    }

    mutating func fail(_ violation: String) {
        violations.append("\(wall): \(violation)")
    }

    mutating func note(_ action: Timetable.Action) {
        let line = "\(wall.millisecondsSince1970) \(action.text)"
        for byte in line.utf8 { journal = (journal ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        if keepsLog { log.append("\(wall) \(action.text)") }
    }
}

extension Timetable.Action {
    fileprivate var text: String {
        switch self {
        case .run(let start):
            switch start.occasion {
            case .scheduled(let nominal, _): "\(start.id) run \(start.stream) \(nominal)"
            case .manual(let requests): "\(start.id) run \(start.stream) \(requests)"
            }
        case .cancel(let id): "\(id) cancel"
        case .skip(let skip, _): "skip \(skip.stream) \(skip.nominals) \(skip.count) \(skip.reason)"
        case .remember(let stream, let memory):
            "remember \(stream) \(memory.settled?.description ?? "-") \(memory.isPaused)"
        case .clockWasAhead(let stream, let instant): "ahead \(stream) \(instant)"
        case .refuse(let stream, let requests): "refuse \(stream) \(requests)"
        case .wake(let instant): "wake \(instant.millisecondsSince1970)"
        case .startGrace: "grace"
        case .cancelRuns: "cancel all"
        case .finish: "finish"
        }
    }
}

extension Timetable.Event {
    var text: String {
        switch self {
        case .started: "started"
        case .woke: "woke"
        case .finished(let id, let result, let memory): "\(id) \(result.ending) \(memory.heldUntil?.description ?? "")"
        case .wanted(let stream, let request): "wanted \(stream) \(request)"
        case .paused(let stream): "paused \(stream)"
        case .resumed(let stream): "resumed \(stream)"
        case .reloaded: "reloaded"
        case .stopRequested: "stop"
        case .graceEnded: "grace ended"
        }
    }
}
