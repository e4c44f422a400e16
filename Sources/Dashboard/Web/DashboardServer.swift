import Connections
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
package import GarnerModel
import NIOCore
import NIOPosix
import ServiceLifecycle
import GarnerTasks

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

    /// The time that answers have to end when the server stops. A page that follows events, and one that nobody takes, would
    /// not end by themselves.
    private static let grace = Duration.seconds(1)

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

    /// Throws `ListenError` if nothing can listen on the address now. It takes the address for a moment, so that a service learns
    /// it before it begins any work.
    package func requireFreeAddress() async throws {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: address.host, port: address.port).get()
            try await channel.close()
        } catch {
            throw ListenError(error, at: address)
        }
    }

    package func run() async throws {
        let (address, onServing, dashboard) = (address, onServing, dashboard)
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let connections = OpenConnections(limit: dashboard.maximumConnections, logger: logger)
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                try await Self.response(to: request, of: dashboard)
            },
            server: HTTPServerBuilder {
                DeferredChannel(DashboardChannel(idleTime: Self.idleTime, among: connections, responder: $0))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                // Until one too many is closed, both are open.
                availableConnectionsDelegate: MaximumAvailableConnections(connections.limit + 8)),
            onServerRunning: { channel in onServing(channel.localAddress?.port ?? address.port) }, logger: quiet)
        do {
            try await race({ try await application.run() }) {
                try await gracefulShutdown()
                try await dashboard.clock.sleep(for: Self.grace)
            }
        } catch {
            throw ListenError(error, at: address)
        }
    }

    private static func response(to request: Request, of dashboard: Dashboard) async throws -> Response {
        let response = await dashboard.respond(to: try await webRequest(request))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let body = Self.body(of: response)
        if request.method == .head, let length = body.contentLength { fields[.contentLength] = "\(length)" }
        return Response(
            status: HTTPResponse.Status(code: response.status), headers: fields,
            body: request.method == .head ? ResponseBody() : body)
    }

    private static func webRequest(_ request: Request) async throws -> WebRequest {
        var (form, isFormTooLong) = (ByteBuffer(), false)
        if request.method == .post {
            do {
                form = try await request.body.collect(upTo: maximumForm)
            } catch is NIOTooManyBytesError {
                isFormTooLong = true
            }
        }
        // The first `Host` is not among the fields, a second one is.
        var headers = ["host": request.head.authority ?? ""]
        var repeated: String?
        for field in request.headers {
            let name = field.name.canonicalName
            if headers[name] == nil {
                headers[name] = field.value
            } else if Access.singleHeaders.contains(name) {
                repeated = name
            }
        }
        let method = WebRequest.Method(rawValue: request.method.rawValue) ?? .other
        var received = WebRequest(
            method, target: request.head.path ?? "/", headers: headers, body: Array(form.readableBytesView))
        received.isFormTooLong = isFormTooLong
        received.repeatedHeader = repeated
        return received
    }

    private static func body(of response: WebResponse) -> ResponseBody {
        switch response.body {
        case .bytes(let bytes): return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .parts(let parts): return ResponseBody(asyncSequence: parts.map { ByteBuffer(bytes: $0) })
        }
    }
}
