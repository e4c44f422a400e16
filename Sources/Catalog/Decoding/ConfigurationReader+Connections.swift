import GarnerModel
import GarnerYAML

extension ProxySetting {
    static let format = ValueFormat<ProxySetting>(
        schema: .anyOf([.text, serverFormat.schema]), read: { $0.proxy($1) },
        show: { proxy in
            switch proxy {
            case .environment: .text("environment")
            case .none: .text("none")
            case .server(let address, let username, let password): serverFormat.show((address, username, password))
            }
        })

    fileprivate static let serverFormat = Keys(
        (
            address: WebAddress(scheme: "http", authority: "", path: "", query: nil), username: ConfiguredText?.none,
            password: Secret?.none
        ),
        Key(
            "url", .text { $0.proxyAddress($1) }, to: \.address, required: "add 'url: http://proxy.example:3128'",
            "The proxy's address, such as http://proxy.example:3128."),
        Key("username", .optional(.text(.secret) { $0.userName($1) }), to: \.username, "The user name for the proxy."),
        Key("password", .optional(.secret(isHeader: false)), to: \.password, "The user's password.")
    ) { _, mapping, _ in
        guard let password = mapping["password"], mapping["username"] == nil else { return }
        password.fail("'\(password.name)' needs a user", hint: "add 'username: …'")
    }.format()
}

extension ConfigurationReader {
    private static let proxyExample = "write a URL such as http://proxy.example:3128"

    /// Reads a proxy. Messages never show its URL, since it may hold a password.
    fileprivate func proxy(_ value: YAMLValue) -> ProxySetting? {
        if value.node.mapping != nil {
            return ProxySetting.serverFormat.read(self, value).map(ProxySetting.server(address:username:password:))
        }
        guard let text = value.text(hint: "write none, environment, or \(Self.proxyExample)") else { return nil }
        switch text {
        case "none": return ProxySetting.none
        case "environment": return .environment
        default:
            guard text.contains("://") else {
                let meant = Suggestion.closest(to: text, among: ["none", "environment"])
                return value.failed(
                    "'\(value.name)' is neither none, environment nor a URL",
                    hint: meant.map { "did you mean '\($0)'?" }
                        // Another text may be a name with its password.
                        ?? text.wholeMatch(of: /(?:localhost|[\w-]+(?:\.[\w-]+)+):[0-9]{1,5}/).map {
                            "write http://\($0.0)"
                        }
                        ?? Self.proxyExample)
            }
            return proxyAddress(value).map { .server(address: $0, username: nil, password: nil) }
        }
    }

    fileprivate func proxyAddress(_ value: YAMLValue) -> WebAddress? {
        guard let text = value.text(hint: Self.proxyExample) else { return nil }
        if text.contains("://"), !text.lowercased().hasPrefix("http://") {
            return value.failed("'\(value.name)' is no HTTP proxy", hint: "write http://…; https goes through it too")
        }
        let userHint = "write proxy: { url: …, username: …, password: … }"
        guard let url = absoluteURL(text, of: value, example: Self.proxyExample, userHint: userHint),
            let address = WebAddress(url.text)
        else { return nil }
        guard address.path == "/" else { return value.failed("'\(value.name)' holds a path", hint: Self.proxyExample) }
        return address
    }
}

extension ConfigurationReader {
    /// Finds the streams that others name as their parents. Refuses cycles.
    func resolveParents(_ drafts: inout [StreamDraft]) {
        // Most files have no parents. Building the set of names would slow down the start of every command.
        guard drafts.contains(where: { $0.parent != nil || $0.place(of: "include_from_parent") != nil }) else {
            return
        }
        let names = Set(drafts.map(\.name))
        for index in drafts.indices {
            let draft = drafts[index]
            guard let written = draft.parent, let place = draft.place(of: "parent") else {
                if let place = draft.place(of: "include_from_parent"), !draft.mentions("parent") {
                    issues.fail(
                        at: place, "'include_from_parent' needs 'parent'", hint: "add 'parent: …', or remove it")
                }
                continue
            }
            guard let name = parent(written.stream, of: draft.name, among: names) else {
                // A stream is no parent of its own.
                let others = drafts.map(\.name).filter { $0 != draft.name }
                let own = others.filter { $0.source == draft.name.source }.map(\.stream)
                let spellings = written.stream.contains(".") ? others.map(\.description) : own
                let meant =
                    Suggestion.closest(to: written.stream, among: spellings)
                    ?? others.first { $0.stream == written.stream }?.description
                issues.fail(
                    at: place, "no stream is called '\(written.stream.prefix(60))'",
                    hint: meant.map { "did you mean '\($0)'?" }
                        ?? (others.isEmpty
                            ? "remove 'parent', or add the stream whose records fill {parent.…}"
                            : "write \(own.isEmpty ? "" : "the name of another stream of '\(draft.name.source)', or ")source.stream")
                )
                continue
            }
            drafts[index].stream.parent = Parent(
                stream: name, include: draft.includedFromParent, only: written.only, condition: written.condition,
                fullRefreshEvery: written.fullRefreshEvery)
            drafts[index].parent?.stream = name.description
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

    /// Refuses cycles in O(n), since it visits each stream once.
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
                hint: path[start...].count == 1
                    ? "remove 'parent', or name the stream whose records fill {parent.…}"
                    : "remove 'parent' from one of them")
        }
    }
}

extension ConfigurationReader {
    /// Warns of a stream that sends no credentials, and does not say so, beside others of its source that send some.
    func warnOfMissingCredentials(_ drafts: [StreamDraft]) {
        var proved: [String: StreamName] = [:]
        for draft in drafts where draft.stream.request.authentication != .none && proved[draft.name.source] == nil {
            proved[draft.name.source] = draft.name
        }
        guard !proved.isEmpty else { return }
        for draft in drafts where draft.isSound && !draft.mentions("auth") && !draft.sendsSecrets {
            guard let other = proved[draft.name.source] else { continue }
            issues.warn(
                at: draft.stream.place, "'\(draft.name)' sends no credentials; '\(other)' does",
                hint: "write 'auth' at the source for all its streams, or auth: { type: none } here")
        }
    }
}

extension StreamDraft {
    fileprivate var sendsSecrets: Bool {
        let request = stream.request
        return request.authentication != .none || request.headers.contains { $0.value.literal == nil }
            || request.params.contains { $0.value.literal == nil } || request.body?.secrets.isEmpty == false
    }
}
