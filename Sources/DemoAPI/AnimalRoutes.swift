import GarnerDigest
import Hummingbird
import GarnerJSON

/// The API's paths with their answers.
struct AnimalRoutes: Sendable {
    static let mostAtRandom = 10

    let zoo: ServerState

    func router() -> Router<LoopbackContext> {
        let router = Router(context: LoopbackContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestCountingMiddleware(zoo: zoo))
        router.get("/") { _, context in index(baseURL: context.baseURL) }
        router.get("/animals") { request, context in try page(request, baseURL: context.baseURL) }
        router.get("/animals/rand") { _, context in try oneAtRandom(baseURL: context.baseURL) }
        router.get("/animals/rand/{count}") { _, context in
            try severalAtRandom(context.parameters.get("count"), baseURL: context.baseURL)
        }
        router.get("/animals/{id}") { _, context in
            Answer(try animal(context.parameters.get("id")).json(baseURL: context.baseURL))
        }
        router.get("/images/{id}") { _, context in
            Answer(try animal(context.parameters.get("id")).picture, mediaType: Answer.svgType)
        }
        return router
    }

    private func index(baseURL: String) -> Answer {
        let routes: KeyValuePairs = [
            "animals?page=1&per_page=\(AnimalPage.defaultSize)": "all animals, page by page",
            "animals/{id}": "one animal",
            "animals/rand": "an animal at random",
            "animals/rand/{count}": "several animals at random, \(Self.mostAtRandom) at most",
            "images/{id}": "the picture of an animal",
        ]
        return Answer(
            .object([
                ("name", .string("Animals")),
                ("edition", .string(zoo.edition.rawValue)),
                ("routes", .object(routes.map { (baseURL + $0.key, .string($0.value)) })),
            ]))
    }

    private func page(_ request: Request, baseURL: String) throws -> Answer {
        let query = request.uri.queryParameters
        let page = try AnimalPage(of: zoo.animals, page: query["page"], perPage: query["per_page"])
        return Answer(page.json(baseURL: baseURL)).linked(toNext: page.nextURL(baseURL: baseURL))
    }

    private func oneAtRandom(baseURL: String) throws -> Answer {
        guard let animal = zoo.randomAnimals(1).first else { throw RefusalError.missing("there are no animals") }
        return Answer(animal.json(baseURL: baseURL))
    }

    private func severalAtRandom(_ count: String?, baseURL: String) throws -> Answer {
        guard let number = Int(digits: count ?? ""), (1...Self.mostAtRandom).contains(number) else {
            throw RefusalError.malformed("the count must be a whole number from 1 to \(Self.mostAtRandom)")
        }
        return Answer(.array(zoo.randomAnimals(number).map { $0.json(baseURL: baseURL) }))
    }

    private func animal(_ id: String?) throws -> Animal {
        guard let animal = Int(digits: id ?? "").flatMap(zoo.animal(id:)) else {
            throw RefusalError.missing("there is no animal with the id '\(id ?? "")'")
        }
        return animal
    }
}

/// A page of animals with its position among all of them.
struct AnimalPage: Sendable {
    static let defaultSize = 20
    static let maximumSize = 100

    let animals: ArraySlice<Animal>
    /// The page number, from 1. A page after the last one is empty.
    let number: Int
    let size: Int
    let total: Int

    var pageCount: Int { (total + size - 1) / size }
    var nextNumber: Int? { number < pageCount ? number + 1 : nil }

    /// Parses the parameters as sent. Throws a `RefusalError` if they do not name a page.
    init(of animals: [Animal], page: Substring?, perPage: Substring?) throws {
        number = try Self.positive(page, named: "page", default: 1, atMost: Int.max)
        size = try Self.positive(perPage, named: "per_page", default: Self.defaultSize, atMost: Self.maximumSize)
        total = animals.count
        // A page number may be as large as an Int, but its product with the size may not.
        let (start, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        self.animals = overflow ? [] : animals.dropFirst(start).prefix(size)
    }

    func nextURL(baseURL: String) -> String? {
        nextNumber.map { "\(baseURL)animals?page=\($0)&per_page=\(size)" }
    }

    func json(baseURL: String) -> JSONText {
        .object([
            ("data", .array(animals.map { $0.json(baseURL: baseURL) })),
            ("page", JSONText(number)),
            ("per_page", JSONText(size)),
            ("total", JSONText(total)),
            ("total_pages", JSONText(pageCount)),
            ("next", JSONText(nextURL(baseURL: baseURL))),
        ])
    }

    private static func positive(
        _ text: Substring?, named name: String, default: Int, atMost limit: Int
    ) throws -> Int {
        guard let text else { return `default` }
        guard let number = Int(digits: text), (1...limit).contains(number) else {
            let bounds = limit == Int.max ? "of at least 1" : "from 1 to \(limit)"
            throw RefusalError.malformed("\(name) must be a whole number \(bounds), not '\(text)'")
        }
        return number
    }
}

/// A response body with its strong entity tag. It is not sent to a client that already has it (RFC 9110, 13.1.2).
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

    init(_ json: JSONText) {
        self.init(json.text, mediaType: Self.jsonType)
    }

    /// Returns the same answer with a `Link` to the next page (RFC 8288).
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
    /// Returns true if `If-None-Match` lists the tag, by the weak comparison that RFC 9110 prescribes for it.
    fileprivate func names(entityTag: String) -> Bool {
        let listed = headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        return listed.contains { item in
            let tag = item.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == entityTag
        }
    }
}

/// A request that cannot be answered, with the reason.
enum RefusalError: Error {
    case malformed(String)
    case missing(String)
    case readOnly(method: String)

    /// The response with the body `{"error": reason}`.
    var response: Response {
        Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: JSONText.object([("error", .string(reason))]).text))
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
        // RFC 9110, 15.5.6: the response must list the allowed methods.
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
