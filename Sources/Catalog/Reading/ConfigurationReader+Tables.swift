extension ConfigurationReader {
    /// Gives each stream its table: the one it names, else its own name, else `source_stream` where that is taken.
    ///
    /// SQLite compares names without regard to the case of ASCII letters.
    func assignTables(_ drafts: inout [StreamDraft]) {
        var wishes: [String: Int] = [:]
        for draft in drafts { wishes[key(wish(of: draft)), default: 0] += 1 }
        var owners: [String: StreamName] = [:]
        for index in drafts.indices {
            let draft = drafts[index]
            let written = draft.place(of: "table")
            var table = wish(of: draft)
            if written == nil, wishes[key(table)] != 1 { table = "\(draft.name.source)_\(table)" }
            drafts[index].stream.table = table
            let place = written.map { ConfigurationPlace(file: file, line: $0.line) } ?? draft.stream.place
            check(table, of: draft.name, at: place)
            if let owner = owners.updateValue(draft.name, forKey: key(table)) {
                issues.fail(
                    at: place, "'\(owner)' and '\(draft.name)' would share the table '\(table)'",
                    hint: "give one of them another name with 'table:'")
            }
        }
    }

    private func wish(of draft: StreamDraft) -> String {
        draft.place(of: "table") == nil ? draft.name.stream : draft.stream.table
    }

    private func check(_ table: String, of name: StreamName, at place: ConfigurationPlace) {
        let folded = key(table)
        if table.unicodeScalars.contains("\0") {
            issues.fail(at: place, "the table of '\(name)' has a NUL in its name", hint: "use letters, digits and '_'")
        } else if let prefix = ["sqlite_", "_garner_"].first(where: folded.hasPrefix) {
            issues.fail(
                at: place, "the table of '\(name)' cannot begin with '\(prefix)'",
                hint: "give it another name with 'table:'")
        }
    }

    private func key(_ table: String) -> String {
        String(decoding: table.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
