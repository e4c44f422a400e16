package import GarnerFetcher
import Foundation
import Synchronization

/// An API as its servers answer it: its envelope, its paging, its errors and its limits.
package struct SimulatedAPI: Sendable, CustomStringConvertible {
    package let name: String
    /// The path, with the query that a person would use.
    package var path: String
    /// The number of records.
    package var count: Int
    /// The body that is posted; nil: the method is GET.
    package var body: String?
    /// Lines of the stream that make it whole where `path` alone does not.
    package var whole: String?
    /// Some records can be had in no way.
    package var isCapped: Bool
    package let answer: @Sendable (APIRequest, [Int]) -> APIReply

    package init(
        name: String, path: String, count: Int = 47, body: String? = nil, whole: String? = nil, isCapped: Bool = false,
        answer: @escaping @Sendable (APIRequest, [Int]) -> APIReply
    ) {
        (self.name, self.path, self.count, self.body, self.whole) = (name, path, count, body, whole)
        (self.isCapped, self.answer) = (isCapped, answer)
    }

    package var description: String { name }
}

/// A request as a server sees it.
package struct APIRequest: Sendable {
    package let path: String
    private var items: [URLQueryItem]
    package let body: String

    package init(_ request: Request) {
        self.init(url: request.revealedURL(), body: request.body?.revealed() ?? "")
    }

    package init(url: String, body: String = "") {
        let components = URLComponents(string: url)
        path = components?.path ?? ""
        items = components?.queryItems ?? []
        self.body = body
    }

    /// The value of a parameter; nil where it is not there.
    package subscript(name: String) -> String? { items.last { $0.name == name }?.value }

    /// The names of the parameters.
    package var names: [String] { items.map(\.name) }

    package func int(_ name: String, _ standard: Int) -> Int { self[name].flatMap { Int($0) } ?? standard }

    /// Returns the request with this value of a parameter.
    package func setting(_ name: String, to value: Int) -> APIRequest {
        var request = self
        request.items.removeAll { $0.name == name }
        request.items.append(URLQueryItem(name: name, value: "\(value)"))
        return request
    }

    /// The value of a member of the JSON body, however deep.
    package func posted(_ path: String...) -> Any? {
        var value = try? JSONSerialization.jsonObject(with: Data(body.utf8))
        for name in path { value = (value as? [String: Any])?[name] }
        return value is NSNull ? nil : value
    }
}

package struct APIReply: Sendable {
    package var status = 200
    package var headers: [(String, String)] = []
    package var body: String

    package init(_ body: String, headers: [(String, String)] = []) {
        self.body = body
        self.headers = headers
    }

    package static func refusal(_ status: Int, _ body: String = #"{"message":"wrong"}"#) -> APIReply {
        var reply = APIReply(body)
        reply.status = status
        return reply
    }

    package var response: Response { response(of: body.utf8) }

    /// A response with these bytes in the place of the body.
    package func response(of body: some Collection<UInt8>) -> Response {
        let fields = [("Content-Type", "application/json"), ("Content-Length", "\(body.count)")] + headers
        return Response(
            head: ResponseHead(status: status, headers: HeaderFields(fields.map { (name: $0.0, value: $0.1) })),
            body: AsyncThrowingStream { continuation in
                continuation.yield(BodyChunk(body))
                continuation.finish()
            })
    }
}

/// Lets a simulated API answer in the place of a network, and notes what it was asked.
package final class APITransport: Transport {
    private let api: SimulatedAPI
    private struct State {
        var records: [Int]
        var requests: [String] = []
        /// A change of the records, and the number of requests after which it happens.
        var change: (request: Int, apply: @Sendable (inout [Int]) -> Void)?
    }

    private let state: Mutex<State>

    package init(_ api: SimulatedAPI) {
        self.api = api
        state = Mutex(State(records: Array(1...api.count)))
    }

    /// Changes the records once, after so many requests more.
    package func changesAfter(_ count: Int, _ apply: @escaping @Sendable (inout [Int]) -> Void) {
        state.withLock { $0.change = (request: $0.requests.count + count, apply: apply) }
    }

    /// The current records of the API.
    package var records: [Int] {
        get { state.withLock { $0.records } }
        set { state.withLock { $0.records = newValue } }
    }

    package var requestCount: Int { state.withLock { $0.requests.count } }

    package func send(_ request: Request) async throws -> Response {
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

/// A server's way to cut pages that is not that of its API, and the pages that it cut.
package final class PageCutting: Sendable {
    /// Returns where the page begins that is given, and its size.
    package typealias Rule = @Sendable (_ start: Int, _ size: Int, _ total: Int) -> (start: Int, size: Int)

    /// A page as it was asked for, and the records that were given.
    package struct Cut: Sendable {
        package let start: Int
        package let size: Int
        package let total: Int
        package let ids: [Int]
        /// True if no record comes behind those that were given.
        package let isLast: Bool
    }

    fileprivate let rule: Rule
    private let state = Mutex<Cut?>(nil)

    package init(_ rule: @escaping Rule = { start, size, _ in (start, size) }) { self.rule = rule }

    package var cut: Cut? { state.withLock(\.self) }

    fileprivate func note(_ page: APIPage, from start: Int, _ size: Int) {
        let cut = Cut(start: start, size: size, total: page.total, ids: page.ids, isLast: !page.hasMore)
        state.withLock { $0 = cut }
    }
}

/// A part of a list, as most servers give it.
package struct APIPage {
    /// The way in which the server cuts pages now; nil: as its API says.
    @TaskLocal package static var cutting: PageCutting?

    package let ids: [Int]
    package let start: Int
    package let total: Int

    package init(_ records: [Int], from start: Int, _ size: Int) {
        let cut = Self.cutting?.rule(start, size, records.count) ?? (start: start, size: size)
        let begin = min(max(cut.start, 0), records.count)
        ids = Array(records[begin..<min(begin + max(cut.size, 0), records.count)])
        (self.start, total) = (begin, records.count)
        Self.cutting?.note(self, from: start, size)
    }

    package var end: Int { start + ids.count }
    package var hasMore: Bool { end < total }

    /// `[{"id":1,"name":"record 1"}]`
    package var list: String { array { #"{"id":\#($0),"name":"record \#($0)"}"# } }

    package func array(_ record: (Int) -> String) -> String { "[\(ids.map(record).joined(separator: ","))]" }

    /// `value` as JSON where there is more, else null.
    package func ifMore(_ value: String) -> String { hasMore ? value : "null" }
}
