import TestSupport

extension Fault {
    /// The connection ends.
    static let connection: [Fault] = [
        Fault("refuses the connection", .error("connection_refused")).with { $0.place = .refusingPort },
        Fault("has a name that does not resolve", .error("unknown_host")).with { $0.place = .unknownHost },
        Fault("accepts the connection and closes it", .error("connection_closed")).with {
            $0.place = .closingPort(resets: false)
        },
        Fault("accepts the connection and resets it", .error("connection_closed")).with {
            $0.place = .closingPort(resets: true)
        },
        Fault("closes before the head", .error("connection_closed")) { _ in LoopbackReply(.close) },
        Fault("resets before the head", .error("connection_closed")) { _ in LoopbackReply(.reset) },
        Fault("closes inside the status line", .error("connection_closed")) { _ in .raw("HTTP/1.1 200 O", then: .close)
        },
        Fault("closes inside the head", .error("connection_closed"), in: .all) { $0.answer.cutHead(then: .close) },
        Fault("resets inside the head", .error("connection_closed"), in: .all) { $0.answer.cutHead(then: .reset) },
        Fault("closes behind the head", .error("incomplete_body"), in: .all) { $0.answer.cut(after: 0, then: .close) },
        Fault("resets behind the head", .error("incomplete_body"), in: .all) { $0.answer.cut(after: 0, then: .reset) },
        Fault("closes inside the body", .error("incomplete_body"), in: .all) { $0.answer.cut(after: 30, then: .close) },
        Fault("resets inside the body", .error("incomplete_body"), in: .all) { $0.answer.cut(after: 30, then: .reset) },
        Fault("closes before the last chunk", .error("incomplete_body"), in: [.chunked]) {
            $0.answer.cut(before: 5, then: .close)
        },
        Fault("closes behind the body, between two requests", .page, in: .all) { $0.answer.reply.then(.close) },
        Fault("resets a moment after the body", .page, in: .all) {
            $0.answer.reply.then(.pause(.milliseconds(100)), .reset)
        },
        Fault("closes as the next request comes", .page, retried: true, in: .all) {
            $0.asked == 0 ? LoopbackReply(.close) : nil
        },
        Fault("resets as the next request comes", .page, retried: true, in: .all) {
            $0.asked == 0 ? LoopbackReply(.reset) : nil
        },
        Fault("sends another answer behind the answer", .page, in: .all) {
            // In one piece: bytes that arrive after the next request look like its answer to any client of HTTP/1.1.
            let other = $0.answer.with { $0.body = Array(#"[{"id":"forged"}]"#.utf8) }
            return LoopbackReply(.bytes($0.answer.reply.allBytes + other.reply.allBytes))
        },
    ]
}

extension [GoodAnswer.Framing] {
    static var all: Self { GoodAnswer.Framing.allCases }
}

extension GoodAnswer {
    /// Half of the head.
    func cutHead(then step: LoopbackReply.Step) -> LoopbackReply {
        LoopbackReply(.bytes(head().dropLast(head().count / 2)), step)
    }

    /// The head and so many bytes of the body on the wire.
    func cut(after count: Int, then step: LoopbackReply.Step) -> LoopbackReply {
        LoopbackReply(.bytes(head() + content.prefix(count)), step)
    }

    /// All but so many bytes at the end.
    func cut(before count: Int, then step: LoopbackReply.Step) -> LoopbackReply {
        LoopbackReply(.bytes(head() + content.dropLast(count)), step)
    }
}

extension LoopbackReply {
    /// The bytes of all steps, in order.
    var allBytes: [UInt8] {
        steps.flatMap { step -> [UInt8] in if case .bytes(let bytes) = step { bytes } else { [] } }
    }
}
