import TestSupport

extension Fault {
    /// The head is not as HTTP wants it, or there is too much of it.
    static let head: [Fault] = [
        Fault("speaks another protocol", .error("malformed_response")) { _ in
            .raw("SSH-2.0-OpenSSH_9.2\r\n", then: .stall)
        },
        Fault("sends JSON without a head", .error("malformed_response")) {
            LoopbackReply(.bytes($0.answer.body), .close)
        },
        Fault("sends a status that is no number", .error("malformed_response")) {
            $0.answer.with { $0.status = "abc OK" }.reply
        },
        Fault("sends a status of two digits", .error("malformed_response")) {
            $0.answer.with { $0.status = "20 OK" }.reply
        },
        Fault("sends a status of four digits", .error("malformed_response")) {
            $0.answer.with { $0.status = "2000 OK" }.reply
        },
        Fault("sends a status below 100", .error("malformed_response"), in: .all) {
            $0.answer.with { $0.status = "099 Nothing" }.reply
        },
        Fault("sends a status without a reason", .page) { $0.answer.with { $0.status = "200" }.reply },
        Fault("speaks HTTP/1.0", .page, in: [.plain, .gzip]) {
            spoiltHead($0) { $0.replacing("HTTP/1.1", with: "HTTP/1.0") }
        },
        Fault("speaks HTTP/3.0 in clear text", .error("malformed_response")) {
            spoiltHead($0) { $0.replacing("HTTP/1.1", with: "HTTP/3.0") }
        },
        Fault("ends lines with LF alone", .error("malformed_response"), in: .all) {
            spoiltHead($0) { $0.replacing("\r\n", with: "\n") }
        },
        Fault("sends a field without a colon", .error("malformed_response"), in: .all) { spoiltHead($0, "Broken") },
        Fault("sends a field with a space in its name", .error("malformed_response"), in: .all) {
            spoiltHead($0, "X Y: 1")
        },
        Fault("sends a field without a name", .error("malformed_response"), in: .all) { spoiltHead($0, ": 1") },
        Fault("sends a NUL in a field", .error("malformed_response"), in: .all) { spoiltHead($0, "X-Broken: a\0b") },
        Fault("folds a field", .error("malformed_response"), in: .all) { spoiltHead($0, "X-Folded: a\r\n b") },
        Fault("sends a field in Latin-1", .page, in: .all) {
            let field: [UInt8] = Array("X-Name: ".utf8) + [0xE9, 13, 10, 13, 10]
            return LoopbackReply(.bytes($0.answer.head().dropLast(2) + field + $0.answer.content))
        },
        Fault("sends 10,000 fields", .error("head_too_large"), in: .all) {
            $0.answer.with { $0.fields += (0..<10_000).map { ("X-Field-\($0)", "x") } }.reply
        },
        Fault("sends a field of 1 MiB", .error("head_too_large"), in: .all) {
            $0.answer.with { $0.fields.append(("X-Long", String(repeating: "x", count: 1 << 20))) }.reply
        },
        Fault("sends a field for ever", .error("head_too_large")) { _ in
            LoopbackReply(
                .bytes(Array("HTTP/1.1 200 OK\r\nX-Long: ".utf8)), .endless(Array(repeating: 0x78, count: 4096)))
        },
        Fault("sends fields for ever", .error("head_too_large")) { _ in
            LoopbackReply(
                .bytes(Array("HTTP/1.1 200 OK\r\n".utf8)),
                .endless(Array(String(repeating: "X-Field: x\r\n", count: 400).utf8)))
        },
        Fault("sends 100 Continue first", .page, in: .all) { preceded($0, by: "HTTP/1.1 100 Continue\r\n\r\n") },
        Fault("sends 1,000 times 103 first", .page, in: .all) {
            preceded(
                $0, by: String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n", count: 1000))
        },
        Fault("switches protocols unasked", .error("status")) {
            preceded($0, by: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        },
    ]

    /// The good answer with a line more at the end of its head.
    private static func spoiltHead(_ occasion: FaultServer.Occasion, _ line: String) -> LoopbackReply {
        LoopbackReply(
            .bytes(occasion.answer.head().dropLast(2) + Array("\(line)\r\n\r\n".utf8) + occasion.answer.content))
    }

    private static func spoiltHead(_ occasion: FaultServer.Occasion, _ change: (String) -> String) -> LoopbackReply {
        let head = change(String(decoding: occasion.answer.head(), as: UTF8.self))
        return LoopbackReply(.bytes(Array(head.utf8) + occasion.answer.content))
    }

    private static func preceded(_ occasion: FaultServer.Occasion, by text: String) -> LoopbackReply {
        LoopbackReply(steps: [.bytes(Array(text.utf8))] + occasion.answer.reply.steps)
    }
}
