package import GarnerCatalog
import GarnerJSON
import Synchronization
import GarnerTasks

/// Fetches the document at one URL, with the timeouts, retries, redirects and checks that Garner applies to pages.
///
///     let connections = Connections(userAgent: "zoo/1.0")
///     let request = DocumentRequest(url: "https://api.example.com/animals")
///     let fetched = try await DocumentFetcher(request, over: connections).document()
///     print(fetched.head.status, fetched.bytes.count)
///     try await connections.shutdown()
public struct DocumentFetcher: Sendable {
    private let requests: StreamRequests
    private let timing: Timing
    /// The media types that are accepted; empty for JSON.
    private var acceptedMediaTypes: [String] = []
    private var body: RequestBody?
    /// The answer to a challenge; nil to ask a delegate.
    private var credentials: Credentials?

    /// Creates a fetcher, which may be kept and used more than once.
    ///
    ///     let fetcher = try DocumentFetcher(DocumentRequest(url: "https://api.example.com/animals"), over: connections)
    ///
    /// Throws `FetchError` if the request cannot be sent as it is: a malformed URL, header field or credential, or a
    /// limit out of range.
    public init(_ request: DocumentRequest, over connections: Connections) throws {
        let stream = try request.checked()
        try self.init(stream: stream, transport: connections.transport(for: stream), timing: .system)
        take(request)
    }

    /// Creates a fetcher over the connections of a process.
    package init(_ request: DocumentRequest, over transports: Transports, timing: Timing) throws {
        let stream = try request.checked()
        try self.init(
            stream: stream, transport: transports.transport(for: stream), timing: timing,
            tokens: transports.tokens(of: stream, clock: timing.clock))
        take(request)
    }

    private mutating func take(_ request: DocumentRequest) {
        acceptedMediaTypes = request.acceptedMediaTypes.map { $0.lowercased() }
        body = request.body
        credentials = request.credentials.flatMap { $0.needChallenge ? $0 : nil }
        requests.learn(request.secrets + (credentials?.secrets ?? []))
    }

    /// Creates a fetcher. Throws `FetchError` if the stream's URL cannot be parsed.
    ///
    /// - Parameters:
    ///   - traffic: the limits that all requests to the stream's source share; nil if the source has no other requests.
    ///   - tokens: the source of access tokens, if the stream needs any; nil creates a separate one.
    package init(
        stream: StreamConfiguration, transport: any Transport, timing: Timing, traffic: SourceTraffic? = nil,
        tokens: TokenSource? = nil
    ) throws {
        requests = try StreamRequests(
            stream: stream, transport: transport, timing: timing, traffic: traffic, tokens: tokens)
        self.timing = timing
    }

    /// Fetches the whole document, checks its status, media type, length and content, and returns it as one value.
    ///
    ///     let animal = try await fetcher.document().decode(Animal.self)
    ///
    /// Throws `FetchError`, `CancellationError` and, if the stream uses OAuth 2, errors of the token storage.
    public func document() async throws -> FetchedDocument {
        let chain = requests.chain(answering: credentials) { attempt, request in try await attempt.perform(request) }
        return try await fetch(by: chain) { reply, url, trace in
            let content: FetchedDocument.Content =
                switch reply.content {
                case .document(let document, _): .json(document)
                case .file(_, let bytes): .other(bytes)
                case .repeated, .notModified, .nothingNew, .ignored, .ended: .nothing
                }
            return FetchedDocument(
                url: url(reply.address), head: reply.head, content: content, request: trace.entry,
                report: requests.report)
        }
    }

    /// Fetches the document into a file, piece by piece, with all checks but that of the content: a file that is there
    /// afterwards is complete. Until then, the document is in another file beside it, which is removed after a failure.
    ///
    ///     let file = try await fetcher.download(to: "animals.pdf")
    ///     print(file.bytes)
    ///
    /// Throws `FetchError`, which may also say that the file cannot be written, `CancellationError` and errors of the
    /// token storage. A file that was there remains as it was.
    public func download(to path: String) async throws -> DownloadedDocument {
        let chain = requests.chain(answering: credentials) { attempt, request in
            try await Download(attempt: attempt, path: path).perform(request)
        }
        return try await fetch(by: chain) { reply, url, _ in
            DownloadedDocument(url: url(reply.address), head: reply.head, bytes: reply.count)
        }
    }

    /// Requests the document and returns the last head that the server sent, whatever its status, with the error that
    /// the checks of status and media type end with. The body is not read.
    package func head() async -> (head: FetchedHead?, error: (any Error)?) {
        let last = Mutex<ResponseHead?>(nil)
        let chain = requests.chain(answering: credentials, onHead: { head in last.withLock { $0 = head } }) {
            attempt, request in
            try await attempt.perform(request) { response, activity in
                guard case .body(var incoming) = try await attempt.open(response, to: request, activity: activity)
                else { return request.address }
                if let types = request.documentTypes {
                    _ = try await attempt.requireType(among: types, of: response.head, &incoming)
                }
                return request.address
            }
        }
        var failure: (any Error)?
        var url = requests.report.redaction.redacted(requests.template.baseURL)
        do {
            url = try await fetch(by: chain) { address, redacted, _ in redacted(address) }
        } catch {
            failure = error
            url = (error as? FetchError)?.url ?? url
        }
        let redaction = requests.report.redaction
        return (last.withLock(\.self).map { FetchedHead($0, url: url, redaction) }, failure)
    }

    /// Fetches the document and delivers it to the delegate piece by piece. The delegate's `didComplete` is always the
    /// last call.
    ///
    ///     await fetcher.deliver(to: Printer())
    ///
    /// Cancelling the task closes the connection.
    public func deliver(to delegate: some FetchDelegate) async {
        let delegateSession = DelegateSession(with: delegate, redaction: requests.report.redaction)
        do {
            let chain = requests.chain(answering: credentials, telling: delegateSession) { attempt, request in
                try await Delivery(attempt: attempt, delegateSession: delegateSession).perform(request)
            }
            try await fetch(by: chain) { _, _, _ in }
            await delegate.didComplete(nil)
        } catch {
            await delegate.didComplete(error)
        }
    }

    private func fetch<Answer: Sendable, Result>(
        by chain: MiddlewareChain<Answer>,
        _ result: (Answer, _ url: (WebAddress) -> String, RequestTrace) throws -> Result
    ) async throws -> Result {
        let locator: PageLocator
        do throws(FetchError.Kind) {
            locator = try requests.template.locator(filledWith: [:])
        } catch {
            throw requests.report.error(error)
        }
        let url = "\(locator.address)"
        let trace = requests.trace(of: url)
        let stopwatch = Stopwatch(timing.clock)
        func failed(_ kind: FetchError.Kind) -> FetchError {
            trace.note { $0.duration = stopwatch.elapsed }
            return requests.report.error(kind, at: url, request: trace.entry)
        }
        do {
            var request = requests.request(for: locator, trace)
            if let body { request.body = body }
            if !acceptedMediaTypes.isEmpty { request.documentTypes = acceptedMediaTypes }
            let answer = try await chain.send(request)
            trace.note { $0.duration = stopwatch.elapsed }
            return try result(answer, { requests.report.redaction.redacted("\($0)") }, trace)
        } catch let interruption as InterruptedFetchError {
            throw failed(interruption.kind)
        } catch let kind as FetchError.Kind {
            throw failed(kind)
        }
    }
}

/// The connections of a program. Documents whose requests agree in `maximumBodyBytes` and `connectTimeout` share one
/// HTTP client.
///
/// A program creates one value, keeps it while it fetches, and ends it with `shutdown()`.
///
///     let connections = Connections(userAgent: "zoo/1.0", environment: ProcessInfo.processInfo.environment)
///     let fetcher = try DocumentFetcher(DocumentRequest(url: "https://api.example.com/animals"), over: connections)
///     let document = try await fetcher.document()
///     try await connections.shutdown()
public struct Connections: Sendable {
    private let transport: @Sendable (StreamConfiguration) throws -> any Transport
    private let end: @Sendable () async throws -> Void

    package init(
        transport: @escaping @Sendable (StreamConfiguration) throws -> any Transport,
        end: @escaping @Sendable () async throws -> Void
    ) {
        self.transport = transport
        self.end = end
    }

    /// Creates connections over AsyncHTTPClient.
    ///
    ///     let connections = Connections(userAgent: "zoo/1.0")
    ///
    /// - Parameters:
    ///   - userAgent: the value of the `User-Agent` header, such as `zoo/1.0`.
    ///   - environment: variables that may name proxies (`https_proxy`, `http_proxy` and `no_proxy`) and a folder for
    ///     long bodies (`TMPDIR`). The process's own environment is not read.
    public init(userAgent: String, environment: [String: String] = [:]) {
        let transports = Transports(userAgent: userAgent, environment: environment)
        self.init(transport: { try transports.transport(for: $0) }, end: { try await transports.shutdown() })
    }

    /// Ends all requests and connections. Call it before releasing the last copy; requests after it fail.
    ///
    ///     try await connections.shutdown()
    ///
    /// Throws AsyncHTTPClient's error if a connection does not close.
    public func shutdown() async throws { try await end() }

    /// Returns the transport for a stream's connection settings.
    func transport(for stream: StreamConfiguration) throws -> any Transport { try transport(stream) }
}
