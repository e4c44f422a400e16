extension ConfigurationReader {
    /// Each placeholder needs what fills it, and what fills it needs a placeholder: else all requests were the same.
    func checkPlaceholders(_ draft: StreamDraft) {
        let texts = draft.templates
        for (name, place, text) in texts {
            for placeholder in Template(text).placeholders {
                guard let (problem, hint) = problem(of: placeholder, in: draft) else { continue }
                issues.fail(at: place, "'\(placeholder)' in '\(name)' of '\(draft.name)' \(problem)", hint: hint)
            }
        }
        // What uses them may be what could not be read.
        guard draft.isSound else { return }
        let used = Set(texts.flatMap { Template($0.text).placeholders })
        let usesParent = used.contains { if case .parent = $0 { true } else { false } }
        if let place = draft.place(of: "parent"), !usesParent {
            issues.fail(
                at: place, "'parent' is used nowhere: every request would be the same",
                hint: "write {parent.id} or another field in 'path', 'params' or 'json'")
        }
        guard let place = draft.place(of: "partitions") else { return }
        for partition in draft.stream.partitions where !used.contains(.partition(partition.name)) {
            issues.fail(
                at: place, "partition '\(partition.name)' is used nowhere: every request would be the same",
                hint: "write {partition.\(partition.name)} in 'path', 'params' or 'json'")
        }
    }

    /// What is written but wrong is told where it stands, and no news here.
    private func problem(of placeholder: Template.Placeholder, in draft: StreamDraft) -> (String, hint: String)? {
        switch placeholder {
        case .parent:
            return draft.mentions("parent") ? nil : ("needs 'parent'", "add 'parent: …' to the stream")
        case .partition(let name):
            let names = draft.stream.partitions.map(\.name)
            if names.contains(name) || (names.isEmpty && draft.mentions("partitions")) { return nil }
            let meant = Suggestion.closest(to: name, among: names).map { "did you mean '{partition.\($0)}'?" }
            return ("names no partition", meant ?? "add partitions: { \(name): [a, b] } to the stream")
        case .incrementalStart, .incrementalEnd:
            guard draft.mentions("incremental") else {
                return ("needs 'incremental'", "add incremental: { cursor_field: updated_at } to the stream")
            }
            guard placeholder == .incrementalEnd, let incremental = draft.stream.incremental,
                incremental.step == nil, incremental.endValue == nil
            else { return nil }
            return ("needs an end", "add 'step: …' or 'end_value: …' to 'incremental'")
        }
    }
}

extension StreamDraft {
    /// The texts in force that may hold placeholders, with the keys that hold them.
    fileprivate var templates: [(name: String, place: ConfigurationPlace, text: String)] {
        var templates: [(name: String, place: ConfigurationPlace, text: String)] = []
        if let place = place(of: "path") { templates.append(("path", place, stream.request.path)) }
        for parameter in stream.request.params {
            guard let place = place(of: "params", parameter.name), case .literal(let text) = parameter.value else {
                continue
            }
            templates.append(("params.\(parameter.name)", place, text))
        }
        guard let place = place(of: "json"), let body = stream.request.body else { return templates }
        return templates + body.literals.map { ("json", place, $0) }
    }
}
