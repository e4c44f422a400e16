package import GarnerModel

/// A request of the command line to the service: one stream, one connection.
package enum ControlRequest: Sendable, Equatable {
    case trigger(RunRequest, waits: Bool)
    case pause(StreamName)
    case resume(StreamName)
    /// Asks what is to be known of the service itself. The file is the one that the command has read, by its whole path.
    case notices(file: String?)
    /// Sends what waits to PostgreSQL, and makes these tables again.
    case publish(tables: [String], takesOver: Bool)
    /// Loads quarantined records of a stream again, or drops them: the one of a number, or all.
    case quarantine(StreamName, record: Int64?, drops: Bool)
    /// Has a worker give back the shard that the request is for, once its runs have ended.
    case giveBack
}

extension ControlRequest: Codable {
    private enum Command: String, Codable {
        case trigger, pause, resume, notices, publish, quarantine
        case giveBack = "give_back"
    }

    private enum Key: String, CodingKey {
        case command, stream, wait, tables, file, record, drop
        case requestID = "request_id"
        case restarts = "full_refresh"
        case maximumPages = "max_pages"
        case takesOver = "take_over"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let command = try members.decode(Command.self, forKey: .command)
        switch command {
        case .notices: self = .notices(file: try members.decodeIfPresent(String.self, forKey: .file))
        case .publish:
            self = .publish(
                tables: try members.decodeIfPresent([String].self, forKey: .tables) ?? [],
                takesOver: try members.decodeIfPresent(Bool.self, forKey: .takesOver) ?? false)
        case .giveBack: self = .giveBack
        case .trigger, .pause, .resume, .quarantine: self = try Self.ofStream(command, members)
        }
    }

    private static func ofStream(_ command: Command, _ members: KeyedDecodingContainer<Key>) throws -> Self {
        let name = try members.decode(String.self, forKey: .stream)
        guard let stream = StreamName(full: name) else { throw invalid(.stream, in: members) }
        switch command {
        case .pause: return .pause(stream)
        case .resume: return .resume(stream)
        case .quarantine:
            return .quarantine(
                stream, record: try members.decodeIfPresent(Int64.self, forKey: .record),
                drops: try members.decodeIfPresent(Bool.self, forKey: .drop) ?? false)
        case .trigger, .notices, .publish, .giveBack:
            let requestID = try members.decode(String.self, forKey: .requestID)
            guard RunRequest.isID(requestID) else { throw invalid(.requestID, in: members) }
            let maximumPages = try members.decodeIfPresent(Int.self, forKey: .maximumPages)
            guard maximumPages ?? 1 >= 1 else { throw invalid(.maximumPages, in: members) }
            return .trigger(
                RunRequest(
                    requestID, of: stream,
                    restarts: try members.decodeIfPresent(Bool.self, forKey: .restarts) ?? false,
                    maximumPages: maximumPages),
                waits: try members.decodeIfPresent(Bool.self, forKey: .wait) ?? false)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .notices(let file):
            try members.encode(Command.notices, forKey: .command)
            try members.encodeIfPresent(file, forKey: .file)
        case .publish(let tables, let takesOver):
            try members.encode(Command.publish, forKey: .command)
            try members.encode(tables, forKey: .tables)
            try members.encode(takesOver, forKey: .takesOver)
        case .giveBack: try members.encode(Command.giveBack, forKey: .command)
        case .quarantine(let stream, let record, let drops):
            try members.encode(Command.quarantine, forKey: .command)
            try members.encode(stream.description, forKey: .stream)
            try members.encodeIfPresent(record, forKey: .record)
            try members.encode(drops, forKey: .drop)
        case .pause(let stream):
            try members.encode(Command.pause, forKey: .command)
            try members.encode(stream.description, forKey: .stream)
        case .resume(let stream):
            try members.encode(Command.resume, forKey: .command)
            try members.encode(stream.description, forKey: .stream)
        case .trigger(let request, let waits):
            try members.encode(Command.trigger, forKey: .command)
            try members.encode(request.stream.description, forKey: .stream)
            try members.encode(request.id, forKey: .requestID)
            try members.encode(waits, forKey: .wait)
            try members.encode(request.scope.restarts, forKey: .restarts)
            try members.encodeIfPresent(request.scope.maximumPages, forKey: .maximumPages)
        }
    }

    private static func invalid(_ key: Key, in members: KeyedDecodingContainer<Key>) -> DecodingError {
        .dataCorruptedError(forKey: key, in: members, debugDescription: "not a valid '\(key.rawValue)'")
    }
}

/// A reply of the service: `accepted` or `joined` at once, then `ended` if the client waits for the end, or `published`; `done`
/// or `refused` alone.
package enum ControlReply: Sendable, Equatable {
    /// A run will begin for the request.
    case accepted
    /// A run that was requested before also serves this request. Its number is set if it has begun.
    case joined(run: RunID?)
    /// The run has ended; the runs table has its result.
    case ended(run: RunID)
    /// The pause, or its end, is stored.
    case done
    case notices([ServiceNotice])
    case published(PublicationAnswer)
    case refused(ControlError)
}

extension ControlReply: Codable {
    private enum Event: String, Codable { case accepted, joined, ended, done, notices, published, refused }

    private enum Key: String, CodingKey {
        case event
        case run = "run_id"
        case notices, publication
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        self =
            switch try members.decode(Event.self, forKey: .event) {
            case .accepted: .accepted
            case .joined: .joined(run: try members.decodeIfPresent(RunID.self, forKey: .run))
            case .ended: .ended(run: try members.decode(RunID.self, forKey: .run))
            case .done: .done
            case .notices: .notices(try members.decode([ServiceNotice].self, forKey: .notices))
            case .published: .published(try members.decode(PublicationAnswer.self, forKey: .publication))
            case .refused: .refused(try ControlError(from: decoder))
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .accepted: try members.encode(Event.accepted, forKey: .event)
        case .joined(let run):
            try members.encode(Event.joined, forKey: .event)
            try members.encodeIfPresent(run, forKey: .run)
        case .ended(let run):
            try members.encode(Event.ended, forKey: .event)
            try members.encode(run, forKey: .run)
        case .done: try members.encode(Event.done, forKey: .event)
        case .notices(let notices):
            try members.encode(Event.notices, forKey: .event)
            try members.encode(notices, forKey: .notices)
        case .published(let answer):
            try members.encode(Event.published, forKey: .event)
            try members.encode(answer, forKey: .publication)
        case .refused(let refusal):
            try members.encode(Event.refused, forKey: .event)
            try refusal.encode(to: encoder)
        }
    }
}

/// The reason why a request is not fulfilled, from the service or from the client itself.
package struct ControlError: FailureConvertible, Equatable, Codable {
    package var category: ErrorCategory
    package var kind: String
    package var message: String
    package var hint: String?

    private enum CodingKeys: String, CodingKey {
        case category = "code"
        case kind, message, hint
    }

    package init(_ category: ErrorCategory, kind: String, message: String, hint: String? = nil) {
        self.category = category
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// The service's configuration does not have the stream.
    package init(unknown stream: StreamName) {
        self.init(
            .misconfigured, kind: "unknown_stream", message: "the running service does not know the stream \(stream)",
            hint:
                "if it is new in the service's file, reload that with SIGHUP, or restart the service; if it is in another "
                + "file, write it into the service's file too, or run it when the service has stopped")
    }

    package var failure: RunFailure {
        RunFailure(
            category, kind: kind, message: message, hint: self == .lost ? .seeWhatBecameOfRun : hint.map(Hint.text))
    }

    package static let stopping = ControlError(
        .busy, kind: "stopping", message: "the running service is about to stop",
        hint: "try again when it has stopped")
}

// The errors that one end finds in the other.
extension ControlError {
    static let busy = ControlError(
        .busy, kind: "busy", message: "the running service has too many clients",
        hint: "try again later")

    static let noRequest = ControlError(
        .busy, kind: "no_request", message: "no request came in time", hint: "send one line of JSON")

    package static let noReply = ControlError(
        .busy, kind: "no_reply", message: "the running service does not answer",
        hint: "see its log, and restart it if it hangs")

    package static let lost = ControlError(
        .busy, kind: "lost", message: "the running service has gone before it answered")

    static let hungUp = ControlError(
        .busy, kind: "hung_up", message: "the running service closed the connection without an answer",
        hint: "see its log, and try again")

    /// True if a retry may succeed a moment later: the service is busy, or too busy even to say so.
    var isForWantOfPlace: Bool { [Self.busy.kind, Self.hungUp.kind].contains(kind) }

    static let otherAnswer = ControlError.misunderstood("it answers something else")

    package static func unreachable(_ reason: String) -> ControlError {
        ControlError(
            .busy, kind: "unreachable", message: "the running service cannot be reached: \(reason)",
            hint: "check whether it is still running, and try again")
    }

    static func tooLong(_ limit: Int) -> ControlError {
        ControlError(
            .bug, kind: "line_too_long", message: "a line has more than \(limit) bytes",
            hint: "use a garner of the same version as the service")
    }

    static func misunderstood(_ reason: String) -> ControlError {
        ControlError(
            .bug, kind: "not_understood", message: "the other side sent an unknown message: \(reason)",
            hint: "use a garner of the same version as the service")
    }
}

/// The service's answer to a request for a run.
package enum TriggerReply: Sendable, Equatable {
    /// A run will begin for the request.
    case accepted
    /// A run that was requested before also serves this request. Its number is set if it has begun.
    case joined(run: RunID?)
    /// The same request was made before, and its run has ended.
    case ended(run: RunID)
}
