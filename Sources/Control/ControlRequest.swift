package import Catalog

/// What the command line asks the service for: one stream, one connection.
package enum ControlRequest: Sendable, Equatable {
    case trigger(RunWish)
    case pause(StreamName)
    case resume(StreamName)
}

extension ControlRequest: Codable {
    private enum Command: String, Codable { case trigger, pause, resume }

    private enum Key: String, CodingKey {
        case command, stream, wait
        case requestID = "request_id"
        case restarts = "full_refresh"
        case maximumPages = "max_pages"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let name = try members.decode(String.self, forKey: .stream)
        guard let stream = StreamName(full: name) else { throw Self.invalid(.stream, in: members) }
        switch try members.decode(Command.self, forKey: .command) {
        case .pause: self = .pause(stream)
        case .resume: self = .resume(stream)
        case .trigger:
            let requestID = try members.decode(String.self, forKey: .requestID)
            guard RunWish.isRequestID(requestID) else { throw Self.invalid(.requestID, in: members) }
            let maximumPages = try members.decodeIfPresent(Int.self, forKey: .maximumPages)
            guard maximumPages ?? 1 >= 1 else { throw Self.invalid(.maximumPages, in: members) }
            self = .trigger(
                RunWish(
                    stream, requestID: requestID, waits: try members.decodeIfPresent(Bool.self, forKey: .wait) ?? false,
                    restarts: try members.decodeIfPresent(Bool.self, forKey: .restarts) ?? false,
                    maximumPages: maximumPages))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .pause(let stream):
            try members.encode(Command.pause, forKey: .command)
            try members.encode(stream.description, forKey: .stream)
        case .resume(let stream):
            try members.encode(Command.resume, forKey: .command)
            try members.encode(stream.description, forKey: .stream)
        case .trigger(let wish):
            try members.encode(Command.trigger, forKey: .command)
            try members.encode(wish.stream.description, forKey: .stream)
            try members.encode(wish.requestID, forKey: .requestID)
            try members.encode(wish.waits, forKey: .wait)
            try members.encode(wish.restarts, forKey: .restarts)
            try members.encodeIfPresent(wish.maximumPages, forKey: .maximumPages)
        }
    }

    private static func invalid(_ key: Key, in members: KeyedDecodingContainer<Key>) -> DecodingError {
        .dataCorruptedError(forKey: key, in: members, debugDescription: "not a valid '\(key.rawValue)'")
    }
}
