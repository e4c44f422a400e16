import GarnerJSON
import GarnerModel

// Keys that are valid and do nothing, or something else than they seem to.
extension ConfigurationReader {
    /// Warns of keys of the stream's own mapping that have no effect, and of values that are sent otherwise than they look.
    func warnOfEffects(_ draft: StreamDraft) {
        warnOfKeysWithoutEffect(draft)
        warnOfKeyOfAppended(draft)
        warnOfBodies(draft)
        warnOfReplacedHeader(draft)
        warnOfReplacedHooks(draft)
        warnOfParameters(draft)
        warnOfPlacesSentTwice(draft)
        warnOfShortKey(draft)
        warnOfScheme(draft)
        warnOfDelays(draft)
        warnOfManyPlaces(draft)
    }

    private func warnOfDelays(_ draft: StreamDraft) {
        let retry = draft.stream.retry
        guard retry.baseDelay > retry.maxDelay, let place = draft.place(of: "retry", "base_delay") else { return }
        let (base, longest) = (DurationText.format(retry.baseDelay), DurationText.format(retry.maxDelay))
        issues.warn(
            at: place, "'retry.base_delay' has no effect: no delay is longer than max_delay, which is \(longest)",
            hint: "write max_delay: \(base) or more beside it, or a base_delay below \(longest)")
    }

    /// Warns of a way to the next page that has a value in each record, of which the first counts.
    private func warnOfManyPlaces(_ draft: StreamDraft) {
        guard let (key, paths) = draft.stream.paginator.kind.method.wayOn,
            let place = draft.place(of: key, in: "paginator"),
            let path = paths.map(\.description).first(where: { $0.contains("[*]") })
        else { return }
        let (one, which) = key == "cursor_path" ? ("[-1]", "that of the last one") : ("[0]", "that of the first one")
        issues.warn(
            at: place, "'\(key)' of '\(draft.name)' finds a value in each element of a list, and the first one counts",
            hint: "write \(key): \"\(path.replacing("[*]", with: one))\" for \(which)")
    }

    private func warnOfKeysWithoutEffect(_ draft: StreamDraft) {
        let stream = draft.stream
        let deletes = stream.deleteMissing != .ignore || stream.replacesTable || stream.deletedWhen != nil
        let pairs: [(key: String, other: String, isIdle: Bool)] = [
            ("keep_history", "history: true", !stream.history),
            ("max_delete_ratio", "delete_missing: hard", !deletes),
        ]
        for (key, other, isIdle) in pairs where isIdle && draft.mentions(key) {
            guard let place = draft.place(of: key) else { continue }
            issues.warn(
                at: place, "'\(key)' of '\(draft.name)' has no effect",
                hint: "it needs \(other); add that, or remove '\(key)'")
        }
    }

    /// Warns of the keys that need a key of the rows, if each record that comes is added to the table, whatever its key is.
    func warnOfKeyOfAppended(_ draft: StreamDraft) {
        let deletes = draft.stream.deleteMissing != .ignore
        for key in ["primary_key"] + (deletes ? ["delete_missing"] : []) {
            guard draft.stream.writeDisposition == .append, draft.mentions(key), let place = draft.place(of: key)
            else { continue }
            issues.warn(
                at: place, "'\(key)' of '\(draft.name)' has no effect: append stores each record that comes once more",
                hint: "write write_disposition: merge to store each key once, or remove '\(key)'")
        }
    }

    private func warnOfBodies(_ draft: StreamDraft) {
        let request = draft.stream.request
        guard case .text(.literal(let written))? = request.body else { return }
        let hasType = request.headers.contains { $0.name.lowercased() == "content-type" }
        let type = request.headers.first { $0.name.lowercased() == "content-type" }?.value.literal?.lowercased()
        let text = (Template(written).filled { _ in "0" } ?? written).trimming { $0.isWhitespace }
        let ends = "\(text.prefix(1))\(text.suffix(1))"
        guard ["{}", "[]"].contains(ends) else { return }
        let isValid = (try? Document(parsing: Bytes(text.utf8))) != nil
        if request.bodyFormat == .json, let place = draft.place(of: "json") {
            issues.warn(
                at: place,
                "'json' of '\(draft.name)' is one text\(isValid ? "" : ", which looks like JSON and is none"), and is sent in quotes",
                hint: isValid
                    ? "remove the quotes around the object or list, or the | or > behind 'json:'"
                    : "write the object or list itself, without quotes around it, as in json: { name: value }")
        } else if request.bodyFormat == .text, !isValid, type?.hasPrefix("application/json") == true,
            let place = draft.place(of: "body")
        {
            issues.warn(
                at: place, "'body' of '\(draft.name)' is sent as application/json, and is none",
                hint: "write the object or list itself below 'json:', as in json: { name: value }")
        } else if request.bodyFormat == .text, isValid, !hasType, let place = draft.place(of: "body") {
            issues.warn(
                at: place, "'body' of '\(draft.name)' is sent as text/plain, and looks like JSON",
                hint: "write 'json:' in place of 'body:', or add headers: { Content-Type: application/json }")
        }
    }

    private func warnOfReplacedHeader(_ draft: StreamDraft) {
        let request = draft.stream.request
        let name =
            switch request.authentication {
            case .bearer, .basic, .oauth2: "Authorization"
            case .command(let command) where command.output == .token: "Authorization"
            case .apiKey(let name, .header, _): name
            default: ""
            }
        if case .apiKey(let name, .query, _) = request.authentication, let place = draft.place(of: "params", name) {
            issues.warn(
                at: place, "the parameter '\(name)' of '\(draft.name)' is not sent, as 'auth' has another one",
                hint: "remove it, or write auth: { type: none }")
        }
        guard let header = request.headers.first(where: { $0.name.lowercased() == name.lowercased() }),
            let place = draft.place(of: "headers", header.name.lowercased())
        else { return }
        issues.warn(
            at: place, "the header '\(header.name)' of '\(draft.name)' is not sent, as 'auth' has another one",
            hint: "remove it, or write auth: { type: none }")
    }

    private func warnOfReplacedHooks(_ draft: StreamDraft) {
        guard !draft.stream.hooks.isEmpty, let first = draft.replacedHooks.min(), let place = draft.place(of: "hooks")
        else { return }
        issues.warn(
            at: place, "'hooks' of '\(draft.name)' replaces all hooks around it, so that '\(first)' is not called",
            hint: "write '\(first)' here, too, or '\(first): []' if the stream is to have none")
    }

    /// Warns of a token with the word that is written before it.
    private func warnOfScheme(_ draft: StreamDraft) {
        guard case .bearer(let token) = draft.stream.request.authentication,
            token.reveal().lowercased().hasPrefix("bearer "), let place = draft.place(of: "auth")
        else { return }
        // A file is a secret as a whole, and has no variable.
        let variables = token.revealVariables()
        let isOfSecret = variables.isEmpty || variables.contains { $0.lowercased().hasPrefix("bearer") }
        issues.warn(
            at: place, "the token of 'auth' of '\(draft.name)' begins with 'Bearer ', which Garner writes before it",
            hint: isOfSecret
                ? "remove that word from the variable or the file"
                : "remove that word from 'token:', which keeps what stands behind it")
    }

    private func warnOfShortKey(_ draft: StreamDraft) {
        let hash = draft.stream.fields.hash
        let length = hash.key.reveal().utf8.count
        guard !hash.fields.isEmpty, length < 16, !Self.isUnknown(.secret(hash.key)),
            let place = draft.place(of: "fields")
        else { return }
        issues.warn(
            at: place,
            "the key of 'fields.hash' of '\(draft.name)' has \(length.counted("byte")), and can be found by trying",
            hint:
                "take a random one, as 'openssl rand -hex 32' prints; with another key all hashes of the table are new")
    }

    /// Warns of parameters that are sent twice, and of values that are encoded twice.
    private func warnOfParameters(_ draft: StreamDraft) {
        let request = draft.stream.request
        let query = request.path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let own = query.split(separator: "&").map { PercentEncoding.decoded($0.prefix { $0 != "=" }) }
        let paged = draft.stream.paginator.kind.configured.parameters
        for parameter in request.params {
            guard let place = draft.place(of: "params", parameter.name) else { continue }
            if own.contains(parameter.name), !paged.contains(.query(parameter.name)) {
                issues.warn(
                    at: place, "the parameter '\(parameter.name)' of '\(draft.name)' is sent twice: 'path' has it, too",
                    hint: "remove it from one of them")
            }
            if parameter.name.contains("_"), StreamKey.all.contains(where: { $0.name == parameter.name }) {
                issues.warn(
                    at: place, "'\(parameter.name)' is a parameter of '\(draft.name)', since it stands below 'params'",
                    hint: "if it is a key of the stream, begin it in the column of 'params'")
            }
            guard let text = parameter.value.literal, let code = text.firstMatch(of: /%[0-9A-F][0-9A-F]/)?.0,
                Template(text).placeholders.isEmpty
            else { continue }
            issues.warn(
                at: place,
                "'\(code)' in the parameter '\(parameter.name)' of '\(draft.name)' is sent as '%25\(code.dropFirst())'",
                hint: "write the character itself: Garner encodes the values of params")
        }
    }

    /// Warns of what only a shell understands among the words of a program.
    func warnOfShellWords(_ words: [String], _ value: YAMLValue) {
        if words.count == 1, let line = words.first?.split(separator: " "), line.count > 1,
            !line[0].contains("/") || line[1].hasPrefix("-") || line[1].contains("://")
        {
            value.warn(
                "'\(value.name)' is one word, and no program has a name with such spaces",
                hint: "write each word by itself, as in run: [curl, -s, \"https://…\"], or run: [sh, -c, \"…\"] for a "
                    + "line of a shell")
        }
        guard let program = words.first?.split(separator: "/").last,
            !["sh", "bash", "zsh", "dash", "ssh"].contains(program)
        else { return }
        if let path = words.first(where: { $0.hasPrefix("~/") }) {
            value.warn("'\(value.name)' starts no shell, so '~' in '\(path)' is no folder", hint: Self.homeFolder)
        }
        guard
            let word = words.dropFirst().first(where: {
                Self.shellWords.contains($0) || $0.firstMatch(of: /\$[A-Za-z_]/) != nil
            })
        else { return }
        value.warn(
            "'\(value.name)' starts no shell, so '\(word)' is a word for the program",
            hint: "write \(Self.shellLine(words) ?? "[sh, -c, \"… \(word) …\"]")")
    }

    /// Returns the list for a program that is written as one text: its words, or a shell where it has signs of one; nil if it may hold a secret.
    static func commandLine(_ text: String) -> String? {
        let secret = /[\w+=-]{24,}|(?i:bearer|passw|secret|token[=:])|\$\{|\n/
        guard (1...200).contains(text.utf8.count), text.firstMatch(of: secret) == nil else { return nil }
        if text.contains(where: { "|&;<>()$`\"'\\*?~#".contains($0) }) { return "[sh, -c, \(YAMLText.quoted(text))]" }
        return "[\(text.split(separator: " ").map { YAMLText.scalar(String($0)) }.joined(separator: ", "))]"
    }

    /// Returns the list that gives words to a shell; nil if one of them is more than a word for it.
    private static func shellLine(_ words: [String]) -> String? {
        let areWords = words.allSatisfy { shellWords.contains($0) || $0.wholeMatch(of: /[\w.\/:@%+=,$-]+/) != nil }
        return areWords ? commandLine(words.joined(separator: " ")) : nil
    }

    private static let shellWords = [">", ">>", "<", "|", "&&", "||", ";", "&", "2>&1"]
}
