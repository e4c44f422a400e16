import TestSupport

/// A page as a good server sends it, for a fault to spoil.
struct GoodAnswer: Sendable {
    enum Framing: Sendable, CaseIterable {
        /// A body with its length.
        case plain
        /// A body in chunks of a few bytes.
        case chunked
        /// A gzip body with its compressed length.
        case gzip
    }

    var framing: Framing
    var status = "200 OK"
    var type: String? = "application/json"
    /// The header fields beside those of type and framing.
    var fields: [(String, String)] = []
    var body: [UInt8]

    init(_ framing: Framing, body: String) {
        self.framing = framing
        self.body = Array(body.utf8)
    }

    /// Status line and fields, with the framing's unless others are given.
    func head(framing other: [(String, String)]? = nil) -> [UInt8] {
        let framing = other ?? framingFields
        let all = (type.map { [("Content-Type", $0)] } ?? []) + fields + framing
        return Array(("HTTP/1.1 \(status)\r\n" + all.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n").utf8)
    }

    /// The body as it is on the wire.
    var content: [UInt8] {
        switch framing {
        case .plain: body
        case .chunked: Self.chunked(body) + Array("0\r\n\r\n".utf8)
        case .gzip: Gzip.stored(body)
        }
    }

    var reply: LoopbackReply { LoopbackReply(.bytes(head() + content)) }

    func with(_ change: (inout GoodAnswer) -> Void) -> GoodAnswer {
        var answer = self
        change(&answer)
        return answer
    }

    /// The answer with this JSON in the place of its records.
    func with(data: String) -> GoodAnswer {
        with { answer in
            let text = String(decoding: answer.body, as: UTF8.self)
            let rest = text.firstRange(of: #","next":"#).map { text[$0.lowerBound...] } ?? "}"
            answer.body = Array(#"{"data":\#(data)\#(rest)"#.utf8)
        }
    }

    /// The bytes in chunks, without the last chunk that ends the body.
    static func chunked(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 16).flatMap { start in
            let chunk = bytes[start..<min(start + 16, bytes.count)]
            return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
    }

    private var framingFields: [(String, String)] {
        switch framing {
        case .plain: [("Content-Length", "\(content.count)")]
        case .chunked: [("Transfer-Encoding", "chunked")]
        case .gzip: [("Content-Encoding", "gzip"), ("Content-Length", "\(content.count)")]
        }
    }
}
