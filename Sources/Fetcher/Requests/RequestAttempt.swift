import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel

/// One attempt to send a request and check the response (status, media type, length, content) within all timeouts.
struct RequestAttempt: Sendable {
    let transport: any Transport
    let limits: Limits
    let clock: any Clock<Duration>
    let redaction: Redaction
    var actions = ResponseActionCheck(actions: [])
    var format = ResponseFormat()
    /// True if errors quote no body of a page, because the stream drops or hashes fields of its records.
    var hidesRecords = false
    /// True if the stream respects `Cache-Control`.
    var usesCacheLifetime = false
    let now: @Sendable () -> Timestamp
    /// Called with the head of each response, whatever its status.
    var onHead: @Sendable (ResponseHead, Request) -> Void = { _, _ in }

    /// Returns the checked reply. Throws `FetchError.Kind`, `RedirectResponseError` and `CancellationError`.
    func perform(_ request: Request) async throws -> Reply {
        try await perform(request) { response, activity in
            try await receive(response, to: request, activity: activity)
        }
    }

    /// Sends the request and returns the answer that `receive` makes of the response.
    func perform<Answer: Sendable>(
        _ request: Request, _ receive: @escaping @Sendable (Response, ActivityTracker) async throws -> Answer
    ) async throws -> Answer {
        request.trace.note {
            $0.attempts += 1
            $0.rateLimit = nil
            $0.earliestNext = nil
            $0.words = nil
            $0.wasSentAgain = false
            $0.hiddenBody = nil
        }
        return try await Timeouts(limits: limits, clock: clock).sending(request, over: transport) {
            response, activity in
            onHead(response.head, request)
            return try await receive(response, activity)
        }
    }

    /// The result of checking a response head.
    enum Opened {
        case body(IncomingBody)
        /// The body of a 202, which may be the answer, or only say that the answer is still being made.
        case promise(IncomingBody)
        /// This case and the next three mean what they mean in `Reply.Content`.
        case notModified
        case nothingNew
        case ignored
        case ended
    }

    /// Checks everything that comes before the media type: size of the head, response actions and status.
    ///
    /// Throws `FetchError.Kind`, and `RedirectResponseError` for a redirect.
    func open(_ response: Response, to request: Request, activity: ActivityTracker) async throws -> Opened {
        let head = response.head
        guard head.headers.byteCount <= limits.head else { throw FetchError.Kind.headTooLarge(limit: limits.head) }
        let report = RateLimitReport(head.headers, now: now())
        let lifetime = usesCacheLifetime ? CacheLifetime(head)?.duration : nil
        request.trace.note {
            $0.status = head.status
            $0.otherMethod = Self.otherMethod(than: request.method, in: head)
            $0.schemes = AuthorizationScheme.all(in: head).map(\.rawValue)
            $0.scope = AuthorizationScheme.scope(in: head)
            $0.otherScheme = AuthorizationScheme.other(in: head)
            $0.rateLimit = report
            $0.earliestNext = [report.pollInterval, lifetime].compactMap(\.self).max()
        }
        let check = StatusCheck(now: now)
        let verdict = Result { () throws(FetchError.Kind) in try check.verdict(on: head, to: request, report) }
        if case .failure(let kind) = verdict, kind.asksForFewerRequests { request.trace.notePushback() }
        var incoming = IncomingBody(response.body, activity: activity)
        switch try await actions.action(on: head, &incoming) {
        case nil: break
        case .accept: return .body(incoming)
        case .ignore:
            try await incoming.drain(clock: clock)
            return .ignored
        case .end:
            try await incoming.drain(clock: clock)
            return .ended
        case .retry:
            throw FetchError.Kind.response(head.status, .retry, retryAfter: check.wait(head))
        case .fail: throw FetchError.Kind.response(head.status, .fail, retryAfter: nil)
        }
        if case .failure(let kind) = verdict {
            let bytes = try await incoming.excerpt(atMost: Self.inspectedBytes, clock: clock)
            if hidesRecords {
                let hidden = bytes.isEmpty ? nil : Self.hiddenBody(of: head, bytes.count)
                request.trace.note { $0.hiddenBody = hidden }
                throw kind
            }
            let words = ServerErrorMessage(bytes).map {
                redaction.quoted($0.text, limit: ServerErrorMessage.maximumLength)
            }
            request.trace.note { $0.words = words }
        }
        let admitted = try verdict.get()
        switch admitted {
        case .page: return .body(incoming)
        case .promise: return .promise(incoming)
        case .notModified, .nothingNew:
            try await incoming.drain(clock: clock)
            request.trace.note { $0.isNotModified = true }
            return if case .nothingNew = admitted { .nothingNew } else { .notModified }
        case .redirection(let redirection):
            try await incoming.drain(clock: clock)
            throw redirection
        }
    }

    /// Returns the method that a stream may have and that the server takes in place of a refused one, as the field `Allow` says.
    private static func otherMethod(than method: RequestTemplate.Method, in head: ResponseHead) -> String? {
        guard head.status == 405 else { return nil }
        let allowed = head.headers.values(of: "Allow").flatMap { $0.split { ", ".contains($0) } }.map(String.init)
        let methods = RequestTemplate.Method.allCases.map(\.rawValue)
        return allowed.contains(method.rawValue) ? nil : methods.first { allowed.contains($0) }
    }

    private func receive(_ response: Response, to request: Request, activity: ActivityTracker) async throws -> Reply {
        let head = response.head
        switch try await open(response, to: request, activity: activity) {
        case .notModified: return Reply(address: request.address, head: head, content: .notModified)
        case .nothingNew: return Reply(address: request.address, head: head, content: .nothingNew)
        case .ignored: return Reply(address: request.address, head: head, content: .ignored)
        case .ended: return Reply(address: request.address, head: head, content: .ended)
        case .body(let incoming): return try await reply(head, incoming, to: request)
        case .promise(let incoming):
            do {
                let reply = try await self.reply(head, incoming, to: request)
                switch reply.content {
                case .document(let document, _): if request.hasRecords?(document) == true { return reply }
                default: return reply
                }
            } catch is FetchError.Kind {}  // Whatever is wrong with it, it is no answer yet.
            throw FetchError.Kind.status(head.status, retryAfter: StatusCheck(now: now).wait(head))
        }
    }

    /// Makes the third check, of the media type, and the fourth, of the content.
    private func reply(_ head: ResponseHead, _ opened: IncomingBody, to request: Request) async throws -> Reply {
        var incoming = opened
        if let types = request.fileTypes {
            let named = head.headers["Content-Type"]
            guard let type = named.flatMap(MediaType.init), types.contains(where: type.matches) else {
                throw FetchError.Kind.fileType(named, expected: types)
            }
            return try await file(type, head, &incoming, atMost: Self.maximumFileLength, for: request)
        }
        if let types = request.documentTypes {
            let type = try await requireType(among: types, of: head, &incoming)
            guard type?.isJSON ?? false || type?.isJSONLines ?? false else {
                return try await file(type, head, &incoming, for: request)
            }
        }
        let body = try BodyReader(head: head, limit: limits.body, memory: transport.bodyMemory)
        let isInLines: Bool
        switch MediaTypeCheck(format: format).verdict(on: head) {
        case .json: isInLines = false
        case .jsonLines:
            guard head.tellsItsEnd else { throw FetchError.Kind.openEnd }
            isInLines = true
        case .refused(let kind): throw kind
        case .other(let type):
            let start = try await incoming.start(atLeast: 1)
            let isGzip = start.starts(with: BodyBuffer.gzipMark)
            let shown = hidesRecords ? Self.hidden(start) : redaction.excerpt(of: start)
            let excerpt = isGzip ? FetchError.Kind.gzipFile : shown
            throw type == nil && excerpt.isEmpty && !Redaction.isBinary(start)
                ? FetchError.Kind.emptyBody(status: head.status) : .mediaType(type, excerpt: excerpt)
        }
        let received = try await body.receive(&incoming)
        var buffer = try received.unzipped(limits: limits, transport.bodyMemory)
        let count = buffer.count
        request.trace.note { $0.bytes = count }
        let kind = HeadTotals.digest(of: head) ^ (isInLines ? 1 : 0)
        let fingerprint = try buffer.fingerprint(as: kind)
        if fingerprint == request.fingerprint {
            return Reply(address: request.address, head: head, content: .repeated)
        }
        let charset = format.charset ?? .utf8
        let memory = transport.bodyMemory
        if isInLines, count > memory.whole, request.takesPieces, charset == .utf8, let file = buffer.wholeFile() {
            return try reply(head, LinedBody(file, pieceBytes: memory.piece), fingerprint, to: request)
        }
        let text = try buffer.whole().utf8(from: charset)
        try requireNoMarkup(text, head)
        let document = try await document(of: text, isInLines: isInLines, status: head.status)
        return Reply(address: request.address, head: head, content: .document(document, fingerprint))
    }

    /// Makes the fourth check for the first piece of a long body. Whoever reads the other pieces checks those.
    private func reply(
        _ head: ResponseHead, _ body: LinedBody, _ fingerprint: Fingerprint, to request: Request
    ) throws(FetchError.Kind) -> Reply {
        var rest = body
        let first = try rest.next { text throws(FetchError.Kind) in try requireNoMarkup(text, head) }
        guard let first else { throw .emptyBody(status: head.status) }
        return Reply(address: request.address, head: head, content: .document(first, fingerprint), rest: rest)
    }

    /// Throws if the body begins as HTML or XML does. It is a page for people then, and no JSON, whatever media types
    /// the stream accepts. The error quotes its beginning, which says what page it is.
    private func requireNoMarkup(_ text: borrowing Bytes, _ head: ResponseHead) throws(FetchError.Kind) {
        guard let markup = text.markup else { return }
        guard !format.mediaTypes.isEmpty else { throw .json(reason: FetchError.Kind.markup, offset: 0) }
        let excerpt = hidesRecords ? Self.hidden(markup) : redaction.excerpt(of: markup)
        throw .mediaType(head.headers["Content-Type"], excerpt: excerpt)
    }

    /// Returns the type and length of a body that must not be quoted: that of an error may repeat what `fields` keeps out.
    private static func hiddenBody(of head: ResponseHead, _ count: Int) -> String {
        let type = head.headers["Content-Type"].flatMap(MediaType.init)?.name ?? "no media type"
        let length = count < inspectedBytes ? count.counted("byte") : "at least \(count.counted("byte"))"
        return "\(type.prefix(60)), \(length)"
    }

    /// Returns the first character of a body, which tells JSON from other formats, and nothing else of it.
    private static func hidden(_ start: [UInt8]) -> String {
        let first = start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first.map {
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0) ? "\(Character(Unicode.Scalar($0)))…" : ""
        } ?? ""
    }

    /// Parses the body, which is the fourth check. A long body is parsed on the concurrent executor, so that it does
    /// not block the thread for other requests.
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

    /// The number of bytes read from the body of an error response.
    private static let inspectedBytes = 64 << 10

    /// The largest body parsed in place, in bytes. Parsing it takes about 0.1 ms.
    static let shortBody = 64 << 10

    /// Makes the fourth check for a file, or for a document that is not JSON. They are kept byte for byte.
    private func file(
        _ type: MediaType?, _ head: ResponseHead, _ incoming: inout IncomingBody, atMost largest: Int = .max,
        for request: Request
    ) async throws -> Reply {
        let body = try BodyReader(
            head: head, limit: min(limits.body, largest), memory: transport.bodyMemory)
        guard head.tellsItsEnd else { throw FetchError.Kind.openEnd }
        let content = try await body.read(&incoming).withUnsafeBytes { Array($0) }
        request.trace.note { $0.bytes = content.count }
        guard !content.isEmpty else { throw FetchError.Kind.emptyBody(status: head.status) }
        return Reply(address: request.address, head: head, content: .file(mediaType: type?.name ?? "", content))
    }

    /// Makes the third check for any document. Throws `FetchError.Kind.documentType`, which quotes the body's beginning.
    func requireType(
        among types: [String], of head: ResponseHead, _ incoming: inout IncomingBody
    ) async throws -> MediaType? {
        let named = head.headers["Content-Type"]
        let type = named.flatMap(MediaType.init)
        if let type, types.contains(where: type.matches) { return type }
        if type == nil, types.contains("*/*") { return nil }
        let excerpt = redaction.excerpt(of: try await incoming.start(atLeast: 1))
        throw FetchError.Kind.documentType(type?.name ?? named, expected: types, excerpt: excerpt)
    }

    /// The largest file, in bytes. "The maximum number of bytes in a string or BLOB … defaults to 1 billion", the row
    /// included (sqlite.org/limits.html).
    private static let maximumFileLength = 999_000_000
}

extension ResponseHead {
    /// True if the receiver can tell a truncated body from a complete one.
    var tellsItsEnd: Bool {
        headers["Content-Length"] != nil
            // “If … chunked is not the final encoding, the message body length is determined by reading the connection
            // until it is closed” (RFC 9112, 6.3).
            || headers.values(of: "Transfer-Encoding").last?.lowercased()
                .split { ", \t".contains($0) }.last == "chunked"
            || headers["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    }
}

/// A response that passed every check.
struct Reply: Sendable {
    /// The address that the response came from, after all redirects.
    let address: WebAddress
    let head: ResponseHead
    let content: Content
    /// The lines that follow those of the document, if a long body comes in pieces; nil if the document has all lines.
    var rest: LinedBody?

    enum Content: Sendable {
        case document(Document, Fingerprint)
        /// A document with the request's fingerprint: it equals the stored one byte for byte.
        case repeated
        /// A file that the request asked for.
        case file(mediaType: String, [UInt8])
        /// The server still has what was stored with the request's validator.
        case notModified
        /// The server has nothing new, as the condition of the configuration asks.
        case nothingNew
        /// The stream's `response_actions` ignore the response.
        case ignored
        /// The stream's `response_actions` say that the list has ended before this response.
        case ended
    }
}
