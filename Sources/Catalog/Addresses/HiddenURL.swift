/// A URL of the configuration, or a part of one, with a run of asterisks in the place of each secret: `***` for the first
/// one, and one asterisk more for each one after it. This text is shown and stored; the secrets are put into it when a
/// request is sent.
package struct HiddenURL: Sendable, Equatable, CustomStringConvertible {
    package var text: String
    package var secrets: [Secret]

    package init(_ text: String, secrets: [Secret] = []) {
        self.text = text
        self.secrets = secrets
    }

    package var description: String { text }

    /// Returns the text with the asterisks of secrets that follow `count` others.
    package func text(behind count: Int) -> String {
        count == 0 ? text : Self.replacing(in: text) { secrets.indices.contains($0) ? Self.standIn($0 + count) : nil }
    }

    /// The asterisks for the secret with this index.
    package static func standIn(_ index: Int) -> String { String(repeating: "*", count: shortest + index) }

    /// Returns the text with the secrets, encoded as one value of a path or a query.
    package static func revealed(_ text: String, _ secrets: [Secret]) -> String {
        replacing(in: text) { secrets.indices.contains($0) ? PercentEncoding.encodedInURL(secrets[$0].reveal()) : nil }
    }

    private static let shortest = 3

    /// Replaces the runs of asterisks that stand for a secret.
    private static func replacing(in text: String, _ replacement: (_ index: Int) -> String?) -> String {
        var result = ""
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "*")) {
            result += String(Substring(rest[..<start]))
            let run = rest[start...].prefix { $0 == UInt8(ascii: "*") }
            result += replacement(run.count - shortest) ?? String(Substring(run))
            rest = rest[run.endIndex...]
        }
        return result + String(Substring(rest))
    }
}

extension WebAddress {
    /// Returns this address with the secrets in the places of their asterisks, to be sent.
    package func revealing(_ secrets: [Secret]) -> WebAddress {
        guard !secrets.isEmpty else { return self }
        var revealed = self
        revealed.path = HiddenURL.revealed(path, secrets)
        revealed.query = query.map { HiddenURL.revealed($0, secrets) }
        return revealed
    }
}

extension RequestTemplate {
    /// The base URL as the file has it. Its secrets are the first ones, so it is set before the path.
    var hiddenBaseURL: HiddenURL {
        get { HiddenURL(baseURL, secrets: urlSecrets) }
        set { (baseURL, urlSecrets) = (newValue.text, newValue.secrets) }
    }

    var hiddenPath: HiddenURL {
        get { HiddenURL(path, secrets: urlSecrets) }
        set {
            path = newValue.text(behind: urlSecrets.count)
            urlSecrets += newValue.secrets
        }
    }
}

extension ConfigurationReader {
    /// Reads a URL, or a part of one, that may hold variables. One that is a secret is hidden, unless it would stand in
    /// front of the path: no request can hide its host.
    func hiddenURL(_ value: YAMLValue, hint: String, isPath: Bool = false) -> HiddenURL? {
        guard let written = value.scalarText(hint: hint) else { return nil }
        warnOfBareVariable(in: written, of: value)
        // Without a variable, "$$" stands for itself, as it did before variables could be here.
        guard written.contains("${") else { return HiddenURL(written) }
        var parts: [Part] = []
        let isRead = eachPart(of: written, of: value) { name, literal in
            var part = Part(text: literal, isSecret: false)
            if name == nil, literal.isEmpty { return true }
            if let name {
                guard let variable = urlVariable(name, of: value, behind: parts, isPath: isPath) else { return false }
                part = variable
            }
            // Two secrets in a row are one, since their asterisks would be.
            if let last = parts.last, last.isSecret == part.isSecret {
                parts[parts.count - 1].text += part.text
            } else {
                parts.append(part)
            }
            return true
        }
        guard isRead else { return nil }
        let secrets = parts.filter(\.isSecret).map { Secret($0.text) }
        guard !secrets.isEmpty else { return HiddenURL(parts.map(\.text).joined(separator: "")) }
        value.warn(
            "'\(value.name)' holds a secret: a URL with a secret is in the server's log",
            hint: "put it into auth or headers if the API takes it there")
        var count = 0
        let texts = parts.map { part -> String in
            guard part.isSecret else { return part.text.replacing("*", with: "%2A") }
            defer { count += 1 }
            return HiddenURL.standIn(count)
        }
        return HiddenURL(texts.joined(separator: ""), secrets: secrets)
    }

    private struct Part {
        var text: String
        var isSecret: Bool
    }

    private func urlVariable(_ name: Substring, of value: YAMLValue, behind parts: [Part], isPath: Bool) -> Part? {
        let before = parts.map(\.text).joined(separator: "")
        let isBehindHost = isPath || before.prefixMatch(of: /[A-Za-z]+:\/\/[^\/?]+[\/?]/) != nil
        let isSecret = isBehindHost && variables.isSecret(String(name))
        guard let text = variable(name, of: value, isNeeded: !isSecret || needsSecrets, isSecret: isSecret) else {
            return nil
        }
        if isSecret { variables.note(secret: String(name)) } else { variables.note(open: String(name), in: value) }
        guard isSecret || !text.unicodeScalars.contains(where: { "{}".unicodeScalars.contains($0) }) else {
            return value.failed(
                "a variable of '\(value.name)' holds a brace", hint: "write placeholders into the file itself")
        }
        return Part(text: text, isSecret: isSecret)
    }
}
