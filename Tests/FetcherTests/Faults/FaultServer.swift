import NIOSSL
import TestSupport

/// Serves three pages of `/v1/animals`, and on one of them a fault.
struct FaultServer: Sendable {
    /// A request for what the fault is about.
    struct Occasion: Sendable {
        let request: LoopbackRequest
        /// The address of the server, without a slash at the end.
        let server: String
        /// The answer of a good server.
        let answer: GoodAnswer
        /// True if the request is for the page, and not for the target of a redirect.
        let isForPage: Bool
        /// The number of earlier requests for the page.
        let asked: Int
        /// The number of requests for a session or a token, this one included.
        let sessionRequests: Int
    }

    static let pageCount = 3

    let fault: Fault
    /// The page that has the fault.
    let page: Int
    let framing: GoodAnswer.Framing
    private let asked = Watched(0)
    /// The number of requests for a session or a token.
    private let sessions = Watched(0)

    init(_ fault: Fault, on page: Int, in framing: GoodAnswer.Framing) {
        self.fault = fault
        self.page = page
        self.framing = framing
    }

    /// The number of requests for the page that has the fault.
    var requests: Int { asked.value }
    /// The number of requests for a session or a token.
    var sessionRequests: Int { sessions.value }

    func serve<Result: Sendable>(
        tls: NIOSSLContext? = nil, _ body: @escaping @Sendable (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let url = Watched("")
        return try await LoopbackServer.serve(tls: tls, { reply(to: $0, at: url.value) }) { server in
            url.value = server.url
            return try await body(server)
        }
    }

    static func target(_ page: Int) -> String { page == 0 ? "/v1/animals" : "/v1/animals?page=\(page)" }

    static func records(_ page: Int) -> [String] { (1...3).map { #"{"id":\#(page * 10 + $0)}"# } }

    private func reply(to request: LoopbackRequest, at url: String) -> LoopbackReply {
        let number = (0..<Self.pageCount).first { Self.target($0) == request.target }
        if let number, number != page { return Self.answer(number, in: .plain).reply }
        let isForPage = number != nil
        if request.method == "POST", !isForPage { sessions.change { $0 += 1 } }
        let answer = Self.answer(page, in: framing)
        if fault.isRemembered, request["If-None-Match"] == nil { return answer.reply }
        let before = asked.change { asked in
            defer { asked += isForPage ? 1 : 0 }
            return asked
        }
        let occasion = Occasion(
            request: request, server: url, answer: answer, isForPage: isForPage, asked: before,
            sessionRequests: sessions.value)
        return fault.reply(occasion) ?? answer.reply
    }

    private static func answer(_ number: Int, in framing: GoodAnswer.Framing) -> GoodAnswer {
        let next = number + 1 < pageCount ? "\"\(target(number + 1))\"" : "null"
        let body = #"{"data":[\#(records(number).joined(separator: ","))],"next":\#(next)}"#
        return GoodAnswer(framing, body: body).with { $0.fields = [("ETag", "\"\(number)\"")] }
    }
}
