import GarnerJSON
import GarnerYAML

extension ConfigurationReader {
    /// Reads a text, which may hold `${NAME}`, or be a secret `{file: path}`. `$$` is a dollar.
    ///
    /// - Parameter isSecret: true if the text is a secret in any case, so that a literal one is worth a warning.
    func configuredText(_ value: YAMLValue, isSecret: Bool) -> ConfiguredText? {
        if value.node.mapping != nil {
            return secretFile(value).map { text in
                warnOfUnseen(in: text, of: value, isSecret: isSecret, isForeign: true)
                return .secret(Secret(text))
            }
        }
        guard let written = value.scalarText(hint: "write a text, \"${NAME}\" or { file: path }") else { return nil }
        let isBare = warnOfBareVariable(in: written, of: value)
        let isTemplate =
            value.name.hasPrefix("auth.")
            ? warnOfTemplate(in: written, of: value) : written.contains("{{") && written.contains("}}")
        guard let (text, variables) = expand(written, of: value, isNeeded: needsSecrets, isSecret: true)
        else { return nil }
        let secret = Secret(text, variables: variables)
        warnOfUnseen(in: text, of: value, isSecret: isSecret, isForeign: !variables.isEmpty)
        if isSecret { variables.forEach { warnOfEnds(of: $0, in: value) } }
        guard isSecret else { return variables.isEmpty ? .literal(text) : .secret(secret) }
        guard !text.isEmpty else {
            return value.failed(
                "'\(value.name)' is empty", hint: "write \"${NAME}\" and export NAME=…, or { file: path }")
        }
        if variables.isEmpty, !isTemplate, !isBare {
            let isCut = value.plainText.map { value.issues.isCut($0, at: value.place) } ?? false
            value.warn(
                "'\(value.name)' holds a secret in plain text"
                    + (isCut ? ", which ends before ' #', as a comment begins there" : ""),
                hint: (isCut ? "put it into quotes if the rest is a part of it; or " : "")
                    + "write \"${NAME}\" and export NAME=…, or { file: path }")
        }
        return .secret(secret)
    }

    /// Reads a text that may hold variables or placeholders, but not both: the value of a variable is not searched for
    /// placeholders.
    func templatedText(_ value: YAMLValue, isSecret: Bool) -> ConfiguredText? {
        let written = value.plainOrQuotedText ?? ""
        guard !holdsUnknownPlaceholder(written, of: value), let text = configuredText(value, isSecret: isSecret) else {
            return nil
        }
        guard case .secret = text, let placeholder = Template(written).placeholders.first else { return text }
        return value.failed(
            "'\(value.name)' holds a secret and the placeholder '\(placeholder)'",
            hint: "put them into two texts; secrets are never looked into")
    }

    /// Returns true and notes an issue if an unknown name stands in braces, since it would be sent as it is.
    func holdsUnknownPlaceholder(_ text: String, of value: YAMLValue) -> Bool {
        // A pattern is compiled each time that it is used, which costs more than all else that is read of a stream.
        guard text.utf8.contains(UInt8(ascii: "{")) else { return false }
        for miss in Template.nearMisses(in: text) {
            value.warn(
                "'\(miss.written.prefix(80))' in '\(value.name)' is text, and no placeholder",
                hint: "write \(miss.meant)")
        }
        if let template = text.firstMatch(of: /\{\{[^{}]*\}\}/)?.0, Template.nearMisses(in: text).isEmpty,
            !text.contains("${{")
        {
            value.warn(
                "'\(template.prefix(80))' in '\(value.name)' is text: it is a template of another program",
                hint: Self.noTemplates)
        }
        guard let name = Template.unknownNames(in: text).first else { return false }
        let known = ["parent.…", "partition.…", "incremental.start_value", "incremental.end_value", "now"]
        let pages = PagePlaceholder.allCases.map { "page.\($0.rawValue)" }
        let isTime = TimePlaceholder.Source.allCases.contains { name.hasPrefix($0.rawValue) }
        if isTime {
            let parts = name.split(separator: ",", maxSplits: 1)
            let format = String(parts.dropFirst().first?.drop { $0 == " " } ?? "")
            let pattern = Self.pattern(like: format)
            let problem = DatetimePattern.problem(in: format) ?? pattern.map { _ in "'\(format)' is no format" }
            value.fail(
                "wrong placeholder '{\(name.prefix(60))}' in '\(value.name)'" + (problem.map { ": \($0)" } ?? ""),
                hint: pattern.map { "write {\(parts[0]), \($0)}" }
                    ?? "write {now}, {now - 7d}, {now - 7d, date} or {incremental.start_value, epoch_ms}")
            return true
        }
        let meant =
            ForeignWords.placeholder(like: name) ?? (known[2...3] + pages).first { $0.hasSuffix(".\(name)") }
            ?? Suggestion.closest(to: name, among: known[2...3] + pages)
        let isBare = name.utf8.allSatisfy {
            PercentEncoding.isLetter($0) || PercentEncoding.isDigit($0) || $0 == UInt8(ascii: "_")
        }
        // Another name of the owner, as in `{items.id}` or `{partitions.x}`.
        let owner = name.wholeMatch(of: /([A-Za-z_]\w*)\.([A-Za-z_]\w*)/)
        let member = owner.map { String($0.2) } ?? name
        let others =
            isBare && !["parent", "partition"].contains(name) || owner != nil
            ? "write {partition.\(member.prefix(60))} for a value of 'partitions', {parent.\(member.prefix(60))} for a field of the parent"
            : "known are \((known + pages).map { "{\($0)}" }.joined(separator: ", "))"
        let variable = name.wholeMatch(of: /(?i:env|secrets)[.:]([A-Z][A-Z0-9_]{2,59})/)?.1
        value.fail(
            "unknown placeholder '{\(name.prefix(60))}' in '\(value.name)'",
            hint: variable.map { "write \"${\($0)}\"" } ?? meant.map { "did you mean '{\($0)}'?" }
                ?? "\(others); a space after '{' makes it text"
        )
        return true
    }

    /// Returns the pattern for a format in the letters of other languages, such as `YYYY-MM-DD`; nil if it is none.
    private static func pattern(like format: String) -> String? {
        let words = [
            ("YYYY", "%Y"), ("yyyy", "%Y"), ("MM", "%m"), ("DD", "%d"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"),
            ("ss", "%S"),
        ]
        let pattern = words.reduce(format) { $0.replacing($1.0, with: $1.1) }
        let others = pattern.replacing(/%[A-Za-z]/, with: "").filter { $0.isLetter && !"TZ".contains($0) }
        return others.isEmpty && DatetimeFormat(pattern) != nil ? pattern : nil
    }

    /// Warns of a template where none is filled in, without its text, which may hold the secret. Returns false if there is none.
    private func warnOfTemplate(in text: String, of value: YAMLValue) -> Bool {
        // An issue tells of this one, as of a variable without a name.
        guard !text.contains("${{") else { return true }
        let template: String? =
            if text.contains(/\{\{[^{}]*\}\}/) {
                "'{{…}}', a template of another program"
            } else if let placeholder = Template(text).placeholders.first {
                "the placeholder '\(placeholder)', which has no value there"
            } else {
                nil
            }
        guard let template else { return false }
        value.warn(
            "'\(value.name)' holds \(template), and is sent as it is",
            hint: "write \"${NAME}\" and export NAME=…, or { file: path }")
        return true
    }

    static let noTemplates = "write the value itself, or \"${NAME}\" and export NAME=…"

    /// Warns of a variable as a shell has it, such as `$NAME`, which is sent as it is. Returns false if there is none.
    @discardableResult
    func warnOfBareVariable(in text: String, of value: YAMLValue) -> Bool {
        // To make an expression takes a third of a millisecond, and each text of a configuration comes here.
        if text.hasPrefix("$(") || text.hasPrefix("`"),
            let command = text.wholeMatch(of: /\$\(([a-z][\w.\/ -]*)\)|`([a-z][\w.\/ -]*)`/)
        {
            let words = (command.1 ?? command.2 ?? "").split(separator: " ")
            value.warn(
                "'\(value.name)' holds a command of a shell, which none runs, and is sent as it is",
                hint: words.count == 2 && words[0] == "cat"
                    ? "write { file: \(words[1]) } in its place"
                    : "write auth: { type: command, run: [\(words.joined(separator: ", "))] }, or export NAME=… and write \"${NAME}\""
            )
            return true
        }
        let name: Substring
        let shown: String
        // A word that the server wants before a token stays there.
        let scheme = ["Bearer ", "Token "].first(where: text.hasPrefix) ?? ""
        let rest = text.dropFirst(scheme.count)
        if text.utf8.contains(UInt8(ascii: "$")), let bare = text.firstMatch(of: /(?:^|[^$])\$\(?([A-Z][A-Z0-9_]+)/)?.1
        {
            (name, shown) = (bare, "$\(bare.prefix(60))")
        } else if Self.variables.contains(where: { rest.hasPrefix($0) }),
            let match = rest.wholeMatch(
                of:
                    /[{$]?(?i:(?:process\.|os\.)?(?:env|environ|getenv|secrets))(?:\.get)?[.:\/(\["' ]+([A-Z][A-Z0-9_]{2,59})["')\]}]*|%([A-Z][A-Z0-9_]{2,59})%/
            )
        {
            (name, shown) = (match.1 ?? match.2 ?? "", String(rest))
        } else {
            return false
        }
        value.warn(
            "'\(shown)' in '\(value.name)' is no variable, and is sent as it is",
            hint: "write \"\(value.name == "auth.token" ? "" : scheme)${\(name.prefix(60))}\"")
        return true
    }

    /// The beginnings of a variable as programs and other files have it, such as `env(NAME)`, `os.environ["NAME"]` and `$env:NAME`.
    private static let variables = ["%", "process.", "os.", "env", "ENV", "Env", "getenv", "secrets", "$env", "{env"]

    /// Reads a text that everybody may see, and that may hold variables. Placeholders are not looked for in their values.
    func openText(_ value: YAMLValue, hint: String? = nil) -> String? {
        guard let written = value.scalarText(hint: hint) else { return nil }
        warnOfBareVariable(in: written, of: value)
        // Without a variable, "$$" stands for itself, as it did before variables could be here.
        guard written.contains("${") else { return written }
        guard let (text, variables) = expand(written, of: value, isNeeded: true, isSecret: false) else { return nil }
        guard !variables.contains(where: { $0.unicodeScalars.contains { "{}".unicodeScalars.contains($0) } }) else {
            return value.failed(
                "a variable of '\(value.name)' holds a brace", hint: "write placeholders into the file itself")
        }
        return text
    }

    /// Warns of a variable for a secret with what a shell or an `.env` file has added to it.
    private func warnOfEnds(of variable: String, in value: YAMLValue) {
        let isQuoted =
            variable.count > 2 && variable.first == variable.last
            && (variable.first.map { "\"'".contains($0) } ?? false)
        let hasBlanks = variable.first == " " || variable.last == " "
        if variable.wholeMatch(of: Self.namedSecret) != nil {
            value.warn(
                "a variable in '\(value.name)' seems to have a name and '=' before the secret, which are sent, too",
                hint: "export the value alone, without a second NAME=")
        }
        guard isQuoted || hasBlanks else { return }
        value.warn(
            "a variable in '\(value.name)' \(isQuoted ? "is in quotes" : "begins or ends with a blank"), which is sent, too",
            hint: "remove \(isQuoted ? "them" : "it") where the variable is set")
    }

    /// Replaces the variables. It compares scalars, since a dollar or a brace with a combining mark is a single
    /// character.
    ///
    /// - Parameters:
    ///   - isNeeded: false if a variable that is not set is no issue.
    ///   - isSecret: false if everybody may see the text.
    func expand(
        _ written: String, of value: YAMLValue, isNeeded: Bool, isSecret: Bool
    ) -> (text: String, variables: [String])? {
        var text = ""
        var variables: [String] = []
        let isRead = eachPart(of: written, of: value) { name, literal in
            guard let name else {
                text += literal
                return true
            }
            guard let variable = variable(name, of: value, isNeeded: isNeeded, isSecret: isSecret) else {
                return false
            }
            if isSecret {
                self.variables.note(secret: String(name))
            } else {
                self.variables.note(open: String(name), in: value)
            }
            text += variable
            variables.append(variable)
            return true
        }
        return isRead ? (text, variables) : nil
    }

    /// Cuts a text into the names of its variables and the literals between them. Returns false and notes an issue if a
    /// variable has no end, and false if one is not taken.
    func eachPart(
        of written: String, of value: YAMLValue, _ take: (_ variable: Substring?, _ literal: String) -> Bool
    ) -> Bool {
        var rest = written.unicodeScalars[...]
        while let dollar = rest.firstIndex(of: "$") {
            guard take(nil, String(rest[..<dollar])) else { return false }
            rest = rest[dollar...].dropFirst()
            if rest.first == "$" {
                guard take(nil, "$") else { return false }
                rest = rest.dropFirst()
            } else if rest.first == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    value.fail("'\(value.name)' has '${' without '}'", hint: "write ${NAME}, or $$ for a dollar")
                    return false
                }
                guard take(Substring(rest[..<end].dropFirst()), "") else { return false }
                rest = rest[end...].dropFirst()
            } else {
                guard take(nil, "$") else { return false }
            }
        }
        return take(nil, String(rest))
    }

    /// Returns the line for a variable as a shell has it with a default, which may be a secret, or as other programs have it.
    private static func variable(like text: Substring) -> String? {
        if let name = text.prefixMatch(of: /([A-Z_][A-Z0-9_]*):?[-=?+]/)?.1 {
            return "write ${\(name)}, and export \(name)=…: a variable has no default here"
        }
        return text.wholeMatch(of: /\{? *(?:env|ENV|secrets|vars)[.:]([A-Z_][A-Z0-9_]*) */).map { "write ${\($0.1)}" }
    }

    func variable(_ name: Substring, of value: YAMLValue, isNeeded: Bool, isSecret: Bool) -> String? {
        let isName = name.utf8.allSatisfy {
            PercentEncoding.isLetter($0) || PercentEncoding.isDigit($0) || $0 == UInt8(ascii: "_")
        }
        guard isName, let first = name.utf8.first, !PercentEncoding.isDigit(first) else {
            return value.failed(
                "'\(value.name)' has '${…}' without the name of a variable",
                hint: Template.Placeholder(name: String(name)).map { "leave out the $ before \($0)" }
                    ?? Self.variable(like: name) ?? "write ${NAME}, or $$ for a dollar")
        }
        guard let text = environment[String(name)], !text.isEmpty else {
            guard isNeeded else { return Self.unknownSecret }
            let state = environment[String(name)] == nil ? "not set" : "empty"
            let mayBeEmpty = state == "empty" && value.name == "auth.password"
            let issue = ConfigurationIssue(
                place: value.place, message: "environment variable '\(name)' is \(state)",
                hint: (Template.Placeholder(name: String(name)).map { "leave out the $ before \($0), or " } ?? "")
                    + (fileAdvice(on: name) ?? "export \(name)=…")
                    + (mayBeEmpty ? ", or write password: \"\" if it is empty" : ""))
            guard missing.note(issue) else {
                issues.fail(issue)
                return nil
            }
            return isSecret ? Self.unknownSecret : nil
        }
        return text
    }

    /// Returns what reads the variable out of the `.env` file beside this one, which Garner does not; nil if it does not stand there.
    private func fileAdvice(on name: Substring) -> String? {
        let path = resolve(".env")
        let place = path.contains("/") ? path : "./\(path)"
        guard place.wholeMatch(of: /[\w.\/@+-]+/) != nil,
            let text = try? TextFile(path: path, maximumBytes: 64 << 10, isOnDisk: true).text,
            text.split(whereSeparator: \.isNewline).contains(where: { line in
                ["\(name)=", "export \(name)="].contains { line.hasPrefix($0) }
            })
        else { return nil }
        return "set -a; . \(place); set +a (Garner does not read .env by itself)"
    }

    /// A stand-in for a secret that is not needed. It is never sent.
    static let unknownSecret = "unknown"

    /// Returns true if a variable or a file is missing that the text is made of, so that nothing can be said of the text.
    static func isUnknown(_ text: ConfiguredText) -> Bool {
        guard case .secret(let secret) = text else { return false }
        return secret.reveal() == unknownSecret || secret.revealVariables().contains(unknownSecret)
    }

    /// Notes an issue for a parameter that dlt fills in with the place where a read begins.
    private func failOfIncremental(_ value: YAMLValue, cursor: YAMLValue, initial: YAMLValue?) {
        func text(_ value: YAMLValue?, _ pattern: Regex<Substring>) -> String? {
            value?.plainOrQuotedText.flatMap { $0.wholeMatch(of: pattern).map { String($0.output) } }
        }
        let path = text(cursor, /(?:\$\.)?[A-Za-z_][A-Za-z0-9_.]{0,59}/) ?? "updated_at"
        let field = path.contains(".") && !path.hasPrefix("$") ? "$." + path : path
        let start = text(initial, /[0-9][0-9TZ:.+-]{0,39}/).map { ", initial_value: \"\($0)\"" } ?? ""
        value.fail(
            "'\(value.name)' is a mapping, as dlt has it for a read of what changed",
            hint: "write \"{incremental.start_value}\" in its place, and in the stream incremental: { cursor_field: "
                + "\(field)\(start) }")
    }

    private func secretFile(_ value: YAMLValue) -> String? {
        guard let mapping = value.mapping() else { return nil }
        if mapping["file"] == nil, mapping.entries.count == 1, let entry = mapping.entries.first {
            if ["env", "env_var", "environment", "variable"].contains(entry.key) {
                // Another text may be the secret itself.
                let name = entry.value.plainText.flatMap { $0.wholeMatch(of: /[A-Z][A-Z0-9_]{0,59}/)?.0 } ?? "NAME"
                return value.failed(
                    "'\(value.name)' is a mapping, and a variable is written as a text", hint: "write \"${\(name)}\"")
            }
            if failsAsBareBraces(value, mapping) { return nil }
        }
        if let cursor = mapping["cursor_path"] ?? mapping["cursor_field"] {
            failOfIncremental(value, cursor: cursor, initial: mapping["initial_value"])
            return nil
        }
        if let kind = ["params.", "form."].first(where: value.name.hasPrefix), !mapping.entries.isEmpty,
            mapping.entries.allSatisfy({ Suggestion.closest(to: $0.key, among: ["file"]) == nil })
        {
            let name = value.name.dropFirst(kind.count)
            let flat = mapping.entries.map { entry in
                // Another value may be a secret.
                let text = entry.value.plainText.flatMap { $0.wholeMatch(of: /[0-9]{1,9}|true|false/)?.0 } ?? "…"
                return "\"\(name)[\(entry.key)]\": \(text)"
            }
            return value.failed(
                "'\(value.name)' is a mapping, and a \(kind == "form." ? "field of a form" : "parameter") has one value",
                hint: "write \(flat.joined(separator: ", "))")
        }
        mapping.expect(["file"])
        guard let named = mapping.required("file", hint: "write { file: path }"), let path = name(named) else {
            return nil
        }
        guard needsSecrets else { return Self.unknownSecret }
        func without(_ problem: String, hint: String) -> String? {
            let issue = ConfigurationIssue(
                place: named.place, message: "the file of '\(value.name)' \(problem)", hint: hint)
            if missing.note(issue) { return Self.unknownSecret }
            issues.fail(issue)
            return nil
        }
        let file: TextFile
        do {
            file = try TextFile(path: resolve(path), maximumBytes: 64 << 10, isOnDisk: true)
        } catch {
            let hint =
                path.hasPrefix("~")
                ? Self.homeFolder
                : "put the secret into \(resolve(path)), readable for the user that runs garner"
            switch error {
            case .missing: return without("does not exist", hint: hint)
            case .unreadable(let reason): return without("cannot be read: \(reason)", hint: hint)
            }
        }
        let lines = file.text.reversed().drop { $0.isNewline }
        let text = String(lines.reversed())
        guard !text.isEmpty else {
            return without("is empty", hint: "put the secret into \(resolve(path))")
        }
        // Nothing of it is shown: what looks like a name may be the secret.
        if text.wholeMatch(of: Self.namedSecret) != nil {
            named.warn(
                "the file of '\(value.name)' seems to have a name and '=' before the secret, which are sent, too",
                hint: "put the value alone into \(resolve(path)), without NAME=")
        }
        if text.hasPrefix("{"), text.hasSuffix("}"), text.contains("\":") {
            named.warn(
                "the file of '\(value.name)' holds JSON, which is sent as it is",
                hint: "put the value alone into a file, such as by jq -j .token \(resolve(path)) > token.txt")
        }
        secretFiles.note(text)
        return text
    }

    /// A line of an `.env` file.
    private static var namedSecret: Regex<Substring> { /(?:export )?[A-Z][A-Z0-9_]{2,59}=[^=\s]\S{3,}/ }

    /// Notes an issue for a placeholder without quotes, which YAML reads as a mapping. Returns false for other mappings.
    func failsAsBareBraces(_ value: YAMLValue, _ mapping: YAMLMapping) -> Bool {
        guard mapping.entries.count == 1, let entry = mapping.entries.first, entry.value.isNull,
            !Template("{\(entry.key)}").placeholders.isEmpty
        else { return false }
        value.fail(
            "'\(value.name)' is a mapping, since its braces stand without quotes",
            hint: "write \"{\(entry.key)}\" with the quotes")
        return true
    }
}

extension ConfigurationReader {
    func selector(_ value: YAMLValue) -> Selector? {
        let hint = "write a JSONPath such as $.data[*]"
        guard let text = value.text(hint: hint) else { return nil }
        do {
            return try Selector(parsing: text)
        } catch {
            return value.failed(
                "'\(value.name)' is not a valid JSONPath: \(error)", hint: Self.line(for: value, text) ?? hint)
        }
    }

    /// Returns the line for a path as jq, JSON Pointer or other programs write it, or with a condition in it; nil for other texts.
    private static func line(for value: YAMLValue, _ text: String) -> String? {
        if let path = jsonPath(like: text) { return "write \"\(path)\"" }
        let parts = text.wholeMatch(of: /(.*?)(?:\[\? *(.*?) *\](?:\.?\*|\[\*?\])?| *\| *select\((.*)\))/)
        guard value.name == "record_selector", let parts, let written = parts.2 ?? parts.3 else { return nil }
        let list = parts.1.allSatisfy { "$.[]".contains($0) } ? "$" : jsonPath(like: String(parts.1))
        // JMESPath has values in backquotes, and jq members behind a dot alone.
        let ours = String(written).replacing("`", with: "").replacing(/(^|[\s(!])\.(?=[A-Za-z_])/) { "\($0.1)@." }
        let bare = ours.hasPrefix("(") && ours.hasSuffix(")") ? String(ours.dropFirst().dropLast()) : ours
        let meant = [bare, ours].first { (try? FilterExpression(parsing: $0)) != nil } ?? condition(like: bare)
        guard let list, let meant else { return nil }
        return
            "write record_selector: \"\(list)\(list.hasSuffix("[*]") ? "" : "[*]")\" and record_filter: \(Self.written(meant))"
    }

    /// Returns the JSONPath that is meant by a path of names, numbers and brackets; nil if none is.
    private static func jsonPath(like text: String) -> String? {
        let names = text.split { "$./".contains($0) }.joined(separator: ".").replacing("[]", with: "[*]")
            .replacing(/\.(\d+|\*)(?=\.|$)/) { "[\($0.1)]" }
        let path = "$." + names
        guard path.utf8.count < 80, path.wholeMatch(of: /\$(?:\.[A-Za-z_]\w*(?:\[(?:\*|[0-9]+)\])*)+/) != nil,
            (try? Selector(parsing: path)) != nil
        else { return nil }
        return path
    }
}
