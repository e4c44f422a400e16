package import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel
import NIOCore

/// Sends one request to a server and returns its response.
///
/// A transport follows no redirects and enforces no timeout except the one for connecting. It retries nothing, unless a
/// connection that has served another request is lost before the response begins (`Request.maySurvive`). It throws `TransportError` and
/// `CancellationError`.
package protocol Transport: Sendable {
    /// Sends the request and returns once the response head is complete. Cancelling the task closes the connection.
    func send(_ request: Request) async throws -> Response
    /// Secrets that the transport adds to requests, such as proxy credentials.
    var secrets: [Secret] { get }
    /// The places of response bodies.
    var bodyMemory: BodyMemory { get }
}

extension Transport {
    package var secrets: [Secret] { [] }
    package var bodyMemory: BodyMemory { BodyMemory() }
}

/// A response whose body has yet to be read.
package struct Response: Sendable {
    package let head: ResponseHead
    /// The decompressed body. It throws `TransportError` if it ends before the length that the head promised.
    package let body: any AsyncSequence<BodyChunk, any Error> & Sendable

    package init(head: ResponseHead, body: any AsyncSequence<BodyChunk, any Error> & Sendable) {
        self.head = head
        self.body = body
    }
}

/// A request before it is sent. Secrets in it stay wrapped in `Secret`.
package struct Request: Sendable, CustomStringConvertible {
    package var method: RequestTemplate.Method = .get
    /// The URL without any secret.
    var address: WebAddress
    /// The secrets of the URL, in which asterisks stand for them. `revealedURL()` puts them there.
    var urlSecrets: [Secret] = []
    /// Query parameters that hold secrets. `revealedURL()` adds them.
    var secretParameters: [RequestTemplate.Parameter] = []
    package var headers: [RequestTemplate.Parameter]
    package var body: RequestBody?
    /// Media types that a requested file may have, such as `image/*`; nil if the request is for a document.
    var fileTypes: [String]?
    /// Media types that a document of any kind may have, such as `text/html`; nil if it must be JSON.
    var documentTypes: [String]?
    /// The validator of the stored page. With it, the server may answer 304 Not Modified.
    var validator: Validator?
    /// The fingerprint of the stored body. A body with the same fingerprint is not parsed again.
    var fingerprint: Fingerprint?
    /// True if a POST names the page that it asks for, so that it brings the same one when it is sent again.
    var namesItsPage = false
    /// True if the request is sent once only, whatever becomes of the connection.
    var isSentOnce = false
    /// Tells whether a document has records where those of the page are known to stand; nil if no page is requested.
    var hasRecords: (@Sendable (Document) -> Bool)?
    /// True if a long body of JSON Lines may come in pieces, since its records are its lines.
    var takesPieces = false
    /// The record of the request that the middlewares fill in.
    let trace: RequestTrace
    /// The addresses that the connection may lead to.
    package var range = AddressRange.public
    /// True if the owner of the configuration has written the URL's origin, which may then know the client's certificate.
    package var isForMeantServer = false

    /// Returns the URL to send, secrets included.
    package func revealedURL() -> String {
        secretParameters.reduce(address.revealing(urlSecrets)) { address, parameter in
            let values = secretParameters.filter { $0.name == parameter.name }.map { $0.value.reveal() }
            return address.setting(parameter.name, to: values)
        }.description
    }

    package var host: String { address.host }

    /// True if the URL names an IP address rather than a host name.
    package var namesItsAddress: Bool { IPAddress(address.host) != nil }

    /// Returns true if the request may be sent again after a connection that has served others was lost.
    ///
    /// "A client SHOULD NOT automatically retry a request with a non-idempotent method unless it has some means to know that
    /// the request semantics are actually idempotent" (RFC 9110, 9.2.2).
    ///
    /// - Parameter answerBegan: true if a byte had come since the request was sent.
    func maySurvive(_ answerBegan: Bool) -> Bool {
        !isSentOnce && (method != .post || namesItsPage && !answerBegan)
    }

    /// True if a field of the configuration asks only for what is new.
    var isConditional: Bool { validator == nil && headers.contains(where: \.isCondition) }

    init(
        address: WebAddress, headers: [RequestTemplate.Parameter], validator: Validator? = nil, trace: RequestTrace
    ) {
        self.address = address
        self.headers = headers
        self.validator = validator
        self.trace = trace
        if let condition = validator?.condition {
            self.headers.append(.init(name: condition.name, value: .literal(condition.value)))
        }
    }

    package var description: String { "\(method.rawValue) \(address)" }
}

/// The body of a request. It may hold secrets, so it is never printed.
package struct RequestBody: Sendable {
    /// The value of the `Content-Type` field.
    package let mediaType: String
    private let content: Secret

    package init(mediaType: String, content: Secret) {
        self.mediaType = mediaType
        self.content = content
    }

    /// Returns the plain text, for the transport that sends it.
    package func revealed() -> String { content.reveal() }
}

/// The header fields of a response in their order. Names are case-insensitive.
///
///     let headers: HeaderFields = ["Content-Type": "application/json", "Link": "</2>; rel=next"]
///     headers["content-type"]  // "application/json"
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    private let fields: [(name: String, value: String)]

    /// Creates fields in this order, without the blanks around their values: "A field value does not include leading or
    /// trailing whitespace" (RFC 9110, 5.5).
    package init(_ fields: [(name: String, value: String)]) {
        let haveBlanks = fields.contains { Self.isBlank($0.value.utf8.first) || Self.isBlank($0.value.utf8.last) }
        self.fields =
            haveBlanks
            ? fields.map { ($0.name, String($0.value.trimming { $0 == " " || $0 == "\t" })) } : fields
    }

    /// Creates fields in the order of the literal. A name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }

    /// Returns the value of the first field with this name, or nil if there is none.
    public subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// Returns the values of all fields with this name, one for each field line, in their order.
    public func values(of name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

    /// The fields in their order.
    var all: [(name: String, value: String)] { fields }

    /// Returns true if the predicate accepts the name of a field, which it gets in lower case.
    func contains(where isMeant: (_ name: String) -> Bool) -> Bool { fields.contains { isMeant($0.name.lowercased()) } }

    /// The approximate size of the fields on the wire, in bytes.
    var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// The status and header fields of a response.
public struct ResponseHead: Sendable {
    /// The HTTP status code, such as 200.
    public let status: Int
    /// The header fields, such as `Content-Type`.
    public let headers: HeaderFields

    package init(status: Int, headers: HeaderFields) {
        self.status = status
        self.headers = headers
    }

    /// Returns the head without the fields of these names.
    func without(_ names: [String]) -> ResponseHead {
        guard !names.isEmpty else { return self }
        let names = Set(names.map { $0.lowercased() })
        return ResponseHead(
            status: status, headers: HeaderFields(headers.all.filter { !names.contains($0.name.lowercased()) }))
    }
}

/// A piece of a response body, decompressed.
public struct BodyChunk: Sendable {
    private let buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    package init(_ bytes: some Sequence<UInt8>) { buffer = ByteBuffer(bytes: bytes) }

    /// The number of bytes.
    public var count: Int { buffer.readableBytes }

    /// Calls `body` with the bytes. The buffer is valid inside `body` only.
    ///
    ///     var bytes: [UInt8] = []
    ///     chunk.withUnsafeBytes { bytes += $0 }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try buffer.withUnsafeReadableBytes(body)
    }
}
