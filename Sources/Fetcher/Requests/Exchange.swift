import Catalog
import Digest
import JSON

/// One attempt: request out, then the four checks on what comes in, inside all deadlines.
struct Exchange: Sendable {
    let transport: any Transport
    let limits: Limits
    let clock: any Clock<Duration>
    let redaction: Redaction
    var actions = ResponseActionCheck(actions: [])
    /// Whether `Cache-Control` counts.
    var usesCacheLifetime = false
    let now: @Sendable () -> Timestamp

    /// Throws `FetchError.Kind`, `Redirection` and `CancellationError`.
    func perform(_ request: Request) async throws -> Reply {
        try await perform(request) { response, arrivals in
            try await receive(response, to: request, arrivals: arrivals)
        }
    }

    /// The same with a response that `receive` makes an answer of.
    func perform<Answer: Sendable>(
        _ request: Request, _ receive: @escaping @Sendable (Response, Arrivals) async throws -> Answer
    ) async throws -> Answer {
        request.trace.note {
            $0.attempts += 1
            $0.rateLimit = nil
            $0.earliestNext = nil
            $0.words = nil
        }
        do {
            return try await Watchdog(limits: limits, clock: clock).guarding { arrivals in
                let response = try await transport.send(request)
                arrivals.note()
                return try await receive(response, arrivals)
            }
        } catch let failure as TransportFailure {
            throw FetchError.Kind(failure, limits: limits)
        }
    }

    /// What a response holds, by its head.
    enum Opened {
        case body(IncomingBody)
        case notModified
        case ignored
    }

    /// The checks that come before the media type.
    func open(_ response: Response, to request: Request, arrivals: Arrivals) async throws -> Opened {
        let head = response.head
        guard head.headers.byteCount <= limits.head else { throw FetchError.Kind.headTooLarge(limit: limits.head) }
        let report = RateLimitReport(head.headers, now: now())
        let lifetime = usesCacheLifetime ? CacheLifetime(head)?.duration : nil
        request.trace.note {
            $0.status = head.status
            $0.rateLimit = report
            $0.earliestNext = [report.pollInterval, lifetime].compactMap(\.self).max()
        }
        var incoming = IncomingBody(response.body, arrivals: arrivals)
        switch try await actions.action(on: head, &incoming) {
        case nil: break
        case .ignore:
            try await incoming.drain(clock: clock)
            return .ignored
        case .retry:
            let wait = RetryAfter(head.headers, now: now)?.delay
            throw FetchError.Kind.response(head.status, .retry, retryAfter: wait)
        case .fail: throw FetchError.Kind.response(head.status, .fail, retryAfter: nil)
        }
        let verdict: StatusCheck.Verdict
        do {
            verdict = try StatusCheck(now: now).verdict(on: head, isConditional: request.validator != nil)
        } catch {
            let bytes = try await incoming.excerpt(atMost: Self.inspectedBytes, clock: clock)
            let words = ServerWords(bytes).map { redaction.quoted($0.text, limit: ServerWords.maximumLength) }
            request.trace.note { $0.words = words }
            throw error
        }
        switch verdict {
        case .page: return .body(incoming)
        case .notModified:
            try await incoming.drain(clock: clock)
            request.trace.note { $0.isNotModified = true }
            return .notModified
        case .redirection(let redirection):
            try await incoming.drain(clock: clock)
            throw redirection
        }
    }

    private func receive(_ response: Response, to request: Request, arrivals: Arrivals) async throws -> Reply {
        let head = response.head
        var incoming: IncomingBody
        switch try await open(response, to: request, arrivals: arrivals) {
        case .notModified: return Reply(address: request.address, head: head, content: .notModified)
        case .ignored: return Reply(address: request.address, head: head, content: .ignored)
        case .body(let opened): incoming = opened
        }
        if let types = request.fileTypes { return try await file(of: types, head, &incoming, for: request) }
        let body = try BodyReader(head: head, limit: limits.body, folders: transport.temporaryFolders)
        let isInLines: Bool
        switch MediaTypeCheck().verdict(on: head) {
        case .json: isInLines = false
        case .jsonLines:
            guard head.tellsItsEnd else { throw FetchError.Kind.openEnd }
            isInLines = true
        case .refused(let kind): throw kind
        case .other(let type):
            let excerpt = redaction.excerpt(of: try await incoming.start(atLeast: 1))
            throw type == nil && excerpt.isEmpty
                ? FetchError.Kind.emptyBody(status: head.status) : .mediaType(type, excerpt: excerpt)
        }
        let bytes = try await body.read(&incoming)
        request.trace.note { $0.bytes = bytes.count }
        let fingerprint = bytes.withUnsafeBytes { Fingerprint(of: $0, as: isInLines ? 1 : 0) }
        if fingerprint == request.fingerprint {
            return Reply(address: request.address, head: head, content: .repeated)
        }
        let document = try await document(of: bytes, isInLines: isInLines, status: head.status)
        return Reply(address: request.address, head: head, content: .document(document, fingerprint))
    }

    /// The fourth check, in place for a short body; a long one would keep the thread from other requests.
    private func document(of bytes: consuming Bytes, isInLines: Bool, status: Int) async throws -> Document {
        if bytes.count <= Self.shortBody { return try document(parsing: bytes, isInLines, status) }
        var body = Optional(bytes)
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try document(parsing: body.take() ?? Bytes(), isInLines, status)
        }
    }

    private func document(parsing bytes: consuming Bytes, _ isInLines: Bool, _ status: Int) throws -> Document {
        do throws(JSONError) {
            return isInLines ? try Document(parsingLines: bytes) : try Document(parsing: bytes)
        } catch {
            throw error.kind == .empty
                ? FetchError.Kind.emptyBody(status: status) : .json(reason: error.reason, offset: error.offset)
        }
    }

    /// How much of a body that refuses is read.
    private static let inspectedBytes = 64 << 10

    /// Parsed in about 0.1 ms.
    private static let shortBody = 64 << 10

    /// The third and the fourth check for what is kept byte for byte.
    private func file(
        of types: [String], _ head: ResponseHead, _ incoming: inout IncomingBody, for request: Request
    ) async throws -> Reply {
        let named = head.headers["Content-Type"]
        guard let type = named.flatMap(MediaType.init), types.contains(where: type.matches) else {
            throw FetchError.Kind.fileType(named, expected: types)
        }
        let body = try BodyReader(
            head: head, limit: min(limits.body, Self.maximumFileLength), folders: transport.temporaryFolders)
        guard head.tellsItsEnd else { throw FetchError.Kind.openEnd }
        let content = try await body.read(&incoming).withUnsafeBytes { Array($0) }
        request.trace.note { $0.bytes = content.count }
        guard !content.isEmpty else { throw FetchError.Kind.emptyBody(status: head.status) }
        return Reply(address: request.address, head: head, content: .file(mediaType: type.name, content))
    }

    /// "The maximum number of bytes in a string or BLOB … defaults to 1 billion", the row included
    /// (sqlite.org/limits.html).
    private static let maximumFileLength = 999_000_000
}

extension ResponseHead {
    /// Whether a body that was cut off can be told from a whole one.
    fileprivate var tellsItsEnd: Bool {
        headers["Content-Length"] != nil
            // “If … chunked is not the final encoding, the message body length is determined by reading the connection until
            // it is closed” (RFC 9112, 6.3).
            || headers.values(of: "Transfer-Encoding").last?.lowercased()
                .split { ", \t".contains($0) }.last == "chunked"
            || headers["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    }
}
