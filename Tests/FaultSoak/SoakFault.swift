import GarnerCatalog
import TestSupport

/// Faults that cost little, one of each kind of end that a connection and a body can have.
enum SoakFault: String, CaseIterable {
    case close, reset, closeInBody, resetInBody, html, failure, brokenJSON, brokenGzip, noHTTP, nothing, circle, page
    case refusal, largeHead, stallInHead, stallInBody

    /// The stalls come seldom, since they take their time.
    init(number: Int) {
        let stalls: [Self] = [.stallInHead, .stallInBody]
        let others = Self.allCases.filter { !stalls.contains($0) }
        self = number % 50 == 0 ? stalls[number / 50 % 2] : others[number % others.count]
    }

    init(target: String) { self = Self(rawValue: String(target.dropFirst())) ?? .page }

    var target: String { "/\(rawValue)" }

    var outcome: String {
        switch self {
        case .close, .reset: "connection_closed"
        case .closeInBody, .resetInBody: "incomplete_body"
        case .html: "media_type"
        case .failure: "status"
        case .brokenJSON: "json"
        case .brokenGzip: "decompression"
        case .noHTTP: "malformed_response"
        case .nothing: "empty_body"
        case .circle: "redirect"
        case .page: "page"
        case .refusal: "connection_refused"
        case .largeHead: "head_too_large"
        case .stallInHead: "first_byte_deadline"
        case .stallInBody: "idle_deadline"
        }
    }

    var reply: LoopbackReply {
        switch self {
        case .close: LoopbackReply(.close)
        case .reset: LoopbackReply(.reset)
        case .closeInBody: half.then(.close)
        case .resetInBody: half.then(.reset)
        case .html: .response(headers: [("Content-Type", "text/html")], body: "<p>Log in")
        case .failure: .status(500)
        case .brokenJSON: .json("[{")
        case .brokenGzip:
            .response(
                headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: Gzip.header)
        case .noHTTP: .raw("SSH-2.0-OpenSSH_9.2\r\n")
        case .nothing: .json("")
        case .circle: .response(status: 302, headers: [("Location", target)])
        case .page, .refusal: .json("[{}]")
        case .largeHead: .json("[]", headers: [("X-Long", String(repeating: "x", count: 2000))])
        case .stallInHead: .raw("HTTP/1.1 200 OK\r\nContent-Ty", then: .stall)
        case .stallInBody: half.then(.stall)
        }
    }

    private var half: LoopbackReply {
        .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[{}")
    }

    /// Returns the limits, shortened for the faults that stall.
    func shortened(_ limits: Limits) -> Limits {
        var limits = limits
        switch self {
        case .stallInHead: (limits.connect, limits.firstByte) = (.milliseconds(20), .milliseconds(30))
        case .stallInBody: limits.idle = .milliseconds(50)
        default: break
        }
        return limits
    }
}
