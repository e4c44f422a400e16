import Hummingbird

/// A request that cannot be answered, and why.
enum Refusal: Error {
    case malformed(String)
    case missing(String)
    case readOnly(method: String)

    /// `{"error": reason}`.
    var response: Response {
        Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: JSONValue.object([("error", .string(reason))]).text))
        )
    }

    private var status: HTTPResponse.Status {
        switch self {
        case .malformed: .badRequest
        case .missing: .notFound
        case .readOnly: .methodNotAllowed
        }
    }

    private var headers: HTTPFields {
        switch self {
        case .malformed, .missing: [.contentType: Answer.jsonType]
        // RFC 9110, 15.5.6: the answer must list what is allowed instead.
        case .readOnly: [.contentType: Answer.jsonType, .allow: "GET, HEAD"]
        }
    }

    private var reason: String {
        switch self {
        case .malformed(let reason), .missing(let reason): reason
        case .readOnly(let method): "\(method) is not possible here: this API can only be read"
        }
    }
}
