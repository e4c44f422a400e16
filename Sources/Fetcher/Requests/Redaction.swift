package import Catalog

/// Takes the secrets of a stream out of texts that others wrote.
package struct Redaction: Sendable {
    /// A shorter text may be the same as a secret by chance. In bytes.
    static let unmistakableLength = 8

    /// Everything that a server may repeat, the longest first. Kept as secrets, so that nothing prints them.
    private let configured: [Secret]
    private let learned: LearnedSecrets?

    /// - Parameters:
    ///   - others: what the transport adds to requests.
    ///   - learned: what else is secret, as soon as it is there.
    init(_ template: RequestTemplate, others: [Secret] = [], learned: LearnedSecrets? = nil) {
        let secrets = others + template.secrets
        let texts = Set(secrets.flatMap { Self.wholeAndWords($0.reveal()) + $0.revealVariables() }).filter {
            !$0.isEmpty
        }
        configured = Self.longestFirst(texts.map(Secret.init))
        self.learned = learned
    }

    /// For all that a stream has to do with: what its hooks send may be repeated by the server of its pages too.
    init(of stream: Stream, others: [Secret], learned: LearnedSecrets? = nil) {
        self.init(stream.request, others: others + stream.hooks.secrets, learned: learned)
    }

    /// For what programs say that are told of a stream's runs: they may know all that its configuration holds.
    package init(of stream: Stream) { self.init(of: stream, others: []) }

    private var secrets: [Secret] {
        let learned = learned?.all ?? []
        return learned.isEmpty ? configured : Self.longestFirst(configured + learned)
    }

    private static func longestFirst(_ secrets: [Secret]) -> [Secret] {
        secrets.sorted { $0.reveal().utf8.count > $1.reveal().utf8.count }
    }

    /// `text` with `***` for every secret, however it is written.
    package func redacted(_ text: String) -> String { String(decoding: redacted(Array(text.utf8)), as: UTF8.self) }

    /// How many bytes `excerpt(of:)` makes use of.
    private static let inspectedBytes = 4096

    /// The beginning of a body that may go on, on one line, printable and without secrets.
    func excerpt(of bytes: [UInt8]) -> String {
        let inspected = redacted(Array(bytes.prefix(Self.inspectedBytes)), mayGoOn: true)
        return Self.printable(String(decoding: inspected, as: UTF8.self), limit: 200)
    }

    /// What a server wrote, on one line, printable and without secrets.
    func quoted(_ text: String, limit: Int = 200) -> String { Self.printable(redacted(text), limit: limit) }

    /// Whether `value` is one of the secrets, and long enough not to be it by chance.
    func isSecret(_ value: String) -> Bool {
        value.utf8.count >= Self.unmistakableLength && secrets.contains { $0.reveal() == value }
    }

    /// Whether a secret that is not there by chance stands anywhere in `text`.
    ///
    /// - Parameter open: what is known to be no secret, whatever stands in it.
    func mentionsSecret(_ text: String, except open: String = "") -> Bool {
        secrets.contains { secret in
            let pattern = SecretPattern(secret)
            return pattern.count >= Self.unmistakableLength && pattern.isFound(in: text) && !pattern.isFound(in: open)
        }
    }

    /// A configured text, and its words: of `Bearer abc…` the server may repeat the token alone.
    private static func wholeAndWords(_ text: String) -> [String] {
        let words = text.split(whereSeparator: \.isWhitespace) + text.split { $0.isWhitespace || ",;=\"".contains($0) }
        return [text] + words.map(String.init).filter { $0.utf8.count >= unmistakableLength }
    }

    /// Where the text may go on, an end that is the beginning of a secret goes too.
    private func redacted(_ bytes: [UInt8], mayGoOn: Bool = false) -> [UInt8] {
        let patterns = secrets.map { SecretPattern($0) }
        guard !patterns.isEmpty else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let matches = patterns.map { $0.match(bytes[index...]) }
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

extension RequestTemplate {
    /// All that a request with it may carry and that must be shown nowhere.
    var secrets: [Secret] {
        var secrets = (params + headers).compactMap(\.value.secret) + (body?.secrets ?? [])
        switch authentication {
        case .none: break
        case .oauth2(let client):
            secrets += [client.clientID.secret, client.clientSecret, client.basicCredentials].compactMap(\.self)
            if case .refreshToken(let token) = client.grant { secrets.append(token) }
        case .bearer(let token): secrets.append(token)
        case .apiKey(_, _, let value): secrets.append(value)
        case .basic(let username, let password):
            secrets += [password, BasicCredentials(username: username, password: password).encoded]
            secrets += username.secret.map { [$0] } ?? []
        }
        return secrets
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
