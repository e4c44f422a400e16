import Catalog
import Fetcher
import Foundation
import Synchronization
import Testing

/// An API as its servers answer it: its envelope, its paging, its errors and its limits.
struct SimulatedAPI: Sendable, CustomTestStringConvertible {
    let name: String
    /// The path, with the query that a person would use.
    var path: String
    /// The number of records.
    var count = 47
    /// The body that is posted; nil: the method is GET.
    var body: String?
    /// Lines of the stream that make it whole where `path` alone does not.
    var whole: String?
    /// Some records can be had in no way.
    var isCapped = false
    let answer: @Sendable (APIRequest, [Int]) -> APIReply

    var testDescription: String { name }

    var method: RequestTemplate.Method { body == nil ? .get : .post }
}

/// A request as a server sees it.
struct APIRequest: Sendable {
    let path: String
    private let items: [URLQueryItem]
    let body: String

    init(_ request: Request) {
        let components = URLComponents(string: request.revealedURL())
        path = components?.path ?? ""
        items = components?.queryItems ?? []
        body = request.body?.revealed() ?? ""
    }

    /// The value of a parameter; nil where it is not there.
    subscript(name: String) -> String? { items.last { $0.name == name }?.value }

    func int(_ name: String, _ standard: Int) -> Int { self[name].flatMap { Int($0) } ?? standard }

    /// The value of a member of the JSON body, however deep.
    func posted(_ path: String...) -> Any? {
        var value = try? JSONSerialization.jsonObject(with: Data(body.utf8))
        for name in path { value = (value as? [String: Any])?[name] }
        return value is NSNull ? nil : value
    }
}

struct APIReply: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    let body: String

    init(_ body: String, headers: [(String, String)] = []) {
        self.body = body
        self.headers = headers
    }

    static func refusal(_ status: Int, _ body: String = #"{"message":"wrong"}"#) -> APIReply {
        var reply = APIReply(body)
        reply.status = status
        return reply
    }

    var response: Response {
        let fields = [("Content-Type", "application/json"), ("Content-Length", "\(body.utf8.count)")] + headers
        return Response(
            head: ResponseHead(status: status, headers: HeaderFields(fields.map { (name: $0.0, value: $0.1) })),
            body: AsyncThrowingStream { continuation in
                continuation.yield(BodyChunk(body.utf8))
                continuation.finish()
            })
    }
}

/// Lets a simulated API answer in the place of a network, and notes what it was asked.
final class APITransport: Transport {
    private let api: SimulatedAPI
    private struct State {
        var records: [Int]
        var requests: [String] = []
        /// A change of the records, and the number of requests after which it happens.
        var change: (request: Int, apply: @Sendable (inout [Int]) -> Void)?
    }

    private let state: Mutex<State>

    init(_ api: SimulatedAPI) {
        self.api = api
        state = Mutex(State(records: Array(1...api.count)))
    }

    /// Changes the records once, after so many requests more.
    func changesAfter(_ count: Int, _ apply: @escaping @Sendable (inout [Int]) -> Void) {
        state.withLock { $0.change = (request: $0.requests.count + count, apply: apply) }
    }

    /// The current records of the API.
    var records: [Int] {
        get { state.withLock { $0.records } }
        set { state.withLock { $0.records = newValue } }
    }

    var requestCount: Int { state.withLock { $0.requests.count } }

    func send(_ request: Request) async throws -> Response {
        let records = state.withLock { state in
            if let change = state.change, change.request <= state.requests.count {
                change.apply(&state.records)
                state.change = nil
            }
            state.requests.append(request.revealedURL())
            return state.records
        }
        return api.answer(APIRequest(request), records).response
    }
}

/// A part of a list, as most servers give it.
struct APIPage {
    let ids: [Int]
    let start: Int
    let total: Int

    init(_ records: [Int], from start: Int, _ size: Int) {
        let begin = min(max(start, 0), records.count)
        ids = Array(records[begin..<min(begin + max(size, 0), records.count)])
        (self.start, total) = (begin, records.count)
    }

    var end: Int { start + ids.count }
    var hasMore: Bool { end < total }

    /// `[{"id":1,"name":"record 1"}]`
    var list: String { array { #"{"id":\#($0),"name":"record \#($0)"}"# } }

    func array(_ record: (Int) -> String) -> String { "[\(ids.map(record).joined(separator: ","))]" }

    /// `value` as JSON where there is more, else null.
    func ifMore(_ value: String) -> String { hasMore ? value : "null" }
}
