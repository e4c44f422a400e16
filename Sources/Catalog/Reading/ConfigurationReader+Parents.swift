extension ConfigurationReader {
    /// Finds the streams that others name as their parents, and refuses circles of them.
    func resolveParents(_ drafts: inout [StreamDraft]) {
        // Most files have no parents, and a set of names costs the start of every command its type.
        guard drafts.contains(where: { $0.parentName != nil || $0.place(of: "include_from_parent") != nil }) else {
            return
        }
        let names = Set(drafts.map(\.name))
        for index in drafts.indices {
            let draft = drafts[index]
            guard let written = draft.parentName, let place = draft.place(of: "parent") else {
                if let place = draft.place(of: "include_from_parent") {
                    issues.fail(
                        at: place, "'include_from_parent' needs 'parent'", hint: "add 'parent: …', or remove it")
                }
                continue
            }
            guard let name = parent(written, of: draft.name, among: names) else {
                let own = drafts.map(\.name).filter { $0.source == draft.name.source }.map(\.stream)
                let spellings = written.contains(".") ? drafts.map(\.name.description) : own
                let meant = Suggestion.closest(to: written, among: spellings)
                issues.fail(
                    at: place, "no stream is called '\(written.prefix(60))'",
                    hint: meant.map { "did you mean '\($0)'?" }
                        ?? "write the name of a stream of '\(draft.name.source)', or source.stream")
                continue
            }
            drafts[index].stream.parent = Parent(stream: name, include: draft.includedFromParent)
            drafts[index].parentName = name.description
        }
        refuseCycles(drafts)
    }

    private func parent(_ written: String, of child: StreamName, among names: Set<StreamName>) -> StreamName? {
        let parts = written.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let name =
            parts.count == 2
            ? StreamName(source: parts[0], stream: parts[1]) : StreamName(source: child.source, stream: written)
        return names.contains(name) ? name : nil
    }

    /// O(n): each stream is left behind once.
    private func refuseCycles(_ drafts: [StreamDraft]) {
        var byName: [StreamName: StreamDraft] = [:]
        for draft in drafts { byName[draft.name] = draft }
        var seen: Set<StreamName> = []
        for draft in drafts {
            var path: [StreamName] = []
            var next: StreamName? = draft.name
            while let name = next, seen.insert(name).inserted {
                path.append(name)
                next = byName[name]?.stream.parent?.stream
            }
            guard let end = next, let start = path.firstIndex(of: end) else { continue }
            let circle = (path[start...] + [end]).map(\.description).joined(separator: " → ")
            issues.fail(
                at: byName[end]?.place(of: "parent") ?? draft.stream.place, "the parents form a circle: \(circle)",
                hint: "remove 'parent' from one of them")
        }
    }
}
