import Catalog
import TestSupport
import Testing

/// What a server does otherwise than a good one, and what comes of it. `docs/faults.md` has a row for each.
struct Fault: Sendable, CustomTestStringConvertible {
    /// What the read of three pages comes to, the fault being on one of them.
    enum Outcome: Sendable, Equatable {
        /// As if nothing had been wrong.
        case page
        /// The page is read, and is the last.
        case end
        /// The page is the one that is remembered.
        case unchanged
        /// An error of that name; nothing of the page is read.
        case error(String)
        /// The page is read, and an error of that name is behind it.
        case pageThenError(String)
    }

    /// Where the fault is met.
    enum Place: Sendable {
        case server
        /// A server that is known by an https URL, with the transport's TLS left out.
        case secureServer
        case refusingPort
        /// Ends every connection as soon as it is there.
        case closingPort(resets: Bool)
        case unknownHost

        /// Whether any page comes from there.
        var hasPages: Bool {
            switch self {
            case .server, .secureServer: true
            case .refusingPort, .closingPort, .unknownHost: false
            }
        }
    }

    /// As `docs/faults.md` calls it.
    let name: String
    let outcome: Outcome
    /// Whether the page is asked for again.
    let isRetried: Bool
    let framings: [GoodAnswer.Framing]
    /// Which pages of the read it can be on.
    var pages = [0, 1]
    var place = Place.server
    /// Whether the page was read before, and is asked for with its validator.
    var isRemembered = false
    /// How the stream is configured while it reads the page; connecting has patience whatever this says.
    var change: @Sendable (inout Catalog.Stream) -> Void = { _ in }
    /// nil for the good answer.
    let reply: @Sendable (FaultServer.Occasion) -> LoopbackReply?

    /// - Parameter retried: nil: where its outcome is a failure that may pass, named in `passing`.
    init(
        _ name: String, _ outcome: Outcome, retried: Bool? = nil, in framings: [GoodAnswer.Framing] = [.plain],
        reply: @escaping @Sendable (FaultServer.Occasion) -> LoopbackReply? = { _ in nil }
    ) {
        self.name = name
        self.outcome = outcome
        self.framings = framings
        self.reply = reply
        isRetried = retried ?? Self.passing.contains(outcome.description)
    }

    /// What is asked for again unless a fault says otherwise.
    private static let passing = [
        "connection_closed", "connection_refused", "unknown_host", "incomplete_body", "first_byte_deadline",
        "idle_deadline", "total_deadline",
    ]

    func with(_ change: (inout Fault) -> Void) -> Fault {
        var fault = self
        change(&fault)
        return fault
    }

    func limited(_ change: @escaping @Sendable (inout Limits) -> Void) -> Fault {
        with { $0.change = { change(&$0.limits) } }
    }

    var testDescription: String { name }

    static let all: [Fault] =
        connection + slowness + head + length + content + compression + statuses + waits + redirects + paging
        + conditions
}

extension Fault.Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .page: "page"
        case .end: "end"
        case .unchanged: "unchanged"
        case .error(let name): name
        case .pageThenError(let name): "page, then \(name)"
        }
    }
}
