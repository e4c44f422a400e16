import Catalog
import Synchronization

/// One fetch between its layers and a delegate: what the delegate was told, and what it answered.
final class Conversation: Sendable {
    private struct State {
        var hasBegun = false
        var challenge: AuthenticationChallenge?
        var answer: RequestTemplate.Parameter?
    }

    private let delegate: any FetchDelegate
    private let redaction: Redaction
    private let state = Mutex(State())

    init(with delegate: any FetchDelegate, redaction: Redaction) {
        self.delegate = delegate
        self.redaction = redaction
    }

    /// Whether the delegate has seen a head: from then on nothing is sent again.
    var hasBegun: Bool { state.withLock(\.hasBegun) }

    /// The header field that answers the challenge; nil before it was asked for.
    var answer: RequestTemplate.Parameter? { state.withLock(\.answer) }

    func begin(with head: ResponseHead, of request: Request) async -> FetchDisposition {
        state.withLock { $0.hasBegun = true }
        return await delegate.didReceive(head, from: url(of: request))
    }

    func pass(on chunk: BodyChunk) async { await delegate.didReceive(chunk) }

    func allowsRedirect(from request: Request, to target: Request) async -> Bool {
        await delegate.willRedirect(from: url(of: request), to: url(of: target))
    }

    func note(_ head: ResponseHead, of request: Request) {
        let challenge = AuthenticationChallenge(head, at: url(of: request))
        state.withLock { $0.challenge = challenge }
    }

    /// Asks the delegate; nil where it does not answer.
    ///
    /// Throws `FetchError.Kind` where its answer cannot be sent.
    ///
    /// - Parameter learned: gets what it says before anything can quote it.
    func askForAnswer(learned: LearnedSecrets) async throws -> RequestTemplate.Parameter? {
        guard let challenge = state.withLock(\.challenge), let credentials = await delegate.didReceive(challenge),
            let value = credentials.value(learned: learned)
        else { return nil }
        guard HeaderSyntax.isValue(value) else {
            throw FetchError.Kind.misconfigured(reason: "the answer to the challenge holds a control character")
        }
        guard !credentials.hasUnusableName else {
            throw FetchError.Kind.misconfigured(reason: "the user name of the answer to the challenge holds a colon")
        }
        let answer = RequestTemplate.Parameter(name: "Authorization", value: .secret(Secret(value)))
        state.withLock { $0.answer = answer }
        return answer
    }

    private func url(of request: Request) -> String { redaction.redacted("\(request.address)") }
}

extension Credentials {
    /// The value of `Authorization`.
    fileprivate func value(learned: LearnedSecrets) -> String? {
        switch authentication {
        case .bearer(let token):
            learned.learn(token)
            return "Bearer \(token.reveal())"
        case .basic(let username, let password):
            let encoded = BasicCredentials(username: username, password: password).encoded
            learned.learn(password)
            learned.learn(encoded)
            return "Basic \(encoded.reveal())"
        case .none, .apiKey, .oauth2: return nil
        }
    }
}
