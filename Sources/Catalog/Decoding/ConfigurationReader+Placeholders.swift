import GarnerModel

extension ConfigurationReader {
    /// Checks that each placeholder has a source of values, and that each source has a placeholder, since all requests
    /// would be the same otherwise.
    func checkPlaceholders(_ draft: StreamDraft) {
        let texts = draft.templates
        for (name, place, text) in texts {
            for placeholder in Template(text).placeholders {
                guard
                    let (problem, hint) = problem(of: placeholder, in: draft)
                        ?? self.problem(ofFirst: placeholder, in: text, of: name, draft)
                else { continue }
                issues.fail(at: place, "'\(placeholder)' in '\(name)' of '\(draft.name)' \(problem)", hint: hint)
            }
        }
        // The placeholder may be in a part that could not be read.
        guard draft.isSound else { return }
        let used = Set(texts.flatMap { Template($0.text).placeholders })
        let usesParent = used.contains { if case .parent = $0 { true } else { false } }
        if let place = draft.place(of: "parent"), !usesParent {
            issues.fail(
                at: place, "'parent' is used nowhere: every request would be the same",
                hint: "write {parent.id} or another field in 'path', 'params', 'headers' or the body")
        }
        warnOfUnusedCursor(draft, used)
        warnOfUnusedParameters(draft, used)
        if !used.contains(where: \.isPage) { warnOfPageInBody(draft) }
        if !used.contains(where: { $0.isIncremental && !$0.isStart }) { warnOfOpenSteps(draft) }
        for partition in draft.stream.partitions where !used.contains(.partition(partition.name)) {
            guard let place = draft.place(of: partition.name, in: "partitions") else { continue }
            issues.fail(
                at: place, "partition '\(partition.name)' is used nowhere: every request would be the same",
                hint: "write {partition.\(partition.name)} in 'path', 'params', 'headers' or the body")
        }
    }

    /// Warns of a segment of a path such as `:id`, `<id>` or `[id]`, by which documentation means a value, and which is sent as it is.
    func warnOfNamedSegments(_ drafts: [StreamDraft]) {
        let names = Set(drafts.map(\.name))
        for draft in drafts {
            let path = draft.stream.request.path
            guard let place = draft.place(of: "path"), path.contains(where: { ":<[".contains($0) }) else { continue }
            let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
            let found = segments.indices.lazy.compactMap { index -> (Int, String)? in
                let match = segments[index].wholeMatch(
                    of: /:([A-Za-z_]\w{0,39})|<(?:\w+:)?([A-Za-z_]\w{0,39})>|\[([A-Za-z_]\w{0,39})\]/)
                return (match.flatMap { $0.1 ?? $0.2 ?? $0.3 }).map { (index, String($0)) }
            }.first
            guard let (index, name) = found else { continue }
            let owner = index > 0 ? StreamName(source: draft.name.source, stream: String(segments[index - 1])) : nil
            var hint =
                "write {parent.\(name)} for a field of the parent, or {partition.\(name)} for a value of 'partitions'"
            if let owner, names.contains(owner), owner != draft.name, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
                let field = name.lowercased().hasSuffix("id") ? "id" : name
                let filled = segments.indices.map { $0 == index ? "{parent.\(field)}" : String(segments[$0]) }
                let rest = path.drop { $0 != "?" }
                hint =
                    "write path: \"\(filled.joined(separator: "/"))\(rest)\""
                    + (draft.mentions("parent") ? "" : " and parent: \(owner.stream)")
                    + "; or {partition.\(name)} for a value of 'partitions'"
            }
            issues.warn(
                at: place, "'path' of '\(draft.name)' holds '\(segments[index])', which is sent as it is", hint: hint)
        }
    }

    /// Warns if no request of an incremental stream tells what to read, so that every run reads everything.
    private func warnOfUnusedCursor(_ draft: StreamDraft, _ used: Set<Template.Placeholder>) {
        guard let place = draft.place(of: "incremental"), draft.stream.incremental?.stopsAtKnown == false,
            !used.contains(where: \.isIncremental)
        else { return }
        issues.warn(
            at: place,
            "'incremental' is used nowhere in '\(draft.name)': no request says where to begin, so every run reads everything",
            hint: "write {incremental.start_value} in 'params', 'path', 'headers' or the body, such as "
                + "params: { since: \"{incremental.start_value}\" }; or set 'stop_at_known: true' if the list begins "
                + "with its newest record")
    }

    /// Warns of names of parameters that are not sent, since a placeholder says where the page goes.
    private func warnOfUnusedParameters(_ draft: StreamDraft, _ used: Set<Template.Placeholder>) {
        guard draft.mentions("paginator"), let place = draft.place(of: "paginator"),
            let page = used.first(where: \.isPage)
        else { return }
        let usual = ["cursor", "limit", "offset", "page"]
        for (key, value) in draft.stream.paginator.effectiveValues
        where key.hasSuffix("_param") && !usual.contains("\(value)") {
            issues.warn(
                at: draft.place(of: key, in: "paginator") ?? place,
                "'paginator.\(key)' has no effect in '\(draft.name)': '\(page)' says where the page goes",
                hint: "remove '\(key)', and write a page size into 'params', 'json' or 'form'")
        }
    }

    /// Warns of a place of the page in the body that stays as it is, since the paginator sends a parameter of that name.
    private func warnOfPageInBody(_ draft: StreamDraft) {
        guard let place = draft.place(of: "paginator"), case .object(let members)? = draft.stream.request.body else {
            return
        }
        let body = draft.stream.request.bodyFormat.rawValue
        for (key, value) in draft.stream.paginator.effectiveValues where key.hasSuffix("_param") {
            let name = "\(value)"
            guard members.contains(where: { $0.name == name }), BodyPlace("$.\(name)") != nil else { continue }
            issues.warn(
                at: draft.place(of: key, in: "paginator") ?? place,
                "'\(name)' stands in '\(body)' of '\(draft.name)', and the paginator sends it in the URL",
                hint: "write \(key): $.\(name) in paginator; or remove it from '\(body)'")
        }
    }

    /// Warns if the requests for a step say only after which moment its records are, so that each step has all later records, too.
    ///
    /// Only the names of parameters tell that. A day in the path names a whole step.
    private func warnOfOpenSteps(_ draft: StreamDraft) {
        let starts = draft.templates.filter { Template($0.text).placeholders.contains(where: \.isIncremental) }
        guard let place = draft.place(of: "step", in: "incremental"), draft.stream.incremental?.step != nil,
            !starts.isEmpty,
            starts.allSatisfy({
                $0.name.lowercased().firstMatch(of: /^params\..*(since|after|from|start|begin|\bgte?\b)/) != nil
            })
        else { return }
        issues.warn(
            at: place,
            "'incremental.step' of '\(draft.name)' has no end: {incremental.end_value} stands in no request, so that each step may be read to the end of the list",
            hint: "write {incremental.end_value} where the API takes the end, such as "
                + "params: { until: \"{incremental.end_value}\" }; or remove 'step'")
    }

    /// Returns the problem of a placeholder; nil if there is none, or if its source is written but wrong, which is an
    /// issue already.
    func problem(of placeholder: Template.Placeholder, in draft: StreamDraft) -> (String, hint: String)? {
        switch placeholder {
        case .parent:
            return draft.mentions("parent") ? nil : ("needs 'parent'", "add 'parent: …' to the stream")
        case .partition(let name):
            let names = draft.stream.partitions.map(\.name)
            if names.contains(name) || (names.isEmpty && draft.mentions("partitions")) { return nil }
            // A name of one or two letters is near to none.
            let near =
                Suggestion.closest(to: name, among: names) ?? names.first { name.hasPrefix($0) || $0.hasPrefix(name) }
                ?? (names.count == 1 ? names.first : nil)
            let meant = near.map { "did you mean '{partition.\($0)}'?" }
            return ("names no partition", meant ?? "add partitions: { \(name): [a, b] } to the stream")
        case .page(let page):
            let own = draft.stream.paginator.kind.method.placeholder
            // A paginator that is wrong has an issue already.
            if own == page || draft.mentions("paginator") && draft.place(of: "paginator") == nil { return nil }
            let swap = own.map { "\(Template.Placeholder.page($0)), or " } ?? ""
            return ("needs another paginator", "write \(swap)paginator: { \(page.paginator) }")
        case .time(let time) where time.source == .now: return nil
        case .incrementalStart, .incrementalEnd, .time:
            guard draft.mentions("incremental") else {
                return ("needs 'incremental'", "add incremental: { cursor_field: updated_at } to the stream")
            }
            guard !placeholder.isStart, let incremental = draft.stream.incremental, incremental.step == nil,
                incremental.endValue == nil, !incremental.hasFormat, !incremental.cursorFields.isEmpty
            else { return nil }
            return ("needs an end", "add 'step: …' or 'end_value: …' to 'incremental'")
        }
    }
}

extension ConfigurationReader {
    /// Returns the problem of a cursor in a text that cannot be left out of the first page, which has none; nil if there is none.
    private func problem(
        ofFirst placeholder: Template.Placeholder, in text: String, of name: String, _ draft: StreamDraft
    ) -> (String, hint: String)? {
        let method = draft.stream.paginator.kind.method
        guard case .page(let page) = placeholder, method.placeholder == page,
            !Template(text).isPage || ["path", "body"].contains(name),
            method.placed(at: .placeholder(takesAnyValue: false)).firstValue == nil
        else { return nil }
        return (
            "has no value on the first page",
            "write first_cursor: \"*\" in paginator, or what else the API takes for its first page"
        )
    }
}

extension PagePlaceholder {
    /// The keys of a paginator that fills it.
    fileprivate var paginator: String {
        switch self {
        case .cursor: "type: cursor, cursor_path: $.next_cursor"
        case .offset: "type: offset, limit: 100"
        case .number: "type: page_number"
        }
    }
}

extension StreamDraft {
    /// The texts in force that may hold placeholders, with their keys.
    fileprivate var templates: [(name: String, place: ConfigurationPlace, text: String)] {
        var templates: [(name: String, place: ConfigurationPlace, text: String)] = []
        if let place = place(of: "path") { templates.append(("path", place, stream.request.path)) }
        for parameter in stream.request.params {
            guard let place = place(of: "params", parameter.name), case .literal(let text) = parameter.value else {
                continue
            }
            templates.append(("params.\(parameter.name)", place, text))
        }
        for header in stream.request.headers {
            guard let place = place(of: "headers", header.name.lowercased()), let text = header.value.literal else {
                continue
            }
            templates.append(("headers.\(header.name)", place, text))
        }
        let key = stream.request.bodyFormat.rawValue
        guard let place = place(of: key), let body = stream.request.body else { return templates }
        return templates + body.literals.map { (key, place, $0) }
    }
}
