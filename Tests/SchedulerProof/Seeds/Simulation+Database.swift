import GarnerCatalog
import GarnerModel
import GarnerScheduler

extension Simulation {
    /// The transaction that ends a run.
    mutating func keep(_ activeRun: SimulatedRun, _ result: RunResult, _ memory: ScheduleState) {
        let name = activeRun.start.stream
        guard var book = books[name] else { return fail("\(name) is unknown") }
        defer { books[name] = book }
        book.hasRun = true
        book.heldUntil = memory.heldUntil
        switch activeRun.start.occasion {
        case .scheduled(let nominal, _):
            if result.ending != .stopped { book.endedAt = wall }
            checkFailures(result, memory, of: &book)
            if !isDiskFull, result.ending != .stopped {
                if book.mayComeAgain(nominal, at: wall) { book.forget(from: nominal) }
                expect(book.committed.insert(nominal).inserted, "\(name) \(nominal) committed twice")
            }
        case .manual(let requests):
            expect(
                memory.settled == activeRun.start.state(after: RunResult(.stopped), at: wall).settled, "anchor moved")
            if result.ending == .succeeded { book.failures = 0 }
            // What could not be stored may be asked for again.
            told.subtract(requests)
            guard !isDiskFull, result.ending != .stopped else { break }
            for request in requests {
                expect(served.insert(request).inserted, "\(request) served twice")
                asked[request] = nil
            }
        }
        store(memory, of: &book, withPause: false)
    }

    mutating func store(_ memory: ScheduleState, of book: inout Book, withPause: Bool) {
        guard !isDiskFull else { return }
        var row = memory
        row.pausedAt = withPause ? memory.pausedAt : book.stored?.pausedAt
        // A row that is settled further stays as it is, unless only a clock that was ahead can have done that.
        if let settled = memory.settled, let stored = book.stored?.settled, settled < stored {
            if stored > wall { book.forget(from: settled.advanced(by: .milliseconds(1))) } else { row.settled = stored }
        }
        book.store(row, of: memory)
    }

    private mutating func checkFailures(_ result: RunResult, _ memory: ScheduleState, of book: inout Book) {
        switch result.ending {
        case .succeeded: book.failures = 0
        case .failed: book.failures += 1
        case .cancelled, .stopped: break
        }
        let name = book.stream.name
        expect(memory.failures == book.failures, "\(name) has \(memory.failures) failures, not \(book.failures)")
        if case .succeeded = result.ending {
            expect(memory.circuitOpenedAt == nil && memory.permanentFailures == 0, "\(name): a success left it open")
            expect(memory.heldUntil == result.retryAfter, "\(name) held after a success")
        }
        if let retryAfter = result.retryAfter {
            expect(memory.heldUntil.map { $0 >= retryAfter } ?? false, "\(name) not left alone")
        }
        if case .failed = result.ending, result.retryAfter == nil, let held = memory.heldUntil {
            expect(memory.failures > 1, "\(name) backs off after one failure")
            let regular = book.timeline?.interval(after: wall) ?? .zero
            let longest = memory.circuitOpenedAt == nil ? Duration.seconds(6 * 3600) : .seconds(24 * 3600)
            let farthest = max(longest, regular).wholeMilliseconds
            let base = [wall, memory.settled, memory.endedAt].compactMap { $0 }.max() ?? wall
            let nextRegular = book.timeline.flatMap { timeline in timeline.next(after: base).map(timeline.dueTime) }
            // The next regular instant may be further.
            expect(
                held <= max(wall.advanced(by: .milliseconds(farthest)), nextRegular ?? held),
                "\(name) held too long: \(held)")
        }
        if case .failed = result.ending, memory.permanentFailures >= 5 {
            expect(memory.circuitOpenedAt != nil || book.schedule == nil, "\(name): the circuit did not open")
        }
    }
}
