import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle

/// Serves a dashboard over HTTP until the service group shuts it down.
package struct DashboardServer: Service {
    package let dashboard: Dashboard
    package let address: ListenAddress
    let logger: Logger
    let onServing: @Sendable (Int) -> Void

    /// The size of a posted form, in bytes.
    private static let maximumForm = 64 << 10
    /// The time after which a connection that sends nothing is closed.
    private static let idleTime = TimeAmount.seconds(30)

    /// - Parameter onServing: Called with the port once requests are answered.
    package init(
        _ dashboard: Dashboard, at address: ListenAddress, logger: Logger,
        onServing: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.dashboard = dashboard
        self.address = address
        self.logger = logger
        self.onServing = onServing
    }

    package func run() async throws {
        let (address, onServing, dashboard) = (address, onServing, dashboard)
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                try await Self.response(to: request, of: dashboard)
            },
            server: .http1(configuration: .init(idleTimeout: Self.idleTime)),
            configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
            onServerRunning: { channel in onServing(channel.localAddress?.port ?? address.port) }, logger: quiet)
        do {
            try await application.run()
        } catch {
            throw ListenError(error, at: address)
        }
    }

    private static func response(to request: Request, of dashboard: Dashboard) async throws -> Response {
        let form = request.method == .post ? try await request.body.collect(upTo: maximumForm) : ByteBuffer()
        var headers: [String: String] = [:]
        for field in request.headers where headers[field.name.canonicalName] == nil {
            headers[field.name.canonicalName] = field.value
        }
        headers["host"] = request.head.authority ?? ""
        let method = WebRequest.Method(rawValue: request.method.rawValue) ?? .other
        let response = await dashboard.respond(
            to: WebRequest(
                method, target: request.head.path ?? "/", headers: headers, body: Array(form.readableBytesView)))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let body = Self.body(of: response)
        if method == .head, let length = body.contentLength { fields[.contentLength] = "\(length)" }
        return Response(
            status: HTTPResponse.Status(code: response.status), headers: fields,
            body: method == .head ? ResponseBody() : body)
    }

    private static func body(of response: WebResponse) -> ResponseBody {
        switch response.body {
        case .bytes(let bytes): return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .parts(let parts): return ResponseBody(asyncSequence: parts.map { ByteBuffer(bytes: $0) })
        }
    }
}

/// The address on which the dashboard listens: `127.0.0.1:8787`, `[::1]:8787`, `0.0.0.0:80`.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    package let host: String
    /// The port; 0 for a free one.
    package let port: Int

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Parses `HOST:PORT` or a port alone, which is one of this machine. Returns nil for anything else.
    package init?(_ text: String) {
        let (host, port): (Substring, Substring)
        if let colon = text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        } else {
            (host, port) = ("127.0.0.1", text[...])
        }
        guard let number = UInt16(port), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !host.isEmpty else {
            return nil
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed || !host.contains(":") else { return nil }
        self.init(host: isBracketed ? String(host.dropFirst().dropLast()) : String(host), port: Int(number))
    }

    /// True if only programs of this machine reach it.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    package func url(port: Int? = nil) -> String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port ?? self.port)/"
    }

    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
