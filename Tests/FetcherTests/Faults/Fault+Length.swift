import GarnerCatalog
import TestSupport

extension Fault {
    /// The head says another length than the body has, or the chunks are wrong.
    static let length: [Fault] = [
        Fault("promises more than it sends, and closes", .error("incomplete_body"), in: [.plain, .gzip]) {
            measured($0, by: 1).then(.close)
        },
        Fault("promises more than it sends, and waits", .error("idle_deadline"), in: [.plain, .gzip]) {
            measured($0, by: 1).then(.stall)
        }.limited { $0.idle = .milliseconds(150) },
        Fault("promises less than it sends", .error("json")) { measured($0, by: -9) },
        Fault("promises less than it compressed", .error("decompression"), in: [.gzip]) { measured($0, by: -9) },
        Fault("sends two lengths that differ", .error("malformed_response"), in: [.plain, .gzip]) {
            measured($0, by: 0, and: [("Content-Length", "1")])
        },
        Fault("sends the same length twice", .error("malformed_response"), in: [.plain, .gzip]) {
            measured($0, by: 0, and: [("Content-Length", "\($0.answer.content.count)")])
        },
        Fault("sends a list of lengths", .error("malformed_response")) {
            framed($0, [("Content-Length", "\($0.answer.content.count), \($0.answer.content.count)")])
        },
        Fault("sends a negative length", .error("malformed_response")) { framed($0, [("Content-Length", "-1")]) },
        Fault("sends a length that is no number", .error("malformed_response")) {
            framed($0, [("Content-Length", "many")])
        },
        Fault("sends a length beyond 64 bits", .error("malformed_response")) {
            framed($0, [("Content-Length", "18446744073709551617")])
        },
        Fault("sends a length beyond 63 bits", .error("body_too_large")) {
            framed($0, [("Content-Length", "18446744073709551615")])
        },
        Fault("sends a length and chunks", .error("malformed_response"), in: [.chunked]) {
            framed($0, [("Transfer-Encoding", "chunked"), ("Content-Length", "\($0.answer.body.count)")])
        },
        Fault("sends chunks and a length", .error("malformed_response"), in: [.chunked]) {
            framed($0, [("Content-Length", "\($0.answer.body.count)"), ("Transfer-Encoding", "chunked")])
        },
        Fault("sends neither length nor chunks, and closes", .page) { framed($0, []).then(.close) },
        Fault("sends gzip without length or chunks, and closes", .page, in: [.gzip]) {
            framed($0, [("Content-Encoding", "gzip")]).then(.close)
        },
        Fault("cuts gzip without length or chunks short", .error("decompression"), in: [.gzip]) {
            LoopbackReply(
                .bytes($0.answer.head(framing: [("Content-Encoding", "gzip")]) + $0.answer.content.dropLast(9)), .close)
        },
        Fault("sends a chunk size that is no number", .error("malformed_response"), in: [.chunked]) {
            chunks($0, "xyz\r\n[]\r\n0\r\n\r\n")
        },
        Fault("sends a chunk size beyond 64 bits", .error("malformed_response"), in: [.chunked]) {
            chunks($0, "10000000000000002\r\n[]\r\n0\r\n\r\n")
        },
        Fault("sends a chunk size below zero", .error("malformed_response"), in: [.chunked]) {
            chunks($0, "-2\r\n[]\r\n0\r\n\r\n")
        },
        Fault("sends a chunk longer than its size", .error("malformed_response"), in: [.chunked]) {
            chunks($0, "1\r\n[]\r\n0\r\n\r\n")
        },
        Fault("sends a chunk shorter than its size", .error("incomplete_body"), in: [.chunked]) {
            chunks($0, "ff\r\n[]\r\n0\r\n\r\n").then(.close)
        },
        Fault("sends chunk extensions", .page, in: [.chunked]) {
            let body = $0.answer.body
            return chunks(
                $0,
                "\(String(body.count, radix: 16));a=b;c=\"d\"\r\n\(String(decoding: body, as: UTF8.self))\r\n0;e\r\n\r\n"
            )
        },
        Fault("sends trailers", .page, in: [.chunked]) {
            LoopbackReply(
                .bytes(
                    $0.answer.head() + $0.answer.content.dropLast(2)
                        + Array("X-Sum: 1\r\nETag: \"x\"\r\n\r\n".utf8)))
        },
        Fault("sends trailers for ever", .error("head_too_large"), in: [.chunked]) {
            LoopbackReply(
                .bytes($0.answer.head() + $0.answer.content.dropLast(2)),
                .endless(Array(String(repeating: "X-Field: x\r\n", count: 400).utf8)))
        },
        Fault("compresses the transfer", .page, in: [.chunked]) {
            let answer = $0.answer.with { $0.body = Gzip.stored($0.body) }
            return LoopbackReply(
                .bytes(answer.head(framing: [("Transfer-Encoding", "gzip, chunked")]) + answer.content))
        },
        Fault("sends chunks inside out", .error("json"), in: [.chunked]) {
            framed($0, [("Transfer-Encoding", "chunked, gzip")]).then(.close)
        },
        Fault("names an unknown transfer", .page) {
            framed($0, [("Transfer-Encoding", "magic")]).then(.close)
        },
        Fault("sends a body for ever", .error("body_too_large"), in: [.plain]) {
            LoopbackReply(.bytes($0.answer.head(framing: [])), .endless(spaces))
        }.limited { $0.body = 200_000 },
        Fault("sends chunks for ever", .error("body_too_large"), in: [.chunked]) {
            LoopbackReply(.bytes($0.answer.head()), .endless(Array("4000\r\n".utf8) + spaces + Array("\r\n".utf8)))
        }.limited { $0.body = 200_000 },
        Fault("promises a body beyond the limit", .error("body_too_large")) {
            LoopbackReply(.bytes($0.answer.head(framing: [("Content-Length", "200001")])), .stall)
        }.limited { $0.body = 200_000 },
    ]

    static let spaces = [UInt8](repeating: 0x20, count: 16 << 10)

    /// The good answer whose length is so many bytes off.
    private static func measured(
        _ occasion: FaultServer.Occasion, by difference: Int, and others: [(String, String)] = []
    ) -> LoopbackReply {
        let encoding = occasion.answer.framing == .gzip ? [("Content-Encoding", "gzip")] : []
        let length = [("Content-Length", "\(occasion.answer.content.count + difference)")]
        return framed(occasion, encoding + length + others)
    }

    private static func framed(_ occasion: FaultServer.Occasion, _ fields: [(String, String)]) -> LoopbackReply {
        LoopbackReply(.bytes(occasion.answer.head(framing: fields) + occasion.answer.content))
    }

    private static func chunks(_ occasion: FaultServer.Occasion, _ text: String) -> LoopbackReply {
        LoopbackReply(.bytes(occasion.answer.head() + Array(text.utf8)))
    }
}
