import Catalog

extension Timetable {
    /// Opens lines that are new, and spreads what is due already where it is more than there are places.
    mutating func open(_ opened: [Int], at now: Timestamp, isStart: Bool = true, _ actions: inout [Action]) {
        for index in opened {
            isStart ? lines[index].open(at: now, &actions) : lines[index].begin(at: now, &actions)
        }
        let due = opened.filter { lines[$0].wake.map { $0 <= now } ?? false }
        if due.count > maximumConcurrentRuns {
            for index in due { lines[index].spread(at: now) }
        }
        for index in opened { alarms.set(index, lines[index].wake) }
    }

    /// A line's instant has come.
    mutating func look(at index: Int, _ now: Timestamp, _ actions: inout [Action]) {
        if let flight = lines[index].flight {
            lines[index].flight?.isCancelled = true
            actions.append(.cancel(flight.id))
        } else {
            lines[index].arrive(at: now, &actions)
            if lines[index].hasArrived {
                enqueue(index, at: now)
            } else {
                release(childrenOf: index, at: now)
            }
        }
        alarms.set(index, lines[index].wake)
    }

    /// Lets the line wait for a place, if it wants one.
    mutating func enqueue(_ index: Int, at now: Timestamp) {
        guard let since = lines[index].waitsSince else { return turns.withdraw(index) }
        if lines[index].requests.isEmpty, waitsForParent(index, at: now) { return turns.withdraw(index) }
        turns.queue(index, since: since)
    }

    /// Whether its parent has never run, and is about to.
    func waitsForParent(_ index: Int, at now: Timestamp) -> Bool {
        guard let parent = lines[index].parent else { return false }
        return lines[parent].isAboutToRunFirst(at: now)
    }

    mutating func release(childrenOf index: Int, at now: Timestamp) {
        for child in children[index] where lines[child].hasArrived && !turns.isWaiting(child) {
            enqueue(child, at: now)
        }
    }

    mutating func turnBack(to now: Timestamp, _ actions: inout [Action]) {
        for index in lines.indices {
            lines[index].turnBack(to: now, &actions)
            enqueue(index, at: now)
            alarms.set(index, lines[index].wake)
        }
    }

    mutating func finish(
        _ id: RunID, _ result: RunResult, _ memory: StreamMemory, at now: Timestamp, _ actions: inout [Action]
    ) {
        guard let flight = flights.removeValue(forKey: id) else { return }
        turns.ended(at: flight.host)
        let index = flight.line
        requests.forget(flight.requests, of: lines[index].name)
        let isStopping = if case .stopping = stage { true } else { false }
        lines[index].finish(result, memory, at: now, isStopping: isStopping, &actions)
        guard !isStopping else { return }
        if lines[index].isRemoved {
            retired[lines[index].name] = lines[index].memory
        } else {
            settle(index, at: now)
        }
    }

    mutating func want(_ stream: StreamName, _ request: String, at now: Timestamp, _ actions: inout [Action]) {
        switch stage {
        case .unstarted, .starting, .going:
            guard let index = indices[stream] else { break }
            if requests.admit(request, of: stream) {
                lines[index].ask(request, at: now)
                enqueue(index, at: now)
            }
            return
        case .stopping, .finished: break
        }
        actions.append(.refuse(stream, requests: [request]))
    }

    mutating func pause(_ stream: StreamName, at now: Timestamp, _ actions: inout [Action]) {
        guard let index = indices[stream] else { return }
        lines[index].pause(&actions)
        settle(index, at: now)
    }

    mutating func resume(_ stream: StreamName, at now: Timestamp, _ actions: inout [Action]) {
        guard let index = indices[stream] else { return }
        lines[index].resume(at: now, &actions)
        settle(index, at: now)
    }

    mutating func refuse(_ index: Int, _ actions: inout [Action]) {
        guard !lines[index].requests.isEmpty else { return }
        actions.append(.refuse(lines[index].name, requests: lines[index].requests))
        requests.forget(lines[index].requests, of: lines[index].name)
        (lines[index].requests, lines[index].askedAt) = ([], nil)
    }

    /// Finds the line's place in queue and alarms again after it has changed.
    mutating func settle(_ index: Int, at now: Timestamp) {
        enqueue(index, at: now)
        alarms.set(index, lines[index].wake)
        release(childrenOf: index, at: now)
    }
}
