import GarnerCatalog
import GarnerModel
import Synchronization
import TestSupport
import Testing

@testable import GarnerFetcher

/// An API and the endpoint that issues its tokens, `https://login.example/token`, without a network.
final class ScriptedIssuer: Sendable {
    struct Log: Sendable {
        /// The bodies of the requests for a token.
        var forms: [String] = []
        /// The `Authorization` fields of the requests to the API.
        var sent: [String] = []
    }

    private let log = Watched(Log())
    private let issue: @Sendable (_ number: Int, _ form: String) async throws -> Response
    private let accepts: @Sendable (_ authorization: String) -> Bool

    /// `issue` answers the requests for a token, counted from 1; a request to the API gets a page if `accepts` its field.
    init(
        _ issue: @escaping @Sendable (_ number: Int, _ form: String) async throws -> Response = { number, _ in
            .token("token-\(number)")
        },
        accepts: @escaping @Sendable (_ authorization: String) -> Bool = { _ in true }
    ) {
        self.accepts = accepts
        self.issue = issue
    }

    var forms: [String] { log.value.forms }
    var sent: [String] { log.value.sent }

    /// Returns as soon as that many tokens were asked for.
    func wasAsked(_ count: Int) async { await log.until { $0.forms.count >= count } }

    var transport: ScriptedTransport {
        ScriptedTransport { [self] request in
            if let body = request.body {
                let number = log.change { log in
                    log.forms.append(body.revealed())
                    return log.forms.count
                }
                return try await issue(number, body.revealed())
            }
            let field = request.headers.last { $0.name == "Authorization" }?.value.reveal() ?? "none"
            log.change { $0.sent.append(field) }
            return accepts(field) ? scripted("[1]") : .status(401)
        }
    }

    func fetcher(
        _ client: OAuth2 = .client(), tokens: TokenSource? = nil, clock: any Clock<Duration> = ManualClock(),
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) throws -> PageFetcher {
        let stream = stream(at: "https://zoo.example/v1/", path: "animals") {
            $0.request.authentication = .oauth2(client)
            change(&$0)
        }
        return try PageFetcher(stream: stream, transport: transport, timing: timing(clock: clock), tokens: tokens)
    }
}

extension OAuth2 {
    static func client(
        _ grant: Grant = .clientCredentials, at url: String = "https://login.example/token",
        _ change: (inout OAuth2) -> Void = { _ in }
    ) -> OAuth2 {
        let address = WebAddress(url) ?? WebAddress(scheme: "https", authority: "invalid", path: "", query: nil)
        var client = OAuth2(
            grant: grant, tokenURL: address, clientID: .literal("garner"), clientSecret: Secret("hunter2"),
            style: .body)
        change(&client)
        return client
    }
}

extension Response {
    static func token(_ token: String, expiresIn: Int = 3600, refresh: String? = nil) -> Response {
        let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
        return scripted(
            #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(expiresIn)\#(refresh)}"#)
    }

    static func status(_ status: Int, _ body: String = "{}") -> Response {
        Response(head: ResponseHead(status: status, headers: [:]), body: scripted(body).body)
    }
}

/// A storage in memory that does as a test says.
final class ScriptedTokenStorage: TokenStorage {
    struct Refusal: Error {}

    private struct State: Sendable {
        var tokens: [String: Secret] = [:]
        var saved: [String] = []
        var refuses = false
        var refusedLogins: [RefusedLogin] = []
    }

    private let state = Mutex(State())

    var refusesToSave: Bool {
        get { state.withLock(\.refuses) }
        set { state.withLock { $0.refuses = newValue } }
    }

    /// All that was saved, in order.
    var saved: [String] { state.withLock(\.saved) }

    func load(_ key: String) throws -> Secret? { state.withLock { $0.tokens[key] } }

    func save(_ token: Secret, for key: String) throws {
        try state.withLock { state in
            if state.refuses { throw Refusal() }
            state.tokens[key] = token
            state.saved.append(token.reveal())
        }
    }

    func turn(for key: String) -> RenewalTurn { .unknown }

    func refusedLogins() throws -> [RefusedLogin] { state.withLock(\.refusedLogins) }

    func changeRefusedLogins(_ change: (inout [RefusedLogin]) -> Void) throws {
        try state.withLock { state in
            if state.refuses { throw Refusal() }
            change(&state.refusedLogins)
        }
    }

    /// Replaces all stored tokens, as another process would.
    func replaceAll(with token: String) { state.withLock { $0.tokens = $0.tokens.mapValues { _ in Secret(token) } } }
}
