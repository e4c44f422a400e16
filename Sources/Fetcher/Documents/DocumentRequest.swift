package import GarnerCatalog
import GarnerModel

/// A request for a document, with its limits. Limits that are not set have Garner's defaults; each timeout must be
/// between a millisecond and a day.
///
///     var request = DocumentRequest(url: "https://api.example.com/animals")
///     request.credentials = .bearer(token)
///     request.totalTimeout = .seconds(30)
///     request.addHeader("X-Tenant", "zoo")
///
/// A document is JSON unless the request says what else it accepts:
///
///     var request = DocumentRequest(url: "https://example.com/zoo")
///     request.acceptedMediaTypes = ["text/html"]
public struct DocumentRequest: Sendable {
    /// The methods of requests.
    ///
    ///     request.method = .put
    public enum Method: Sendable {
        case get, post, put
    }

    private var stream: StreamConfiguration
    /// The body; nil if there is none.
    private(set) var body: RequestBody?
    private(set) var secrets: [Secret] = []

    /// Creates a request with the default limits.
    ///
    /// - Parameter url: an absolute `http` or `https` URL without user and password. Errors quote it.
    public init(url: String) {
        stream = StreamConfiguration(
            name: StreamName(source: "fetch", stream: WebAddress(url)?.host ?? "document"), table: "",
            place: ConfigurationPlace(file: ""), request: RequestTemplate(baseURL: url, path: ""))
    }

    /// Creates a request with the credentials, connection settings and limits of a configured stream. Its URL must be
    /// of the stream's origin.
    package init(url: String, as configured: StreamConfiguration) {
        stream = configured
        stream.request = RequestTemplate(
            baseURL: url, path: "", params: configured.request.params.filter(\.value.isSecret),
            headers: configured.request.headers, authentication: configured.request.authentication)
        stream.request.urlSecrets = configured.request.urlSecrets
        if case .session(var session) = configured.request.authentication {
            session.login.baseURL = configured.request.baseURL
            stream.request.authentication = .session(session)
        }
        stream.response = ResponseFormat()
        stream.responseActions = []
    }

    /// The media types that a document may have, such as `text/html`, `image/*` or `*/*`; `Accept` lists them. With `*/*`, an
    /// `Accept` field of your own is sent as it is. If it is
    /// empty, the document must be JSON or JSON Lines.
    ///
    ///     request.acceptedMediaTypes = ["text/html", "application/xhtml+xml"]
    public var acceptedMediaTypes: [String] = []

    /// The method. A PUT is repeated like a GET, since it is idempotent (RFC 9110, 9.2.2), and a POST only if the server
    /// has not processed it: it was not reached, or answered 429, or 503 with `Retry-After`.
    ///
    ///     request.method = .put
    public var method: Method {
        get {
            switch stream.request.method {
            case .get: .get
            case .post: .post
            case .put: .put
            }
        }
        set {
            stream.request.method =
                switch newValue {
                case .get: .get
                case .post: .post
                case .put: .put
                }
        }
    }

    /// Sets the body of a POST or PUT request. A GET becomes a POST.
    ///
    ///     request.setBody(#"{"page_size": 100}"#)
    ///
    /// - Parameter isSecret: true if errors and delegates must never see the text.
    public mutating func setBody(_ text: String, mediaType: String = "application/json", isSecret: Bool = false) {
        if method == .get { method = .post }
        body = RequestBody(mediaType: mediaType, content: Secret(text))
        if isSecret { secrets.append(Secret(text)) }
    }

    /// Credentials for the request. Those for a digest answer the server's challenge; others are sent with the first
    /// request. If nil, none are sent, and a delegate may be asked for them.
    ///
    ///     request.credentials = .digest(username: "keeper", password: password)
    public var credentials: Credentials? {
        didSet { stream.request.authentication = credentials?.authentication ?? .none }
    }

    /// The certificate that proves the client to a server that asks for one in the TLS handshake. Only the URL's own
    /// origin is shown it. URLSession shows none.
    ///
    ///     request.clientCertificate = ClientCertificateFiles(certificate: "client.pem", key: "client.key")
    public var clientCertificate: ClientCertificateFiles? {
        didSet { stream.clientCertificate = clientCertificate?.files }
    }

    /// The path of a PEM file with the root certificates to trust; nil trusts the system's. URLSession always trusts the
    /// system's.
    ///
    ///     request.certificateAuthority = "ca.pem"
    public var certificateAuthority: String? {
        get { stream.certificateAuthority }
        set { stream.certificateAuthority = newValue }
    }

    /// Adds a header field. Only the URL's own origin gets it, except that an `Accept` field without secrets follows
    /// every redirect.
    ///
    ///     request.addHeader("X-Tenant", "zoo")
    ///
    /// - Parameter isSecret: true if errors and delegates must never see the value.
    public mutating func addHeader(_ name: String, _ value: String, isSecret: Bool = false) {
        stream.request.headers.append(
            RequestTemplate.Parameter(name: name, value: isSecret ? .secret(Secret(value)) : .literal(value)))
    }

    /// Adds a header field, in place of one of the same name.
    package mutating func setHeader(_ name: String, _ value: String, isSecret: Bool) {
        stream.request.headers.removeAll { $0.name.lowercased() == name.lowercased() }
        addHeader(name, value, isSecret: isSecret)
    }

    /// The maximum number of attempts, the first included; at least 1. A request is repeated only if it fails before
    /// its response head.
    ///
    ///     request.maximumAttempts = 1
    public var maximumAttempts: Int {
        get { stream.retry.maxAttempts }
        set { stream.retry.maxAttempts = newValue }
    }

    /// The time for which an unreachable host is waited for, beyond the attempts; none by default.
    ///
    ///     request.waitsForConnectivity = .seconds(300)
    public var waitsForConnectivity: Duration {
        get { stream.waitForConnectivity }
        set { stream.waitForConnectivity = newValue }
    }

    /// The largest body after decompression, in bytes; at least 0.
    ///
    ///     request.maximumBodyBytes = 1 << 20
    public var maximumBodyBytes: Int {
        get { stream.limits.body }
        set { stream.limits.body = newValue }
    }

    /// The time limit for establishing a connection. URLSession has no such limit; there `firstByteTimeout` applies.
    ///
    ///     request.connectTimeout = .seconds(5)
    public var connectTimeout: Duration {
        get { stream.limits.connect }
        set { stream.limits.connect = newValue }
    }

    /// The time limit from sending the request to receiving the response head.
    ///
    ///     request.firstByteTimeout = .seconds(10)
    public var firstByteTimeout: Duration {
        get { stream.limits.firstByte }
        set { stream.limits.firstByte = newValue }
    }

    /// The time limit between two chunks of a body. It pauses while a delegate handles a chunk.
    ///
    ///     request.idleTimeout = .seconds(10)
    public var idleTimeout: Duration {
        get { stream.limits.idle }
        set { stream.limits.idle = newValue }
    }

    /// The time limit of one attempt, head and body.
    ///
    ///     request.totalTimeout = .seconds(60)
    public var totalTimeout: Duration {
        get { stream.limits.total }
        set { stream.limits.total = newValue }
    }

    /// True allows addresses that are not public, such as loopback and private ones; false refuses them. If nil, they
    /// are allowed only if the URL itself names one.
    ///
    /// Over URLSession, requests to a host name fail unless this is true, because the session does not reveal
    /// beforehand which address it will use.
    ///
    ///     request.allowsPrivateNetwork = true
    public var allowsPrivateNetwork: Bool? {
        get { stream.allowsPrivateNetwork }
        set { stream.allowsPrivateNetwork = newValue }
    }

    /// Removes the limits of the size and of the time of a whole attempt. The others remain.
    package mutating func liftLimits() {
        stream.limits.body = .max
        stream.limits.total = Self.endlessTime
    }

    /// Takes the values of URL parameters with names of secrets as secrets, so that no message shows them.
    package mutating func hideParameters() {
        guard var address = WebAddress(stream.request.baseURL) else { return }
        let hidden = address.parameters.filter { SensitiveName.isParameter($0.name, value: $0.value) }
        guard !hidden.isEmpty else { return }
        address = address.removingParameters { name, value in SensitiveName.isParameter(name, value: value) }
        stream.request.baseURL = "\(address)"
        stream.request.params += hidden.map { .init(name: $0.name, value: .secret(Secret($0.value))) }
    }

    /// Returns the stream whose document this is.
    ///
    /// Throws `FetchError` if a header field, a credential or a limit is invalid.
    func checked() throws(FetchError) -> StreamConfiguration {
        let times =
            [connectTimeout, firstByteTimeout, idleTimeout] + (totalTimeout == Self.endlessTime ? [] : [totalTimeout])
        var stream = stream
        let saysWhatItWants = stream.request.headers.contains { $0.name.lowercased() == "accept" }
        if !acceptedMediaTypes.isEmpty, !saysWhatItWants || !acceptedMediaTypes.contains("*/*") {
            stream.request.headers.removeAll { $0.name.lowercased() == "accept" }
            stream.request.headers.append(
                .init(name: "Accept", value: .literal(acceptedMediaTypes.joined(separator: ", "))))
        }
        let problem: String? =
            if !acceptedMediaTypes.allSatisfy(Self.isRange) {
                "an accepted media type is none, such as text/html or image/*"
            } else if body != nil, method == .get {
                "a GET request has no body"
            } else if let body, !HeaderSyntax.isValue(body.mediaType) {
                "the media type of the body holds a control character"
            } else if !(Duration.zero...Self.longestTime).contains(waitsForConnectivity) {
                "the time to wait for connectivity is longer than a day"
            } else if !stream.request.headers.allSatisfy({ HeaderSyntax.isName($0.name) }) {
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

    /// Returns true for a media type without parameters, or a range of them.
    private static func isRange(_ text: String) -> Bool { MediaType(text)?.name == text.lowercased() }

    private static let endlessTime = Duration.seconds(100 * 365 * 86_400)
    private static let shortestTime = Duration.milliseconds(1)
    private static let longestTime = Duration.seconds(86_400)
}

/// The files of a client's certificate. They are read when a fetcher is created, which throws `FetchError` if they cannot
/// be used.
///
///     request.clientCertificate = ClientCertificateFiles(certificate: "client.pem", key: "client.key")
public struct ClientCertificateFiles: Sendable, Equatable {
    /// The path of a PEM file with the certificate, followed by those that stand behind it.
    ///
    ///     print(files.certificate)
    public var certificate: String
    /// The path of a PEM file with the private key, without a passphrase. It may be the same file.
    ///
    ///     print(files.key)
    public var key: String

    /// Names the files.
    ///
    ///     let files = ClientCertificateFiles(certificate: "client.pem", key: "client.key")
    public init(certificate: String, key: String) {
        (self.certificate, self.key) = (certificate, key)
    }

    fileprivate var files: ClientCertificate { ClientCertificate(certificate: certificate, key: key) }
}
