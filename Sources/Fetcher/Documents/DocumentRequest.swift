import Catalog

/// A document to ask for with GET, and the limits that hold while it comes in. They are those of Garner unless they are set;
/// each timeout is between a millisecond and a day.
public struct DocumentRequest: Sendable {
    private var stream: Stream

    /// - Parameter url: absolute, `http` or `https`, and without user and password. Errors quote it.
    public init(url: String) {
        stream = Stream(
            name: StreamName(source: "fetch", stream: WebAddress(url)?.host ?? "document"), table: "",
            place: ConfigurationPlace(file: ""), request: RequestTemplate(baseURL: url, path: ""))
    }

    /// Sent with the first request; nil: none are, and a delegate may be asked for them.
    public var credentials: Credentials? {
        didSet { stream.request.authentication = credentials?.authentication ?? .none }
    }

    /// Adds a header field that only the URL's own origin gets; an `Accept` without secrets goes with every redirect.
    ///
    /// - Parameter isSecret: whether nothing that is told of the fetch may quote the value.
    public mutating func addHeader(_ name: String, _ value: String, isSecret: Bool = false) {
        stream.request.headers.append(
            RequestTemplate.Parameter(name: name, value: isSecret ? .secret(Secret(value)) : .literal(value)))
    }

    /// How often a request is sent that fails before the head of its response, the first time included; at least 1.
    public var maximumAttempts: Int {
        get { stream.retry.maxAttempts }
        set { stream.retry.maxAttempts = newValue }
    }

    /// Of a body after decompression; not below 0.
    public var maximumBodyBytes: Int {
        get { stream.limits.body }
        set { stream.limits.body = newValue }
    }

    /// Until there is a connection; over URLSession, `firstByteTimeout` holds for it.
    public var connectTimeout: Duration {
        get { stream.limits.connect }
        set { stream.limits.connect = newValue }
    }

    /// From the request sent to the head of the response.
    public var firstByteTimeout: Duration {
        get { stream.limits.firstByte }
        set { stream.limits.firstByte = newValue }
    }

    /// Between two chunks of a body; it stands still while a delegate has one.
    public var idleTimeout: Duration {
        get { stream.limits.idle }
        set { stream.limits.idle = newValue }
    }

    /// Around one attempt, head and body.
    public var totalTimeout: Duration {
        get { stream.limits.total }
        set { stream.limits.total = newValue }
    }

    /// Allows addresses that are not public, such as loopback and private ones; nil: where the URL itself names
    /// one. Over URLSession a host name is refused unless this is true, since the session tells nobody beforehand which address a
    /// name leads to.
    public var allowsPrivateNetwork: Bool? {
        get { stream.allowsPrivateNetwork }
        set { stream.allowsPrivateNetwork = newValue }
    }

    /// The stream of which this is the document.
    ///
    /// Throws `FetchError` where something of the request cannot be.
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
