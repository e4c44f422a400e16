package import Catalog
package import JSON

/// Fetches the JSON document at one URL, with the timeouts, retries, redirects and checks that Garner applies to pages.
///
///     let connections = Connections(userAgent: "zoo/1.0")
///     let request = DocumentRequest(url: "https://api.example.com/animals")
///     let fetched = try await DocumentFetcher(request, over: connections).document()
///     print(fetched.head.status, fetched.bytes.count)
///     try await connections.shutdown()
public struct DocumentFetcher: Sendable {
    private let requests: StreamRequests
    private let timing: Timing

    /// Creates a fetcher, which may be kept and used more than once.
    ///
    /// Throws `FetchError` if the request cannot be sent as it is: a malformed URL, header field or credential, or a
    /// limit out of range.
    public init(_ request: DocumentRequest, over connections: Connections) throws {
        let stream = try request.checked()
        try self.init(stream: stream, transport: connections.transport(for: stream), timing: .system)
    }

    /// Creates a fetcher. Throws `FetchError` if the stream's URL cannot be parsed.
    ///
    /// - Parameters:
    ///   - traffic: the limits that all requests to the stream's source share; nil if the source has no other requests.
    ///   - tokens: the source of access tokens, if the stream needs any; nil creates a separate one.
    package init(
        stream: Stream, transport: any Transport, timing: Timing, traffic: SourceTraffic? = nil,
        tokens: TokenSource? = nil
    ) throws {
        requests = try StreamRequests(
            stream: stream, transport: transport, timing: timing, traffic: traffic, tokens: tokens)
        self.timing = timing
    }

    /// Fetches the whole document, checks its status, media type, length and content, and returns it as one value.
    ///
    /// Throws `FetchError`, `CancellationError` and, if the stream uses OAuth 2, errors of the token storage.
    public func document() async throws -> FetchedDocument {
        try await fetch(by: requests.chain()) { reply, url, trace in
            let document: Document? = if case .document(let document, _) = reply.content { document } else { nil }
            return FetchedDocument(url: url(reply.address), head: reply.head, document: document, request: trace.entry)
        }
    }

    /// Fetches the document and delivers it to the delegate piece by piece. The delegate's `didComplete` is always the
    /// last call.
    ///
    /// Cancelling the task closes the connection.
    public func deliver(to delegate: some FetchDelegate) async {
        let delegateSession = DelegateSession(with: delegate, redaction: requests.report.redaction)
        do {
            try await fetch(by: requests.chain(telling: delegateSession)) { _, _, _ in }
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
            let answer = try await chain.send(requests.request(for: locator, trace))
            trace.note { $0.duration = stopwatch.elapsed }
            return try result(answer, { requests.report.redaction.redacted("\($0)") }, trace)
        } catch let interruption as InterruptedFetchError {
            throw failed(interruption.kind)
        } catch let kind as FetchError.Kind {
            throw failed(kind)
        }
    }
}

/// A document that was received completely and checked.
public struct FetchedDocument: Sendable {
    /// The URL that the document came from, after all redirects; without secrets.
    public let url: String
    /// The status and header fields of the response.
    public let head: ResponseHead
    /// The parsed document; nil if the stream's `response_actions` ignore the response.
    package let document: Document?
    /// The network activity of the request.
    package let request: RequestEntry

    /// The JSON or JSON Lines as sent by the server after decompression, in UTF-8; empty if the response was ignored.
    public var bytes: [UInt8] { document?.withSource { Array($0) } ?? [] }
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
    private let transport: @Sendable (Stream) throws -> any Transport
    private let end: @Sendable () async throws -> Void

    package init(
        transport: @escaping @Sendable (Stream) throws -> any Transport,
        end: @escaping @Sendable () async throws -> Void
    ) {
        self.transport = transport
        self.end = end
    }

    /// Creates connections over AsyncHTTPClient.
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
    /// Throws AsyncHTTPClient's error if a connection does not close.
    public func shutdown() async throws { try await end() }

    /// Returns the transport for a stream's connection settings.
    func transport(for stream: Stream) throws -> any Transport { try transport(stream) }
}
