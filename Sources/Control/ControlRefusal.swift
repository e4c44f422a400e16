package import Catalog

/// Why something that was asked for is not done: as the service says it, or as the client finds it.
package struct ControlRefusal: Error, Sendable, Equatable, Codable {
    /// The exit code that a program which asked only for this ends with.
    package var code: Int32
    package var kind: String
    package var message: String
    package var hint: String?

    package init(code: Int32, kind: String, message: String, hint: String? = nil) {
        self.code = code
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// The service's configuration does not have the stream.
    package init(unknown stream: StreamName) {
        self.init(
            code: 78, kind: "unknown_stream", message: "the running service does not know the stream \(stream)",
            hint: "have it read its configuration again: send it SIGHUP, or restart it")
    }

    package static let stopping = ControlRefusal(
        code: 75, kind: "stopping", message: "the running service is about to stop",
        hint: "try again when it has stopped")
}

// What either end finds of the other.
extension ControlRefusal {
    static let busy = ControlRefusal(
        code: 75, kind: "busy", message: "too many others are asking the running service",
        hint: "try again when some of them have their answers")

    static let noRequest = ControlRefusal(
        code: 75, kind: "no_request", message: "no request came in time", hint: "send one line of JSON")

    static let noReply = ControlRefusal(
        code: 75, kind: "no_reply", message: "the running service does not answer",
        hint: "see its log, and restart it if it hangs")

    static let lost = ControlRefusal(
        code: 75, kind: "lost", message: "the running service has gone before it answered",
        hint: "see its log, and 'garner runs' for what became of the run")

    static let hungUp = ControlRefusal(
        code: 75, kind: "hung_up", message: "the running service has hung up without an answer",
        hint: "see its log, and try again")

    /// True of what may be another matter a moment later: the service is busy, or so busy that it does not even say so.
    var isForWantOfPlace: Bool { [Self.busy.kind, Self.hungUp.kind].contains(kind) }

    static func unreachable(_ reason: String) -> ControlRefusal {
        ControlRefusal(
            code: 75, kind: "unreachable", message: "the running service cannot be reached: \(reason)",
            hint: "see whether it still runs, and try again")
    }

    static func tooLong(_ limit: Int) -> ControlRefusal {
        ControlRefusal(
            code: 70, kind: "line_too_long", message: "a line has more than \(limit) bytes",
            hint: "use a garner of the same version as the service")
    }

    static func misunderstood(_ reason: String) -> ControlRefusal {
        ControlRefusal(
            code: 70, kind: "not_understood", message: "the other side is not understood: \(reason)",
            hint: "use a garner of the same version as the service")
    }
}
