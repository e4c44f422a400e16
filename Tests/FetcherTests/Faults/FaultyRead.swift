import GarnerCatalog
import GarnerModel
import TestSupport
@testable import GarnerFetcher

/// The outcome of a read of three pages with a fault on one of them.
struct FaultyRead: Sendable {
    /// The records of all pages that came in, as JSON texts; `unchanged` for a page that is not sent again.
    var records: [String] = []
    /// The error that ended the read before its last page.
    var error: FetchError?
    /// The number of requests for the page with the fault.
    var requests = 0

    /// Reads with patience all pages but the one with the fault, which is asked for twice at most.
    init(_ fault: Fault, on page: Int, in framing: GoodAnswer.Framing) async throws {
        let server = FaultServer(fault, on: page, in: framing)
        switch fault.place {
        case .server, .secureServer:
            self = try await server.serve { loopback in
                let isSecure = if case .secureServer = fault.place { true } else { false }
                let base = (isSecure ? "https://127.0.0.1:\(loopback.port)" : loopback.url) + "/v1/"
                return try await Self.reading(fault, on: page, from: base)
            }
            // Redirects are requests, too, but no repetitions.
            if isServed { requests = server.requests }
            requests = max(requests, server.sessionRequests)
        case .refusingPort:
            let port = try RefusingPort()
            self = try await Self.reading(fault, on: page, from: "http://127.0.0.1:\(port.number)/v1/")
        case .closingPort(let resets):
            self = try await ClosingPort.open(resets: resets) { port in
                try await Self.reading(fault, on: page, from: "http://127.0.0.1:\(port)/v1/")
            }
        case .tlsServer(let certificate, let requiresClient):
            let context = try TestCertificates.get().context(certificate, requiresClient: requiresClient)
            self = try await server.serve(tls: context) { loopback in
                try await Self.reading(fault, on: page, from: loopback.url + "/v1/")
            }
        case .unknownHost:
            self = try await Self.reading(fault, on: page, from: "http://garner.invalid/v1/")
        }
    }

    /// True if the server saw every request; a deadline, for example, may end a request before the server sees it.
    private var isServed: Bool {
        switch error?.kind {
        case nil, .redirect: true
        default: false
        }
    }

    private init() {}

    private static func reading(_ fault: Fault, on page: Int, from base: String) async throws -> FaultyRead {
        let patient = stream(at: base, path: "animals") { $0.retry.maxAttempts = 3 }
        let hasty = stream(at: base, path: "animals") {
            $0.retry.maxAttempts = 2
            fault.change(&$0)
        }
        // One client, and so one set of connections, for both.
        let transports = Transports(userAgent: "garner/test")
        var both = hasty
        both.limits.connect = patient.limits.connect
        let connections = try transports.transport(for: both)
        let transport: any Transport =
            if case .secureServer = fault.place { WithoutTLS(transport: connections) } else { connections }
        let traffic = SourceTraffic(of: patient, clock: timing().clock)
        let fetchers = try [patient, hasty].map {
            try PageFetcher(stream: $0, transport: transport, timing: timing(), traffic: traffic)
        }
        var read = FaultyRead()
        do {
            try await read.go(fault, on: page, fetchers: (patient: fetchers[0], hasty: fetchers[1]))
        } catch let error as FetchError {
            read.error = error
            read.requests = error.request?.attempts ?? 0
        } catch {
            try await transports.shutdown()
            throw error
        }
        try await transports.shutdown()
        return read
    }

    private mutating func go(
        _ fault: Fault, on page: Int, fetchers: (patient: PageFetcher, hasty: PageFetcher)
    ) async throws {
        var trail = VisitedPages(stream: StreamName(source: "zoo", stream: "animals"))
        var next: PagePosition? = try fetchers.patient.firstPosition
        if !fault.place.hasPages, page > 0 {
            // As a read that goes on where an earlier run ended.
            next = PagePosition(url: try fetchers.patient.firstPosition.url + "?page=\(page)", number: page)
        }
        while let position = next {
            try trail.visit(position)
            let isFaulty = position.number == page
            let memory =
                fault.isRemembered && isFaulty ? try await fetchers.patient.page(at: position).memory : nil
            let fetcher = isFaulty ? fetchers.hasty : fetchers.patient
            let page = try await fetcher.page(at: position, remembered: memory.flatMap(ParsedCachedPage.init))
            records += page.texts
            next = page.next
        }
    }
}

/// Sends in the open what is meant for https, so that a server without a certificate can stand behind such a URL.
private struct WithoutTLS: Transport {
    let transport: any Transport

    func send(_ request: Request) async throws -> Response {
        var request = request
        request.address = WebAddress("\(request.address)".replacing("https://", with: "http://")) ?? request.address
        return try await transport.send(request)
    }
}
