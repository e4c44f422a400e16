import Catalog

extension Timetable {
    /// Streams that stay as they are keep their state; changed and new ones begin from now; removed ones end their runs.
    mutating func reload(_ streams: [ScheduledStream], at now: Timestamp, _ actions: inout [Action]) {
        let names = Set(streams.map(\.name))
        for index in lines.indices where !names.contains(lines[index].name) { refuse(index, &actions) }
        var old = Dictionary(uniqueKeysWithValues: indices.map { ($0.key, lines[$0.value]) })
        let ghosts = lines.filter { $0.isRemoved && $0.flight != nil }
        for ghost in ghosts { old[ghost.name] = ghost }
        let isGoing = if case .going = stage { true } else { false }

        var fresh: Set<StreamName> = []
        replaceLines(
            Self.sorted(streams).map { stream in
                guard var line = old.removeValue(forKey: stream.name) else {
                    fresh.insert(stream.name)
                    return Line(stream, memory: retired.removeValue(forKey: stream.name) ?? StreamMemory())
                }
                line.stream = stream
                line.isRemoved = false
                if isGoing {
                    line.revise(stream.schedule, at: now, &actions)
                } else {
                    line.course = stream.schedule.map { Course($0, for: stream.name) }
                }
                return line
            })
        for (name, line) in old.sorted(by: { $0.key < $1.key }) {
            retired[name] = line.memory
            if line.flight != nil { append(ghost: line) }
        }
        seat()
        guard isGoing else { return }
        for index in lines.indices { settle(index, at: now) }
        open(lines.indices.filter { fresh.contains(lines[$0].name) }, at: now, isStart: false, &actions)
    }

    /// In the order of their names; of those with the same name the first counts.
    static func sorted(_ streams: [ScheduledStream]) -> [ScheduledStream] {
        let unique = Dictionary(streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return unique.values.sorted { $0.name < $1.name }
    }

    /// Makes these lines all that there are.
    mutating func replaceLines(_ replacements: [Line]) {
        lines = replacements
        indices = Dictionary(uniqueKeysWithValues: zip(lines.map(\.name), lines.indices))
        for index in lines.indices { lines[index].parent = lines[index].stream.parent.flatMap { indices[$0] } }
        seat()
    }

    private mutating func append(ghost line: Line) {
        var ghost = line
        (ghost.isRemoved, ghost.parent, ghost.course, ghost.departure) = (true, nil, nil, nil)
        (ghost.hasArrived, ghost.revision) = (false, nil)
        lines.append(ghost)
    }

    /// Begins anew with queue, alarms and flights, whose lines have other numbers now.
    private mutating func seat() {
        turns.seat(lines.map { ($0.name.source, $0.stream.host) })
        alarms = Alarms(lines: lines.count)
        children = Array(repeating: [], count: lines.count)
        for (index, line) in lines.enumerated() {
            if let parent = line.parent { children[parent].append(index) }
            if let flight = line.flight { flights[flight.id]?.line = index }
        }
    }
}
