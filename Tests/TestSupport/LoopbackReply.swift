package import NIOSSL

/// The steps of a server on a connection after a request.
package struct LoopbackReply: Sendable {
    package enum Step: Sendable {
        case bytes([UInt8])
        /// Sends the bytes repeatedly, until the client closes.
        case endless([UInt8])
        /// Waits in real time.
        case pause(Duration)
        case close
        /// Closes with a TCP reset.
        case reset
        /// Sends nothing more, until the client closes.
        case stall
        /// Starts TLS for the following steps, as behind a proxy.
        case startTLS(NIOSSLContext)
        /// Closes a connection without a word of TLS.
        case cut
    }

    package var steps: [Step]

    package init(_ steps: Step...) { self.steps = steps }

    package init(steps: [Step]) { self.steps = steps }

    /// The bytes of a text, as they are.
    package static func raw(_ text: String, then steps: Step...) -> LoopbackReply {
        LoopbackReply(steps: [.bytes(Array(text.utf8))] + steps)
    }

    /// A complete response with its `Content-Length`, unless the headers bring a framing of their own.
    package static func response(
        status: Int = 200, headers: [(String, String)] = [("Content-Type", "application/json")], body: [UInt8]
    ) -> LoopbackReply {
        let isFramed = headers.contains { ["content-length", "transfer-encoding"].contains($0.0.lowercased()) }
        let framing = isFramed ? [] : [("Content-Length", "\(body.count)")]
        return LoopbackReply(.bytes(head(status: status, headers: headers + framing) + body))
    }

    package static func response(
        status: Int = 200, headers: [(String, String)] = [("Content-Type", "application/json")], body: String = ""
    ) -> LoopbackReply {
        response(status: status, headers: headers, body: Array(body.utf8))
    }

    /// A 200 with this JSON.
    package static func json(_ body: String, headers: [(String, String)] = []) -> LoopbackReply {
        response(headers: [("Content-Type", "application/json")] + headers, body: body)
    }

    /// A body behind a 204 would be the beginning of the connection's next response (RFC 9110, 15.3.5).
    package static func status(_ status: Int) -> LoopbackReply {
        .response(status: status, body: status == 204 ? "" : "{}")
    }

    /// A 200 whose body comes in chunks, with the last chunk only where `isEnded`.
    package static func chunked(_ chunks: [String], isEnded: Bool = true) -> LoopbackReply {
        let head = head(headers: [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")])
        let body = chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
        let reply = LoopbackReply(.bytes(head + Array((body + (isEnded ? "0\r\n\r\n" : "")).utf8)))
        return isEnded ? reply : reply.then(.close)
    }

    /// Steps that send these bytes one at a time.
    package static func drip(_ bytes: some Sequence<UInt8>, every pause: Duration) -> [Step] {
        bytes.flatMap { [.bytes([$0]), .pause(pause)] }
    }

    package func then(_ step: Step...) -> LoopbackReply { LoopbackReply(steps: steps + step) }

    /// The head of a response.
    package static func head(status: Int = 200, headers: [(String, String)]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Status"] + headers.map { "\($0.0): \($0.1)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
