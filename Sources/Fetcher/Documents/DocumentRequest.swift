import Catalog
import Model

/// A GET request for a document, with its limits. Limits that are not set have Garner's defaults; each timeout must be
/// between a millisecond and a day.
///
///     var request = DocumentRequest(url: "https://api.example.com/animals")
///     request.credentials = .bearer(token)
///     request.totalTimeout = .seconds(30)
///     request.addHeader("X-Tenant", "zoo")
public struct DocumentRequest: Sendable {
    private var stream: Stream

    /// Creates a request with the default limits.
    ///
    /// - Parameter url: an absolute `http` or `https` URL without user and password. Errors quote it.
    public init(url: String) {
        stream = Stream(
            name: StreamName(source: "fetch", stream: WebAddress(url)?.host ?? "document"), table: "",
            place: ConfigurationPlace(file: ""), request: RequestTemplate(baseURL: url, path: ""))
    }

    /// Credentials sent with the first request. If nil, none are sent, and a delegate may be asked for them.
    public var credentials: Credentials? {
        didSet { stream.request.authentication = credentials?.authentication ?? .none }
    }

    /// Adds a header field. Only the URL's own origin gets it, except that an `Accept` field without secrets follows
    /// every redirect.
    ///
    /// - Parameter isSecret: true if errors and delegates must never see the value.
    public mutating func addHeader(_ name: String, _ value: String, isSecret: Bool = false) {
        stream.request.headers.append(
            RequestTemplate.Parameter(name: name, value: isSecret ? .secret(Secret(value)) : .literal(value)))
    }

    /// The maximum number of attempts, the first included; at least 1. A request is repeated only if it fails before
    /// its response head.
    public var maximumAttempts: Int {
        get { stream.retry.maxAttempts }
        set { stream.retry.maxAttempts = newValue }
    }

    /// The largest body after decompression, in bytes; at least 0.
    public var maximumBodyBytes: Int {
        get { stream.limits.body }
        set { stream.limits.body = newValue }
    }

    /// The time limit for establishing a connection. URLSession has no such limit; there `firstByteTimeout` applies.
    public var connectTimeout: Duration {
        get { stream.limits.connect }
        set { stream.limits.connect = newValue }
    }

    /// The time limit from sending the request to receiving the response head.
    public var firstByteTimeout: Duration {
        get { stream.limits.firstByte }
        set { stream.limits.firstByte = newValue }
    }

    /// The time limit between two chunks of a body. It pauses while a delegate handles a chunk.
    public var idleTimeout: Duration {
        get { stream.limits.idle }
        set { stream.limits.idle = newValue }
    }

    /// The time limit of one attempt, head and body.
    public var totalTimeout: Duration {
        get { stream.limits.total }
        set { stream.limits.total = newValue }
    }

    /// True allows addresses that are not public, such as loopback and private ones; false refuses them. If nil, they
    /// are allowed only if the URL itself names one.
    ///
    /// Over URLSession, requests to a host name fail unless this is true, because the session does not reveal
    /// beforehand which address it will use.
    public var allowsPrivateNetwork: Bool? {
        get { stream.allowsPrivateNetwork }
        set { stream.allowsPrivateNetwork = newValue }
    }

    /// Returns the stream whose document this is.
    ///
    /// Throws `FetchError` if a header field, a credential or a limit is invalid.
    func checked() throws(FetchError) -> Stream {
        let times = [connectTimeout, firstByteTimeout, idleTimeout, totalTimeout]
        let problem: String? =
            if !stream.request.headers.allSatisfy({ HeaderSyntax.isName($0.name) }) {
                "the name of a header field cannot be sent"
            } else if !stream.request.headers.allSatisfy({ HeaderSyntax.isValue($0.value.reveal()) }) {
                "the value of a header field holds a control character"
            } else if case .bearer(let token) = stream.request.authentication, !HeaderSyntax.isValue(token.reveal()) {
                "the token holds a control character"
            } else if let credentials, credentials.hasUnusableName {
                "the user name holds a colon, which ends it"
            } else if maximumAttempts < 1 || maximumBodyBytes < 0 {
                "a maximum is too small"
            } else if !times.allSatisfy({ (Self.shortestTime...Self.longestTime).contains($0) }) {
                "a timeout is shorter than a millisecond or longer than a day"
            } else {
                nil
            }
        if let problem {
            throw FetchError(stream: stream.name, kind: .misconfigured(reason: problem), url: nil)
        }
        return stream
    }

    private static let shortestTime = Duration.milliseconds(1)
    private static let longestTime = Duration.seconds(86_400)
}
