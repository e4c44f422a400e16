// A history as people read it.
extension History {
    var told: String {
        var lines = ["  the stream: \(world.told)"]
        lines += records.map { "  the source has \($0.content(in: world).json)" }
        lines += steps.enumerated().map { "  \($0 + 1). \($1.told(in: world))" }
        return lines.joined(separator: "\n")
    }
}

extension World {
    fileprivate var told: String {
        var words = ["key \(keyKind.rawValue)", "pages by \(paging.rawValue)"]
        if paging != .single { words.append("\(pageSize) records a page") }
        if repeats { words.append("each page repeats the last record of the one before") }
        if isKeyInferred { words.append("key inferred") }
        words.append("\(writing.rawValue)")
        if missing != .ignore { words.append("delete_missing \(missing.rawValue)") }
        if maxDeleteRatio != 1 { words.append("max_delete_ratio \(maxDeleteRatio)") }
        if sendsETags { words.append("ETags") }
        if keepsHistory { words.append("history") }
        if isSearched { words.append("search") }
        if childTables { words.append("child_tables") }
        if flattenDepth != 1 { words.append("flatten_depth \(flattenDepth)") }
        if columns != .evolve { words.append("schema_contract.columns \(columns.rawValue)") }
        if types != .setAside { words.append("schema_contract.data_types \(types.rawValue)") }
        if isIncremental { words.append("incremental") }
        if hasFiles { words.append("attachments") }
        if zoos > 0 { words.append("a parent with \(zoos) records") }
        if attempts != 1 { words.append("\(attempts) attempts") }
        return words.joined(separator: ", ")
    }
}

extension History.Step {
    fileprivate func told(in world: World) -> String {
        switch self {
        case .change(let change): change.told(in: world)
        case .read(let disturbance): "a read; \(disturbance.told(in: world))"
        case .quietRead: "a quiet read"
        case .reopen: "the database is closed and opened"
        case .configure(let setting): "it is configured anew: \(setting)"
        }
    }
}

extension Disturbance {
    fileprivate func told(in world: World) -> String {
        var words = faults.sorted { $0.key < $1.key }.map { "request \($0.key) is answered with: \($0.value.rawValue)" }
        for (request, changes) in changes.sorted(by: { $0.key < $1.key }) {
            words += changes.map { "before request \(request) is answered, \($0.told(in: world))" }
        }
        if let kill { words.append("killed \(kill.microseconds) µs after request \(kill.request)") }
        if restarts { words.append("from the first page on") }
        if let stop { words.append("stopped behind page \(stop)") }
        if let maximumPages { words.append("\(maximumPages) pages at most") }
        return words.joined(separator: "; ")
    }
}

extension Change {
    /// Records are counted from 0, modulo their number.
    fileprivate func told(in world: World) -> String {
        switch self {
        case .insert(let record, let place): "at \(place), a record comes: \(record.content(in: world).json)"
        case .remove(let place): "record \(place) goes"
        case .update(let place, let members): "record \(place) becomes \(Content.object(members).json)"
        case .replace(let place, let record): "record \(place) is replaced by \(record.content(in: world).json)"
        case .rekey(let place, let key): "record \(place) gets the key \(Content.array(key).json)"
        case .nudge(let place, let distances): "the parts of the key of record \(place) move by \(distances)"
        case .move(let place, let target): "record \(place) moves to \(target)"
        case .reverse: "all records are reversed"
        case .redraw(let file): "file \(file) changes"
        }
    }
}
