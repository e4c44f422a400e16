import GarnerCatalog
import GarnerModel
import GarnerScheduler

extension Simulation {
    mutating func send(_ event: Timetable.Event) {
        guard !isDead else { return }
        prepare(event)
        if keepsLog { log.append("\(wall) <- \(event.text)") }
        let flying = Set(activeRuns.values.map(\.start.stream))
        let actions = timetable.handle(event, at: wall)
        for action in actions {
            guard lives(after: .decision) else { return }
            note(action)
            switch action {
            case .run(let start): take(start)
            case .cancel(let id): cancel(id)
            case .skip(let skip, let memory): take(skip, memory)
            case .remember(let name, let memory): take(memory, of: name, event)
            case .clockWasAhead(let name, let instant):
                tally.returns += 1
                expect(instant > wall.advanced(by: .seconds(300)), "\(name) came back for nothing: \(instant)")
            case .refuse(let name, let requests): refuse(requests, of: name)
            case .wake(let instant): setAlarm(instant)
            case .startGrace: expect(event == .stopRequested && !activeRuns.isEmpty, "grace out of place")
            case .cancelRuns: expect(event == .graceEnded && isStopping, "cancels out of place")
            case .finish: expect(isStopping && activeRuns.isEmpty, "finish before the end")
            }
            guard !action.commits || lives(after: .commit) else { return }
        }
        conclude(event, flying: flying)
        if isStopping {
            expect(activeRuns.isEmpty == actions.contains(.finish), "stop without an end")
        } else {
            expectNobodyWaits(wake: actions.last)
        }
    }

    /// Changes the books before the timetable decides.
    private mutating func prepare(_ event: Timetable.Event) {
        let wasSetBack = wall < latestWall
        latestWall = wall
        for name in books.keys where activeRun(of: name) == nil && books[name]?.isRemoved == false && !isStopping {
            if wasSetBack || event.ends(name, names) { books[name]?.comeBack(to: wall) }
        }
        switch event {
        case .paused(let name): books[name]?.isPaused = true
        case .resumed(let name): books[name]?.isPaused = false
        case .finished(let id, _, _):
            guard let name = names[id], books[name]?.schedule == nil, !isStopping else { break }
            guard let revision = books[name]?.revision else { break }
            books[name]?.revision = nil
            books[name]?.revise(to: revision, at: wall)
        case .reloaded(let streams):
            for stream in streams {
                if books[stream.name] == nil
                    || (books[stream.name]?.isRemoved == true && activeRun(of: stream.name) == nil)
                {
                    add(stream)
                } else {
                    books[stream.name]?.relocate(to: stream)
                    books[stream.name]?.isRemoved = false
                    // Without a schedule, before or from now on, nothing is left out first.
                    let isUnscheduled = stream.schedule == nil || books[stream.name]?.schedule == nil
                    if isUnscheduled, activeRun(of: stream.name) == nil {
                        books[stream.name]?.revise(to: stream, at: wall)
                    }
                }
            }
            let names = Set(streams.map(\.name))
            for name in books.keys where !names.contains(name) {
                books[name]?.isRemoved = true
                books[name]?.revision = nil
            }
        default: break
        }
    }

    private mutating func add(_ stream: ScheduledStream) {
        var book = Book(stream)
        if let old = books[stream.name] {
            // This process remembers what it could not store, too.
            book = old
            book.isRemoved = false
            book.revise(to: ScheduledStream(stream.name, nil), at: wall)
            book.revise(to: stream, at: wall)
        }
        book.begin(at: wall)
        book.spreadsUntil = wall.advanced(by: Timetable.longestSpread)
        books[stream.name] = book
    }

    /// Changes the books after the timetable has decided.
    private mutating func conclude(_ event: Timetable.Event, flying: Set<StreamName>) {
        switch event {
        case .reloaded(let streams):
            for (name, book) in books where book.isRemoved {
                books[name]?.revise(to: ScheduledStream(name, nil), at: wall)
            }
            for stream in streams {
                if flying.contains(stream.name), books[stream.name]?.schedule != stream.schedule {
                    books[stream.name]?.revision = stream
                } else {
                    books[stream.name]?.revision = nil
                    books[stream.name]?.revise(to: stream, at: wall)
                }
            }
        case .finished(let id, _, _):
            guard let name = names[id], !isStopping, let revision = books[name]?.revision else { break }
            books[name]?.revision = nil
            books[name]?.revise(to: revision, at: wall)
        default: break
        }
    }

    func activeRun(of name: StreamName) -> SimulatedRun? {
        activeRuns.values.first { $0.start.stream == name }
    }

    func runs(at host: String) -> Int {
        activeRuns.values.count { $0.host == host }
    }

    private mutating func take(_ start: Start) {
        let name = start.stream
        names[start.id] = name
        guard var book = books[name], !book.isRemoved else { return fail("\(name) is not configured") }
        expect(!isStopping, "\(name) starts after the stop")
        expect(activeRun(of: name) == nil, "\(name) overlaps itself")
        expect(activeRuns.count < places, "too many runs")
        expect(
            book.stream.host.isEmpty || runs(at: book.stream.host) < placesPerHost, "too many at \(book.stream.host)")
        expectTurn(of: name)
        switch start.occasion {
        case .scheduled(let nominal, _):
            tally.runs += 1
            let due = book.firstDue(at: wall)
            if let objection = book.objection(to: nominal...nominal, count: 1, at: wall) {
                fail("\(name) \(objection)")
            }
            expect(due.map { $0 <= wall } ?? false, "\(name) \(nominal) too early")
            if !book.mayComeAgain(nominal, at: wall) {
                expect(!book.committed.contains(nominal), "\(name) \(nominal) doubled")
                expect(book.stored?.settled.map { $0 < nominal } ?? true, "\(name) \(nominal) was settled")
            }
            expect(!book.isPaused, "\(name) starts while paused")
            expect(book.heldUntil.map { $0 <= wall } ?? true, "\(name) starts while held")
            book.decide(upTo: nominal)
        case .manual(let requests):
            tally.manualRuns += 1
            expect(!requests.isEmpty && Set(requests).count == requests.count, "\(name) \(requests)")
            for request in requests {
                expect(asked[request] == name && waiting.remove(request) != nil, "\(request) is not waiting")
                expect(!activeRuns.values.contains { $0.serves(request) }, "\(request) runs twice")
            }
        }
        lastTurn += 1
        turns[name.source] = lastTurn
        let slow = world.chance(12)
        activeRuns[start.id] = SimulatedRun(
            start: start, host: book.stream.host, startedAt: wall,
            ends: monotonic + .random(in: slow ? 20_000...5_000_000 : 0...15_000, using: &world.random))
        books[name] = book
    }

    private mutating func cancel(_ id: ActiveRunID) {
        tally.cancels += 1
        guard let activeRun = activeRuns[id], let book = books[activeRun.start.stream] else {
            return fail("\(id) is not active")
        }
        expect(book.schedule?.overlap == .cancelRunning && !book.isPaused, "\(id) cancelled for nothing")
        expect(!activeRun.isCancelled, "\(id) cancelled twice")
        expect(book.firstDue(at: wall).map { $0 <= wall } ?? false, "\(id) cancelled for nothing due")
        activeRuns[id]?.isCancelled = true
        activeRuns[id]?.ends = min(activeRun.ends, monotonic + .random(in: 0...2000, using: &world.random))
    }

    private mutating func take(_ skip: Skip, _ memory: ScheduleState) {
        tally.skips[skip.reason.word, default: 0] += 1
        guard var book = books[skip.stream] else { return fail("\(skip.stream) is unknown") }
        let name = skip.stream
        if let objection = book.objection(to: skip.nominals, count: skip.count, at: wall) {
            fail("\(name) \(objection)")
        }
        expect(activeRun(of: name) == nil, "\(name) skips during a run")
        expect(
            book.mayComeAgain(skip.nominals.upperBound, at: wall)
                || !book.committed.contains(skip.nominals.upperBound), "\(skip) ran")
        if case .held = skip.reason { expect(book.heldUntil != nil, "\(skip) without a hold") }
        book.decide(upTo: skip.nominals.upperBound)
        // A schedule that is replaced just now settles what is before.
        expect(
            memory.settled == book.watermark || memory.settled == wall,
            "\(name) settled \(memory.settled?.description ?? "nothing")")
        store(memory, of: &book, withPause: false)
        if !isDiskFull { book.leftOut[skip.nominals.lowerBound] = skip.nominals.upperBound }
        books[name] = book
    }

    private mutating func take(_ memory: ScheduleState, of name: StreamName, _ event: Timetable.Event) {
        guard var book = books[name] else { return fail("\(name) is unknown") }
        if let settled = memory.settled {
            // A schedule that begins now settles what is before.
            expect(settled <= max(book.watermark ?? settled, wall), "\(name) settled \(settled)")
            if let nominal = activeRun(of: name)?.start.nominal {
                expect(settled < nominal, "\(name) \(nominal) settled before its end")
            }
        }
        store(memory, of: &book, withPause: true)
        books[name] = book
    }

    private mutating func refuse(_ requests: [String], of name: StreamName) {
        expect(isStopping || books[name] == nil || books[name]?.isRemoved == true, "\(requests) refused")
        for request in requests {
            told.remove(request)
            waiting.remove(request)
            if !isStopping { asked[request] = nil }
        }
    }

    private mutating func setAlarm(_ instant: Timestamp) {
        expect(instant > wall, "woken for the past")
        guard timer?.wake != instant else { return }
        timer = (monotonic + max(0, min(wall.duration(to: instant).wholeMilliseconds, leapSlice)), instant)
    }

    /// Long waits are noticed in slices; between them nothing happens.
    private var leapSlice: Int64 { 400_000_000 }
}

extension Simulation.SimulatedRun {
    func serves(_ request: String) -> Bool {
        if case .manual(let requests) = start.occasion { requests.contains(request) } else { false }
    }
}

extension Timetable.Event {
    /// Returns true if the event ends a run of this stream.
    func ends(_ stream: StreamName, _ names: [ActiveRunID: StreamName]) -> Bool {
        if case .finished(let id, _, _) = self { names[id] == stream } else { false }
    }
}

extension Skip.Reason {
    /// The key of the reason in the counts.
    var word: String {
        switch self {
        case .stillRunning: "stillRunning"
        case .missed: "missed"
        case .overtaken: "overtaken"
        case .held: "held"
        case .paused: "paused"
        }
    }
}
