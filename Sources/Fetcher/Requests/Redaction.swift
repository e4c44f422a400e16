package import GarnerCatalog
import Synchronization

/// Removes a stream's secrets from texts of other origin, such as a server's.
package struct Redaction: Sendable {
    /// The length in bytes from which a match with a secret is no coincidence.
    static let unmistakableLength = 8

    /// The secrets that a server may repeat, the longest first. They stay wrapped, so that nothing prints them.
    private let configured: [Secret]
    private let runtimeSecrets: RuntimeSecrets?

    /// Creates the redaction of a request template.
    ///
    /// - Parameters:
    ///   - others: secrets that the transport adds to requests.
    ///   - runtimeSecrets: secrets that are discovered while the program runs.
    init(_ template: RequestTemplate, others: [Secret] = [], runtimeSecrets: RuntimeSecrets? = nil) {
        let secrets = others + template.secrets
        let texts = Set(secrets.flatMap { Self.wholeAndWords($0.reveal()) + $0.revealVariables() }).filter {
            !$0.isEmpty
        }
        configured = Self.longestFirst(texts.map(Secret.init))
        self.runtimeSecrets = runtimeSecrets
    }

    /// Creates the redaction of a stream, including its hooks' secrets: the server of the pages may repeat those too.
    init(of stream: StreamConfiguration, others: [Secret], runtimeSecrets: RuntimeSecrets? = nil) {
        self.init(
            stream.request, others: others + stream.hooks.secrets + stream.fields.secrets,
            runtimeSecrets: runtimeSecrets)
    }

    /// Creates the redaction for the output of hook programs, which may know every secret of the configuration.
    package init(of stream: StreamConfiguration) { self.init(of: stream, others: []) }

    private var secrets: [Secret] {
        let discovered = runtimeSecrets?.all ?? []
        return discovered.isEmpty ? configured : Self.longestFirst(configured + discovered)
    }

    private static func longestFirst(_ secrets: [Secret]) -> [Secret] {
        secrets.sorted { $0.reveal().utf8.count > $1.reveal().utf8.count }
    }

    /// Returns `text` with `***` in place of every secret, in any of its encodings.
    package func redacted(_ text: String) -> String { String(decoding: redacted(Array(text.utf8)), as: UTF8.self) }

    /// The number of bytes that `excerpt(of:)` reads.
    private static let inspectedBytes = 4096

    /// Returns the beginning of a possibly longer body, on one line, printable and without secrets; nothing of one that is no text.
    func excerpt(of bytes: [UInt8]) -> String {
        guard !Self.isBinary(bytes) else { return "" }
        let inspected = redacted(Array(bytes.prefix(Self.inspectedBytes)), mayGoOn: true)
        return Self.printable(String(decoding: inspected, as: UTF8.self), limit: 200)
    }

    /// Returns true for bytes of which more than a tenth are no characters. What begins as JSON may be in another encoding.
    static func isBinary(_ bytes: [UInt8]) -> Bool {
        let isEncoded = [[0xFF, 0xFE], [0xFE, 0xFF], Array("[".utf8), Array("{".utf8)].contains {
            bytes.starts(with: $0)
        }
        guard !isEncoded else { return false }
        let text = String(decoding: bytes.prefix(inspectedBytes), as: UTF8.self).unicodeScalars
        let odd = text.count(where: { $0 == "\u{FFFD}" || $0.value < 0x20 && !(9...13).contains($0.value) })
        return odd > text.count / 10
    }

    /// Returns a server's text on one line, printable and without secrets.
    func quoted(_ text: String, limit: Int = 200) -> String { Self.printable(redacted(text), limit: limit) }

    /// Returns true if `value` is a secret, and too long to equal it by coincidence.
    func isSecret(_ value: String) -> Bool {
        value.utf8.count >= Self.unmistakableLength && secrets.contains { $0.reveal() == value }
    }

    /// Returns true if `text` contains a secret that is too long to be there by coincidence.
    ///
    /// - Parameter open: a text known to be public. Secrets that it contains do not count.
    func mentionsSecret(_ text: String, except open: String = "") -> Bool {
        secrets.contains { secret in
            let pattern = SecretPattern(secret)
            return pattern.count >= Self.unmistakableLength && pattern.isFound(in: text) && !pattern.isFound(in: open)
        }
    }

    /// Returns a configured text and its words: of `Bearer abc…`, the server may repeat only the token.
    fileprivate static func wholeAndWords(_ text: String) -> [String] {
        let words = text.split(whereSeparator: \.isWhitespace) + text.split { $0.isWhitespace || ",;=\"".contains($0) }
        return [text] + words.map(String.init).filter { $0.utf8.count >= unmistakableLength }
    }

    /// Replaces the secrets in a text. If the text may go on, an end that could begin a secret is removed too.
    private func redacted(_ bytes: [UInt8], mayGoOn: Bool = false) -> [UInt8] {
        let patterns = secrets.map { SecretPattern($0) }
        guard !patterns.isEmpty else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let matches = patterns.map { pattern -> SecretPattern.Match in
                let match = pattern.match(bytes[index...])
                // A short secret may stand in any word by coincidence.
                guard pattern.count < Self.unmistakableLength, match.length == pattern.count else { return match }
                return bytes.isWord(index..<index + pattern.count) ? match : .none
            }
            if let length = matches.lazy.compactMap(\.length).first {
                result += "***".utf8
                index += length
            } else if mayGoOn, matches.contains(.begun) {
                return result
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func printable(_ text: String, limit: Int) -> String {
        let printable = text.unicodeScalars.map { $0.properties.generalCategory.isPrintable ? String($0) : " " }
        return String(printable.joined().split(separator: " ").joined(separator: " ").prefix(limit))
    }
}

extension [UInt8] {
    /// Returns false if a range begins inside of a word of this text, or ends inside of one.
    fileprivate func isWord(_ range: Range<Int>) -> Bool {
        let beginsInside = joinsLetters(at: range.lowerBound) && !endsEscape(at: range.lowerBound)
        return !beginsInside && !joinsLetters(at: range.upperBound)
    }

    /// Returns true if there are letters or digits on both sides of an index.
    private func joinsLetters(at index: Int) -> Bool {
        // A character has at most four bytes.
        let before = String(decoding: self[..<index].suffix(4), as: UTF8.self).unicodeScalars.last
        let after = String(decoding: self[index...].prefix(4), as: UTF8.self).unicodeScalars.first
        return [before, after].allSatisfy {
            $0.map { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? false
        }
    }

    /// Returns true if the bytes before an index escape a character, as in a URL or in JSON.
    private func endsEscape(at index: Int) -> Bool {
        (Swift.max(0, index - Escape.maximumLength)..<index).contains { start in
            Escape.starts.contains(self[start])
                && Escape.readings(of: self[start...]).contains { $0.length == index - start }
        }
    }
}

extension RequestTemplate {
    /// All secrets that a request from this template may carry.
    var secrets: [Secret] {
        var secrets = (params + headers).compactMap(\.value.secret) + (body?.secrets ?? []) + urlSecrets
        secrets += authentication.secrets
        return secrets
    }
}

extension Authentication {
    fileprivate var secrets: [Secret] {
        switch self {
        case .none, .command: return []
        case .session(let session): return session.login.secrets + session.login.authentication.secrets
        case .oauth2(let client):
            var secrets = client.params.compactMap(\.value.secret) + client.urlSecrets
            secrets += [client.clientID.secret, client.clientSecret, client.basicCredentials].compactMap(\.self)
            if case .refreshToken(let token) = client.grant { secrets.append(token) }
            return secrets
        case .bearer(let token): return [token]
        case .apiKey(_, _, let value): return [value]
        case .basic(let username, let password):
            let both = BasicCredentials(username: username, password: password).encoded
            return [password, both] + (username.secret.map { [$0] } ?? [])
        }
    }
}

extension ConfiguredText {
    fileprivate var secret: Secret? {
        if case .secret(let secret) = self { secret } else { nil }
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isPrintable: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

/// Secrets discovered while the program runs, such as access tokens.
final class RuntimeSecrets: Sendable {
    /// The most texts kept: the tokens of a day if each lives for an hour, or the cookies of a login. Older ones have expired.
    private static let maximumCount = 1_024

    private let secrets = Mutex<[Secret]>([])

    /// The secrets, the most recently seen last.
    var all: [Secret] { secrets.withLock(\.self) }

    /// Adds a secret with the parts that a server may repeat alone: of `Bearer abc…` the token, of `"abc…"` what is quoted,
    /// of `abc%3D…` the text that it encodes.
    func learn(_ secret: Secret) {
        let text = secret.reveal()
        guard !text.isEmpty else { return }
        let parts = Redaction.wholeAndWords(text)
        let decoded = parts.compactMap { $0.contains("%") ? PercentEncoding.decoded($0[...]) : nil }
        // The whole comes last, since the first ones are forgotten first.
        let texts = (decoded + parts.reversed()).filter { !$0.isEmpty }.map(Secret.init)
        secrets.withLock { secrets in
            secrets.removeAll { texts.contains($0) }
            secrets += texts
            if secrets.count > Self.maximumCount { secrets.removeFirst(secrets.count - Self.maximumCount) }
        }
    }
}
