extension ConfigurationReader {
    static let hookFields: [Field] = {
        let action = Schema.anyOf([.mapping(runFields), .mapping(postFields)])
        return [
            Field("on_success", .list(action), "What is done after a run that succeeded."),
            Field("on_failure", .list(action), "What is done after a run that failed."),
            Field("on_change", .list(action), "What is done after a run that inserted, updated or deleted something."),
            Field(
                "ping", .secret,
                "A URL that is called after a success; with /start at the start, /fail after a failure."),
            Field("timeout", .duration, "How long each of them may take."),
        ]
    }()

    private static let runFields = [
        Field("run", .list(.text), "A program and its arguments; it gets the run as JSON.", isRequired: true)
    ]
    private static let postFields = [
        Field("post", .secret, "A URL that the run is posted to, as JSON.", isRequired: true),
        Field("headers", .named(.secret), "Headers of that request."),
    ]

    func hooks(_ value: YAMLValue) -> Hooks? {
        guard let mapping = value.mapping(isOptional: true, hint: "write hooks: { on_failure: [ … ] }") else {
            return nil
        }
        mapping.expect(Self.hookFields)
        let lists = ["on_success", "on_failure", "on_change"].map { key in
            mapping[key].map { $0.elements(hint: Self.actionsExample, read: action) } ?? []
        }
        let ping = mapping["ping"].map { value in
            let url = hookURL(value)
            warnOfPlainHTTP(url, [], at: value)
            return url
        }
        let timeout = mapping["timeout"].map { $0.duration(atLeast: .milliseconds(1)) }
        guard let onSuccess = lists[0], let onFailure = lists[1], let onChange = lists[2] else { return nil }
        if ping == .some(nil) || timeout == .some(nil) { return nil }
        var hooks = Hooks(onSuccess: onSuccess, onFailure: onFailure, onChange: onChange, ping: ping ?? nil)
        if let timeout, let timeout { hooks.timeout = timeout }
        return hooks
    }

    private static let actionsExample = "write [ { run: [program, argument] } ] or [ { post: https://… } ]"

    private func action(_ value: YAMLValue) -> Hooks.Action? {
        guard let mapping = value.mapping(hint: "write { run: [program, argument] } or { post: https://… }") else {
            return nil
        }
        switch (mapping["run"], mapping["post"]) {
        case (let run?, nil):
            mapping.expect(Self.runFields)
            return command(run).map { .run($0) }
        case (nil, _):
            let known = Self.runFields.map(\.name) + Self.postFields.map(\.name)
            mapping.expect(known)
            let headers = mapping["headers"]?.mapping(isOptional: true).map(headers) ?? []
            // One that is misspelt is told of already; that it is missing would be no news.
            if mapping["post"] == nil, mapping.entries.contains(where: { !known.contains($0.key) }) { return nil }
            let url = mapping.required("post", hint: "add 'run: [program]' or 'post: https://…'").flatMap(hookURL)
            warnOfPlainHTTP(url, headers.map(\.1), at: mapping["post"])
            return url.map { .post($0, headers: headers.map { .init(name: $0.0.key, value: $0.1) }) }
        case (_?, let post?):
            post.fail("'\(post.name)' stands beside 'run'", hint: "make two of them: [ { run: … }, { post: … } ]")
            return nil
        }
    }

    /// A program that is named with a path is looked for beside the file.
    private func command(_ value: YAMLValue) -> [String]? {
        let example = "write run: [program, argument]"
        guard let words = value.elements(hint: example, read: word) else { return nil }
        guard let program = words.first, !program.isEmpty else {
            value.fail("'\(value.name)' names no program", hint: example)
            return nil
        }
        return [program.contains("/") ? resolve(program) : program] + words.dropFirst()
    }

    private func word(_ value: YAMLValue) -> String? {
        guard let text = value.scalarText() else { return nil }
        if text.contains("${") {
            value.fail(
                "'\(value.name)' holds '${…}', but other programs see what arguments hold",
                hint: "the program has the environment of garner; in [sh, -c, …] write $NAME")
            return nil
        }
        if text.unicodeScalars.contains("\0") {
            value.fail("'\(value.name)' holds a NUL character, which ends a text", hint: "remove it")
            return nil
        }
        return text
    }

    private func hookURL(_ value: YAMLValue) -> ConfiguredText? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        let example = "write a URL such as https://hooks.example.com/…"
        let url = absoluteURL(
            text.reveal(), of: value, example: example, userHint: "put it into 'headers'", mayHoldQuery: true)
        guard url != nil else { return nil }
        guard WebAddress(text.reveal()) != nil else {
            value.fail("'\(value.name)' is not an absolute URL", hint: example)
            return nil
        }
        return text
    }

    private func warnOfPlainHTTP(_ url: ConfiguredText?, _ headers: [ConfiguredText], at value: YAMLValue?) {
        guard let url, let value, let address = WebAddress(url.reveal()), address.scheme == "http",
            !isLoopback(address.host),
            ([url] + headers).contains(where: { if case .secret = $0 { true } else { false } })
        else { return }
        issues.warn(at: value.place, "'\(value.name)' sends secrets unencrypted", hint: "write an https URL")
    }
}

extension Hooks {
    /// Keys and values as they would be written, secrets as `***`.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        guard !isEmpty else { return [] }
        let lists = [("on_success", onSuccess), ("on_failure", onFailure), ("on_change", onChange)]
        let shown = lists.filter { !$0.1.isEmpty }.map { key, actions in
            (key, EffectiveConfiguration.Value.list(actions.map(\.effectiveText)))
        }
        return shown + (ping.map { [("ping", .text($0.description))] } ?? []) + [("timeout", .duration(timeout))]
    }
}

extension Hooks.Action {
    /// `{"run":["notify","zoo"]}`
    fileprivate var effectiveText: String {
        let value: BodyValue =
            switch self {
            case .run(let words): .members(("run", .strings(words)))
            case .post(let url, let headers):
                .members(
                    ("post", .text(url)),
                    (
                        "headers",
                        headers.isEmpty ? nil : .members(headers.map { ($0.name, BodyValue.text($0.value)) })
                    ))
            }
        return value.description
    }
}
