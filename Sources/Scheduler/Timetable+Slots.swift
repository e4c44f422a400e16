import GarnerCatalog
import GarnerModel

extension Timetable {
    /// Opens new slots, and spreads those that are already due if there are more of them than places.
    mutating func open(_ opened: [Int], at now: Timestamp, isStart: Bool = true, _ actions: inout [Action]) {
        for index in opened {
            isStart ? slots[index].open(at: now, &actions) : slots[index].begin(at: now, &actions)
        }
        let due = opened.filter { slots[$0].wake.map { $0 <= now } ?? false }
        if due.count > maximumConcurrentRuns {
            for index in due { slots[index].spread(at: now, &actions) }
        }
        for index in opened { wakeTimes.set(index, slots[index].wake) }
    }

    /// Handles the arrival of a slot's wake time.
    mutating func look(at index: Int, _ now: Timestamp, _ actions: inout [Action]) {
        if let activeRun = slots[index].activeRun {
            slots[index].activeRun?.isCancelled = true
            actions.append(.cancel(activeRun.id))
        } else {
            slots[index].becomeDue(at: now, &actions)
            if slots[index].isDue {
                enqueue(index, at: now)
            } else {
                release(childrenOf: index, at: now)
            }
        }
        wakeTimes.set(index, slots[index].wake)
    }

    /// Queues the slot for a place if it needs one, and withdraws it otherwise.
    mutating func enqueue(_ index: Int, at now: Timestamp) {
        guard let since = slots[index].waitsSince else { return queue.withdraw(index) }
        let waits = slots[index].requests.isEmpty ? waitsForParent(index, at: now) : waitsForAskedParent(index)
        if waits { return queue.withdraw(index) }
        queue.enqueue(index, since: since)
    }

    /// True if the slot's parent has never run and is about to.
    func waitsForParent(_ index: Int, at now: Timestamp) -> Bool {
        guard let parent = slots[index].parent else { return false }
        return slots[parent].isAboutToRunFirst(at: now)
    }

    /// True if the slot's parent was asked for, too, and that run has not ended.
    private func waitsForAskedParent(_ index: Int) -> Bool {
        guard let parent = slots[index].parent, !slots[parent].isRemoved else { return false }
        let active = slots[parent].activeRun.flatMap { activeRuns[$0.id] }
        return !slots[parent].requests.isEmpty || active?.isManual == true
    }

    mutating func release(childrenOf index: Int, at now: Timestamp) {
        for child in children[index] where slots[child].waitsSince != nil && !queue.isWaiting(child) {
            enqueue(child, at: now)
        }
    }

    mutating func clockWentBack(to now: Timestamp, _ actions: inout [Action]) {
        for index in slots.indices {
            slots[index].clockWentBack(to: now, &actions)
            enqueue(index, at: now)
            wakeTimes.set(index, slots[index].wake)
        }
    }

    mutating func finish(
        _ id: ActiveRunID, _ result: RunResult, _ state: ScheduleState, at now: Timestamp, _ actions: inout [Action]
    ) {
        guard let activeRun = activeRuns.removeValue(forKey: id) else { return }
        queue.ended(at: activeRun.host)
        let index = activeRun.slot
        let isStopping = if case .stopping = stage { true } else { false }
        slots[index].finish(result, state, at: now, isStopping: isStopping, &actions)
        guard !isStopping else { return }
        if slots[index].isRemoved {
            retired[slots[index].name] = slots[index].state
        } else {
            settle(index, at: now)
        }
    }

    mutating func want(_ stream: StreamName, _ request: String, at now: Timestamp, _ actions: inout [Action]) {
        switch stage {
        case .unstarted, .starting, .going:
            guard let index = indices[stream] else { break }
            slots[index].ask(request, at: now)
            return enqueue(index, at: now)
        case .stopping, .finished: break
        }
        actions.append(.refuse(stream, requests: [request]))
    }

    mutating func pause(_ stream: StreamName, at now: Timestamp, _ actions: inout [Action]) {
        guard let index = indices[stream] else { return }
        slots[index].pause(at: now, &actions)
        settle(index, at: now)
    }

    mutating func resume(_ stream: StreamName, at now: Timestamp, _ actions: inout [Action]) {
        guard let index = indices[stream] else { return }
        slots[index].resume(at: now, &actions)
        settle(index, at: now)
    }

    mutating func refuse(_ index: Int, _ actions: inout [Action]) {
        guard !slots[index].requests.isEmpty else { return }
        actions.append(.refuse(slots[index].name, requests: slots[index].requests))
        (slots[index].requests, slots[index].askedAt) = ([], nil)
    }

    /// Updates the slot's place in the queue and in the wake times after a change.
    mutating func settle(_ index: Int, at now: Timestamp) {
        enqueue(index, at: now)
        wakeTimes.set(index, slots[index].wake)
        release(childrenOf: index, at: now)
    }
}

extension Timetable {
    /// Replaces the streams. Unchanged ones keep their state, changed and new ones begin now, removed ones
    /// finish their runs.
    mutating func reload(_ streams: [ScheduledStream], at now: Timestamp, _ actions: inout [Action]) {
        let names = Set(streams.map(\.name))
        for index in slots.indices where !names.contains(slots[index].name) { refuse(index, &actions) }
        var old = Dictionary(uniqueKeysWithValues: indices.map { ($0.key, slots[$0.value]) })
        let endingSlots = slots.filter { $0.isRemoved && $0.activeRun != nil }
        for ending in endingSlots { old[ending.name] = ending }
        let isGoing = if case .going = stage { true } else { false }

        var fresh: Set<StreamName> = []
        replaceSlots(
            Self.sorted(streams).map { stream in
                guard var slot = old.removeValue(forKey: stream.name) else {
                    fresh.insert(stream.name)
                    return StreamSlot(stream, state: retired.removeValue(forKey: stream.name) ?? ScheduleState())
                }
                slot.stream = stream
                slot.isRemoved = false
                if isGoing {
                    slot.revise(stream.schedule, at: now, &actions)
                } else {
                    slot.occurrences = stream.schedule.map { Occurrences($0, for: stream.name) }
                }
                return slot
            })
        for (name, slot) in old.sorted(by: { $0.key < $1.key }) {
            retired[name] = slot.state
            if slot.activeRun != nil { append(ending: slot) }
        }
        rebuildIndices()
        guard isGoing else { return }
        for index in slots.indices { settle(index, at: now) }
        open(slots.indices.filter { fresh.contains(slots[$0].name) }, at: now, isStart: false, &actions)
    }

    /// Returns the streams sorted by name. If several have the same name, the first counts.
    static func sorted(_ streams: [ScheduledStream]) -> [ScheduledStream] {
        let unique = Dictionary(streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return unique.values.sorted { $0.name < $1.name }
    }

    /// Replaces all slots.
    mutating func replaceSlots(_ replacements: [StreamSlot]) {
        slots = replacements
        indices = Dictionary(uniqueKeysWithValues: zip(slots.map(\.name), slots.indices))
        for index in slots.indices { slots[index].parent = slots[index].stream.parent.flatMap { indices[$0] } }
        rebuildIndices()
    }

    private mutating func append(ending slot: StreamSlot) {
        var ending = slot
        (ending.isRemoved, ending.parent, ending.occurrences, ending.occurrence) = (true, nil, nil, nil)
        (ending.isDue, ending.revision) = (false, nil)
        slots.append(ending)
    }

    /// Rebuilds the queue, the wake times and the slot indices of active runs.
    private mutating func rebuildIndices() {
        queue.assign(slots.map { ($0.name.source, $0.stream.host) })
        wakeTimes = WakeTimes(slots: slots.count)
        children = Array(repeating: [], count: slots.count)
        for (index, slot) in slots.enumerated() {
            if let parent = slot.parent { children[parent].append(index) }
            if let activeRun = slot.activeRun { activeRuns[activeRun.id]?.slot = index }
        }
    }
}
