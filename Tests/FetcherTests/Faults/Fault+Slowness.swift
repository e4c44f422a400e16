import GarnerCatalog
import TestSupport

extension Fault {
    /// The server is slower than the limits allow.
    static let slowness: [Fault] = [
        Fault("says nothing", .error("first_byte_deadline")) { _ in LoopbackReply(.stall) }
            .limited(shortFirstByte),
        Fault("stalls inside the head", .error("first_byte_deadline"), in: .all) { $0.answer.cutHead(then: .stall) }
            .limited(shortFirstByte),
        Fault("sends the head at a byte a second", .error("first_byte_deadline")) {
            LoopbackReply(steps: LoopbackReply.drip($0.answer.head(), every: .seconds(1)))
        }.limited(shortFirstByte),
        Fault("stalls behind the head", .error("idle_deadline"), in: .all) { $0.answer.cut(after: 0, then: .stall) }
            .limited { $0.idle = .milliseconds(150) },
        Fault("stalls inside the body", .error("idle_deadline"), in: .all) { $0.answer.cut(after: 30, then: .stall) }
            .limited { $0.idle = .milliseconds(150) },
        Fault("stalls before the last chunk", .error("idle_deadline"), in: [.chunked]) {
            $0.answer.cut(before: 5, then: .stall)
        }.limited { $0.idle = .milliseconds(150) },
        Fault("sends the body at a byte a second", .error("idle_deadline"), in: .all) {
            LoopbackReply(
                steps: [.bytes($0.answer.head())] + LoopbackReply.drip($0.answer.content, every: .seconds(1)))
        }.limited { $0.idle = .milliseconds(150) },
        Fault("sends the body a little faster than idle", .error("total_deadline"), in: .all) {
            LoopbackReply(
                steps: [.bytes($0.answer.head())] + LoopbackReply.drip($0.answer.content, every: .milliseconds(20)))
        }.limited { $0.total = .milliseconds(300) },
        Fault("sends 1xx for ever", .error("first_byte_deadline")) { _ in
            LoopbackReply(.endless(Array(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 100).utf8)))
        }.limited(shortFirstByte),
    ]

    /// The time for connecting is a part of the wait, since nobody tells when that is done.
    private static let shortFirstByte: @Sendable (inout Limits) -> Void = {
        $0.connect = .milliseconds(50)
        $0.firstByte = .milliseconds(200)
    }
}
