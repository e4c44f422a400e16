/// Translates the key of a record, and its cursor.
extension StreamTranslation {
    func translateKey(_ key: ManifestNode?) throws {
        settleCursor()
        var columns: [String] = []
        var times: [(name: String, time: JinjaValue.Now)] = []
        var isLost = false
        for part in try keyPaths(key) {
            switch try keyColumn(part, at: key) {
            case .column(let column): if !columns.contains(column) { columns.append(column) }
            case .time(let name, let time): times.append((name, time))
            case .constant: break
            case .unknown: isLost = true
            }
        }
        if isLost { return }
        for (name, time) in times {
            // The instant of a record is its own, so that it tells all records apart, as if they had no key.
            let effect: Loss.Effect = columns.isEmpty && time.format == nil && !time.isDay ? .none : .differs
            lose(.key, "without \(name), which is the time of the read", at: key, effect: effect)
        }
        if columns.isEmpty {
            if stream["incremental"] != nil || stream["parent"]?.mapping != nil {
                stream["dedupe"] = .bool(true)
            } else {
                stream["write_disposition"] = .text("replace")
            }
        } else {
            stream["primary_key"] = columns.count == 1 ? .text(columns[0]) : .texts(columns)
        }
    }

    /// The names that lead to each field of the key.
    private func keyPaths(_ key: ManifestNode?) throws -> [[String]] {
        guard let key, !key.isNull, !key.isMapping else { return [] }
        func names(_ node: ManifestNode) throws -> [String] {
            if node.isList { return try node.list.flatMap(names) }
            guard let name = try known(node, of: self.node).printed, !name.isEmpty else { return [] }
            return [name]
        }
        guard key.isList else {
            let value = try known(key, of: node)
            if case .list(let list) = value {
                return list.map { part in
                    if case .list(let inner) = part {
                        inner.compactMap(\.printed)
                    } else {
                        [part.printed].compactMap(\.self)
                    }
                }
                .filter { !$0.isEmpty }
            }
            return value.isNothing ? [] : [try names(key)].filter { !$0.isEmpty }
        }
        return try key.list.map(names).filter { !$0.isEmpty }
    }

    private enum KeyColumn {
        case column(String)
        /// An added column that has the time of the read.
        case time(String, JinjaValue.Now)
        /// A value that all records have, or that tells no records apart.
        case constant
        case unknown
    }

    private func keyColumn(_ path: [String], at key: ManifestNode?) throws -> KeyColumn {
        guard path.count == 1, let name = path.first else { return .column(column(at: path)) }
        if let value = addedFields[name] {
            if stream[mapping: "fields"][mapping: "add"][name] != nil {
                if value.isKnown { return .constant }
                guard case .now(let time) = value else { return .column(name) }
                return .time(name, time)
            }
            if value.isNothing { return .constant }
            // The field of the record itself, which only looks different.
            if value.laters.contains(where: { $0.root == .record && $0.names == [name] }) { return .column(name) }
            throw LossError(.key, "\(name) is computed", at: key)
        }
        if isRenamed(name, isKey: true) {
            lose(
                .key, "\(name) has another name in the answer; Garner looks for the key itself", at: key,
                effect: .differs)
            return .unknown
        }
        return .column(column(at: fieldPaths(name)[0]))
    }

    /// The column of a member of nested objects, as `flatten_depth` makes it.
    private func column(at path: [String]) -> String {
        flattens(path.count - 1)
        return path.joined(separator: "__")
    }

    /// A cursor that is an added field of the time or of the window is no field of a record: the next read begins where this
    /// one began.
    private func settleCursor() {
        guard let incremental = stream["incremental"]?.mapping, let field = incremental["cursor_field"]?.text else {
            return
        }
        guard let value = addedFields[field] else {
            guard isRenamed(field) else {
                let places = places(ofField: field)
                stream[mapping: "incremental"]["cursor_field"] = places.count == 1 ? .text(places[0]) : .texts(places)
                return
            }
            lose(
                .cursor, "\(field) has another name in the answer; the time of the read counts instead",
                at: node["incremental_sync"], effect: .differs)
            return forgetCursor()
        }
        let isAdded = stream[mapping: "fields"][mapping: "add"][field] != nil
        let later = value.bare.later
        let belongsToRecord = value.laters.contains { $0.root == .record }
        if isAdded, belongsToRecord || isStart(field) && incremental["step"] != nil { return }
        if !value.isKnown, later?.root != .interval, later?.root != .slice, !Self.isNow(value) {
            lose(.cursor, "\(field) is computed", at: node["incremental_sync"], effect: .differs)
        }
        forgetCursor()
    }

    func forgetCursor() {
        stream[mapping: "incremental"]["cursor_field"] = nil
        stream[mapping: "incremental"]["cursor_datetime_format"] = nil
    }

    private static func isNow(_ value: JinjaValue) -> Bool {
        if case .now = value { true } else { false }
    }
}
