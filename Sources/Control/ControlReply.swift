/// What the service answers: `accepted` or `joined` at once, then `ended` where the end is waited for; `done` or
/// `refused` alone.
package enum ControlReply: Sendable, Equatable {
    /// A run will begin for it.
    case accepted
    /// A run that was wanted before serves it, too; its number where it has begun.
    case joined(run: Int64?)
    /// The run is over, well or not: the runs table says how.
    case ended(run: Int64)
    /// The stream is paused or resumed, and that is stored.
    case done
    case refused(ControlRefusal)
}

extension ControlReply: Codable {
    private enum Event: String, Codable { case accepted, joined, ended, done, refused }

    private enum Key: String, CodingKey {
        case event
        case run = "run_id"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        self =
            switch try members.decode(Event.self, forKey: .event) {
            case .accepted: .accepted
            case .joined: .joined(run: try members.decodeIfPresent(Int64.self, forKey: .run))
            case .ended: .ended(run: try members.decode(Int64.self, forKey: .run))
            case .done: .done
            case .refused: .refused(try ControlRefusal(from: decoder))
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
        case .refused(let refusal):
            try members.encode(Event.refused, forKey: .event)
            try refusal.encode(to: encoder)
        }
    }
}
