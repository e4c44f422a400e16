/// The programs and URLs that are told of a stream's runs.
package struct Hooks: Sendable, Equatable {
    /// The actions after a run that succeeded.
    package var onSuccess: [Action]
    /// The actions after a run that failed.
    package var onFailure: [Alarm]
    /// The actions after the first run that succeeded again.
    package var onRecovery: [Alarm]
    /// The actions when a stream is overdue by more than a period of its schedule.
    package var onStale: [Action]
    /// The actions after a run that inserted, updated or deleted something, even if it failed.
    package var onChange: [Action]
    /// The URL that is requested at the beginning and at the end of each run; nil if there is none.
    package var ping: ConfiguredText?
    /// The time limit of each action.
    package var timeout: Duration
    /// The variables and files that actions need and that are missing. The actions fail then, and not the runs.
    package var missing: [ConfigurationIssue] = []

    package enum Action: Sendable, Equatable {
        /// A program with its arguments; never empty.
        case run([String])
        /// An absolute `http` or `https` URL that the run is posted to.
        case post(ConfiguredText, headers: [RequestTemplate.Parameter])
    }

    /// An action that waits until several runs in a row have failed.
    package struct Alarm: Sendable, Equatable {
        package var action: Action
        /// The number of failures. With it, the action is taken once an outage: by the failure with this number, or by the
        /// success after at least so many. Nil for after every failure, and after any outage.
        package var after: Int?

        package init(_ action: Action, after: Int? = nil) {
            self.action = action
            self.after = after
        }

        package static func run(_ words: [String]) -> Alarm { Alarm(.run(words)) }
        package static func post(_ url: ConfiguredText, headers: [RequestTemplate.Parameter]) -> Alarm {
            Alarm(.post(url, headers: headers))
        }
    }

    /// The events that a ping reports.
    package enum Beat: String, Sendable, CaseIterable {
        case start, success, failure
    }

    package init(
        onSuccess: [Action] = [], onFailure: [Alarm] = [], onRecovery: [Alarm] = [], onStale: [Action] = [],
        onChange: [Action] = [], ping: ConfiguredText? = nil, timeout: Duration = .seconds(30)
    ) {
        self.onSuccess = onSuccess
        self.onFailure = onFailure
        self.onRecovery = onRecovery
        self.onStale = onStale
        self.onChange = onChange
        self.ping = ping
        self.timeout = timeout
    }

    package var isEmpty: Bool { allActions.isEmpty && ping == nil }

    /// True if an action depends on how many runs have failed in a row.
    package var countsFailures: Bool { !onRecovery.isEmpty || onFailure.contains { $0.after != nil } }

    private var allActions: [Action] {
        onSuccess + (onFailure + onRecovery).map(\.action) + onStale + onChange
    }

    /// Returns the URL of a ping: `ping` itself after a success, with the segment `start` or `fail` otherwise. The
    /// query stays at the end.
    package func pingURL(_ beat: Beat) -> ConfiguredText? {
        let segment: String? =
            switch beat {
            case .start: "start"
            case .success: nil
            case .failure: "fail"
            }
        guard let ping, let segment else { return ping }
        return ping.appending(segment: segment)
    }

    package var secrets: [Secret] {
        let texts = allActions.flatMap { action in
            switch action {
            case .run: [ConfiguredText]()
            case .post(let url, let headers): [url] + headers.map(\.value)
            }
        }
        return ([ping].compactMap(\.self) + texts).compactMap {
            if case .secret(let secret) = $0 { secret } else { nil }
        }
    }
}

extension ConfiguredText {
    /// Returns a URL with another segment at the end of its path.
    fileprivate func appending(segment: String) -> ConfiguredText {
        func appended(_ url: String) -> String {
            let mark = url.unicodeScalars.firstIndex(of: "?") ?? url.endIndex
            return url[..<mark] + (url[..<mark].hasSuffix("/") ? "" : "/") + segment + url[mark...]
        }
        return switch self {
        case .literal(let text): .literal(appended(text))
        case .secret(let secret): .secret(Secret(appended(secret.reveal()), variables: secret.revealVariables()))
        }
    }
}

extension Hooks {
    static let format = ValueFormat(
        schema: mapping.schema, read: mapping.read, show: { $0.isEmpty ? .nothing : mapping.show($0) })

    /// The keys of hooks alone. Others have a timeout, too.
    static let names = keys.fields.map(\.name).filter { $0 != "timeout" }

    private static let mapping = keys.format(
        isOptional: true, hint: "write hooks: { on_failure: [ … ] }", elsewhere: foreign)

    /// Names that other programs have for what is told of failures, or called.
    private static let foreign = ForeignWords.hints([
        (
            "alert alerts callback discord notify post slack teams url webhook webhooks",
            "write on_failure: [ { post: https://… } ]"
        ),
        ("cmd command exec run script shell", "write on_success: [ { run: [./script.sh] } ]"),
        ("email mail smtp", "write on_failure: [ \(ConfigurationReader.mailing) ]"),
    ])

    private static let keys = Keys(
        Hooks(),
        Key("on_success", .actions, to: \.onSuccess, "Actions after a successful run."),
        Key("on_failure", .alarms, to: \.onFailure, "Actions after a failed run; with after: 3, once an outage."),
        Key("on_recovery", .alarms, to: \.onRecovery, "Actions after the first success that follows failures."),
        Key("on_stale", .actions, to: \.onStale, "Actions when a stream is overdue by more than a period."),
        Key(
            "on_change", .actions, to: \.onChange,
            "Actions after a run that changed rows."),
        Key(
            "ping", .optional(.text(.secret) { $0.pingURL($1) }), to: \.ping,
            "A URL to request after each success, with /start at each start and /fail after each failure."),
        Key("timeout", .duration(), to: \.timeout, "The time limit of each action."))
}

extension ValueFormat where Value == [Hooks.Action] {
    fileprivate static var actions: Self {
        ValueFormat<Hooks.Action>(
            schema: .anyOf([.mapping(Hooks.Action.runFields), .mapping(Hooks.Action.postFields)]),
            read: { $0.action($1) }, show: { .text($0.effectiveText) }
        ).list(hint: "write [ { run: [program, argument] } ] or [ { post: https://… } ]") {
            $0.isEmpty ? .nothing : .value(.list($0.map(\.effectiveText)))
        }
    }
}

extension ValueFormat where Value == [Hooks.Alarm] {
    fileprivate static var alarms: Self {
        ValueFormat<Hooks.Alarm>(
            schema: .anyOf([
                .mapping(Hooks.Action.runFields + [Hooks.Alarm.after]),
                .mapping(Hooks.Action.postFields + [Hooks.Alarm.after]),
            ]),
            read: { $0.alarm($1) }, show: { .text($0.effectiveText) }
        ).list(hint: "write [ { run: [program, argument], after: 3 } ] or [ { post: https://… } ]") {
            $0.isEmpty ? .nothing : .value(.list($0.map(\.effectiveText)))
        }
    }
}

extension Hooks.Alarm {
    fileprivate static let after = Field(
        "after", count.schema, "The number of failures in a row, for one call an outage.")
    fileprivate static let count = ValueFormat<Int>.integer(1...1_000_000)

    fileprivate var effectiveText: String {
        guard let after else { return action.effectiveText }
        return "\(action.effectiveText.dropLast()),\"after\":\(after)}"
    }
}

extension Hooks.Action {
    fileprivate static let runFields = [
        Field("run", .list(.text), "A program and its arguments; it gets the run as JSON.", isRequired: true)
    ]
    fileprivate static let postFields = [
        Field("post", .secret, "A URL that the run is posted to, as JSON.", isRequired: true),
        Field("headers", .named(.secret), "Headers of that request."),
    ]

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

extension ConfigurationReader {
    fileprivate func pingURL(_ value: YAMLValue) -> ConfiguredText? {
        let url = hookURL(value)
        warnOfPlainHTTP(url, [], at: value)
        return url
    }

    fileprivate func alarm(_ value: YAMLValue) -> Hooks.Alarm? {
        guard let action = action(value, besides: [Hooks.Alarm.after]) else { return nil }
        let count = value.mapping(isOptional: true)?["after"].flatMap { Hooks.Alarm.count.read(self, $0) }
        return Hooks.Alarm(action, after: count)
    }

    /// - Parameter others: The further fields that the mapping may have.
    fileprivate func action(_ value: YAMLValue, besides others: [Field] = []) -> Hooks.Action? {
        guard let mapping = value.mapping(hint: "write { run: [program, argument] } or { post: https://… }") else {
            return nil
        }
        switch (mapping["run"], mapping["post"]) {
        case (let run?, nil):
            mapping.expect(Hooks.Action.runFields + others, elsewhere: Self.foreignKeysOfActions)
            return command(run).map { .run($0) }
        case (nil, _):
            let known = (Hooks.Action.runFields + Hooks.Action.postFields + others).map(\.name)
            mapping.expect(known, elsewhere: Self.foreignKeysOfActions)
            let headers = mapping["headers"]?.mapping(isOptional: true).map(headers) ?? []
            // A misspelt `post` is an issue already. An issue of a missing one would only repeat it.
            if mapping["post"] == nil, mapping.entries.contains(where: { !known.contains($0.key) }) { return nil }
            let url = mapping.required("post", hint: "add 'run: [program]' or 'post: https://…'").flatMap(hookURL)
            warnOfPlainHTTP(url, headers.map(\.1), at: mapping["post"])
            return url.map { .post($0, headers: headers.map { .init(name: $0.0.key, value: $0.1) }) }
        case (_?, let post?):
            return post.failed(
                "'\(post.name)' stands beside 'run'", hint: "write two actions: [ { run: … }, { post: … } ]")
        }
    }

    fileprivate static let mailing =
        "{ run: [sh, -c, 'mail -s \"garner: $GARNER_STREAM failed\" you@example.org'] }"

    private static let foreignKeysOfActions = ForeignWords.hints([
        ("email mail recipient recipients smtp to", "write \(mailing), with a program of this machine that sends mail"),
        ("after", "remove it: only on_failure and on_recovery wait for several failures in a row"),
        (
            "body content data json message payload text",
            "remove it: the run is posted as JSON; for a text of your own write "
                + "{ run: [curl, --data, \"it failed\", \"https://…\"] }"
        ),
        ("args arguments", "write them into the list: run: [program, argument]"),
    ])

    /// Reads a program and its arguments. A relative path begins in the folder of the file.
    func command(_ value: YAMLValue) -> [String]? {
        let example = "write run: [program, argument]"
        let own = value.plainOrQuotedText.flatMap(Self.commandLine).map { "write run: \($0)" }
        guard let words = value.elements(hint: own ?? example, read: word) else { return nil }
        guard let program = words.first, !program.isEmpty else {
            return value.failed("'\(value.name)' names no program", hint: example)
        }
        warnOfShellWords(words, value)
        return [program.contains("/") ? resolve(program) : program] + words.dropFirst()
    }

    private func word(_ value: YAMLValue) -> String? {
        guard let text = value.scalarText() else { return nil }
        if text.contains("${") {
            return value.failed(
                "'\(value.name)' holds '${…}', but other programs see what arguments hold",
                hint: "the program has the environment of garner; in [sh, -c, …] write $NAME")
        }
        if text.unicodeScalars.contains("\0") {
            return value.failed("'\(value.name)' holds a NUL character, which ends a text", hint: "remove it")
        }
        return text
    }

    private func hookURL(_ value: YAMLValue) -> ConfiguredText? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        if Self.isUnknown(text) { return text }
        let example = "write a URL such as https://hooks.example.com/…"
        let url = absoluteURL(
            text.reveal(), of: value, example: example, userHint: "put it into 'headers'", mayHoldQuery: true)
        guard url != nil else { return nil }
        guard WebAddress(text.reveal()) != nil else {
            return value.failed("'\(value.name)' is not an absolute URL", hint: example)
        }
        return text
    }

    private func warnOfPlainHTTP(_ url: ConfiguredText?, _ headers: [ConfiguredText], at value: YAMLValue?) {
        guard let url, let value, let address = WebAddress(url.reveal()),
            ([url] + headers).contains(where: { if case .secret = $0 { true } else { false } })
        else { return }
        warnOfPlainHTTP(to: address, at: value)
    }
}
