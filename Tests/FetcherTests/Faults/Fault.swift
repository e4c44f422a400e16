import GarnerCatalog
import TestSupport
import Testing

/// A deviation from what a good server does, and its outcome. `docs/faults.md` has a row for each fault.
struct Fault: Sendable, CustomTestStringConvertible {
    /// The outcome of a read of three pages with the fault on one of them.
    enum Outcome: Sendable, Equatable {
        /// The page is read as if nothing had been wrong.
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

    /// The place where the fault occurs.
    enum Place: Sendable {
        case server
        /// A server that is known by an https URL, with the transport's TLS left out.
        case secureServer
        case refusingPort
        /// Ends every connection as soon as it is there.
        case closingPort(resets: Bool)
        case unknownHost
        /// A server with TLS that shows this certificate, and may require one of the client.
        case tlsServer(TestCertificates.Server, requiresClient: Bool)

        /// True if the place can send a page.
        var hasPages: Bool {
            switch self {
            case .server, .secureServer: true
            case .refusingPort, .closingPort, .unknownHost, .tlsServer: false
            }
        }
    }

    /// The name that `docs/faults.md` uses.
    let name: String
    let outcome: Outcome
    /// True if the page is requested again.
    let isRetried: Bool
    let framings: [GoodAnswer.Framing]
    /// The pages of the read that can have the fault.
    var pages = [0, 1]
    var place = Place.server
    /// The records of the page that has the fault, as JSON texts; nil if they are those of the good answer.
    var records: [String]?
    /// True if the page was read before, and is requested with its validator.
    var isRemembered = false
    /// Changes the stream's configuration for the read of the page; the connect timeout stays long in any case.
    var change: @Sendable (inout StreamConfiguration) -> Void = { _ in }
    /// Makes the reply; nil stands for the good answer.
    let reply: @Sendable (FaultServer.Occasion) -> LoopbackReply?

    /// - Parameter retried: true if the page is requested again; nil: if its outcome is a failure in `passing`.
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

    /// The outcomes after which the page is requested again, unless a fault says otherwise.
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

    /// Changes the limits beside what the fault changes already.
    func alsoLimited(_ change: @escaping @Sendable (inout Limits) -> Void) -> Fault {
        with { fault in
            let first = fault.change
            fault.change = {
                first(&$0)
                change(&$0.limits)
            }
        }
    }

    var testDescription: String { name }

    static let all: [Fault] =
        connection + slowness + head + length + content + compression + statuses + waits + redirects + paging
        + conditions + logins + tokens + formats + shapes + certificates
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
