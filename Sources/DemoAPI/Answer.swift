import Digest
import Hummingbird

/// A body that carries its strong entity tag and is not sent to a client that has it already (RFC 9110, 13.1.2).
struct Answer: ResponseGenerator {
    static let jsonType = "application/json; charset=utf-8"
    static let svgType = "image/svg+xml"

    private let body: String
    private let entityTag: String
    private var headers: HTTPFields

    init(_ body: String, mediaType: String) {
        self.body = body
        entityTag = "\"\(SHA256.hexDigest(of: body.utf8))\""
        headers = [.contentType: mediaType, .eTag: entityTag]
    }

    init(_ json: JSONValue) {
        self.init(json.text, mediaType: Self.jsonType)
    }

    /// The same answer with a `Link` to what follows it (RFC 8288).
    func linked(toNext url: String?) -> Answer {
        // The only name under which Hummingbird passes HTTPField on.
        guard let url, let link = HTTPFields.Element.Name("Link") else { return self }
        var answer = self
        answer.headers[link] = "<\(url)>; rel=\"next\""
        return answer
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        guard !request.names(entityTag: entityTag) else {
            return Response(status: .notModified, headers: [.eTag: entityTag])
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}

extension Request {
    /// Whether `If-None-Match` lists the tag, by the weak comparison that RFC 9110 prescribes for it.
    fileprivate func names(entityTag: String) -> Bool {
        let listed = headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        return listed.contains { item in
            let tag = item.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == entityTag
        }
    }
}
