import Connections
import Hummingbird
import HummingbirdCore
import GarnerLibC
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The animals' API on 127.0.0.1, available while `serve` runs.
package struct AnimalServer: Sendable {
    /// The base URL `http://127.0.0.1:PORT/`, with the slash.
    package let baseURL: String
    private let zoo: ServerState

    /// The number of requests received so far, whatever their responses.
    package var requestCount: Int { zoo.requestCount }

    /// Answers from this edition from now on.
    package func show(_ edition: DataVersion) {
        zoo.show(edition)
    }

    /// Serves while `body` runs, and has stopped when this returns or throws.
    ///
    /// Open connections are closed: those with an active request after its response, and all of them after a second.
    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - seed: Fixes the sequence of random animals. Without it, each run has its own.
    ///   - maximumConnections: The number of connections that may be open at once.
    /// - Throws: `AnimalServerError` if the server does not start, `CancellationError` if it is cancelled
    ///   before that, and the errors of `body`.
    package static func serve<R: Sendable>(
        port: Int = 0,
        edition: DataVersion = .first,
        seed: UInt64? = nil,
        maximumConnections: Int = OpenConnections.most,
        _ body: @Sendable (AnimalServer) async throws -> R
    ) async throws -> R {
        guard (0...65_535).contains(port) else { throw AnimalServerError.portOutOfRange(port) }
        let zoo = ServerState(edition: edition, seed: seed ?? UInt64.random(in: .min ... .max))
        let (boundPorts, bound) = AsyncStream.makeStream(of: Int.self)
        let service = service(zoo: zoo, port: port, maximumConnections: maximumConnections) { bound.yield($0) }

        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { bound.finish() }
                try await service.run()
            }
            guard let boundPort = await boundPorts.first(where: { _ in true }) else {
                do {
                    try await tasks.waitForAll()
                } catch {
                    try Task.checkCancellation()
                    throw AnimalServerError(error, port: port)
                }
                throw CancellationError()
            }
            do {
                let server = AnimalServer(baseURL: LoopbackContext.baseURL(port: boundPort), zoo: zoo)
                let result = try await body(server)
                await service.triggerGracefulShutdown()
                return result
            } catch {
                await service.triggerGracefulShutdown()
                throw error
            }
        }
    }

    private static func service(
        zoo: ServerState, port: Int, maximumConnections: Int, onBound: @escaping @Sendable (Int) -> Void
    ) -> ServiceGroup {
        let logger = Logger(label: "animals") { _ in SwiftLogNoOpLogHandler() }
        let connections = OpenConnections(limit: maximumConnections, logger: logger)
        let application = Application(
            router: AnimalRoutes(zoo: zoo).router(),
            server: HTTPServerBuilder { responder in
                DeferredChannel(
                    HTTP1Channel(
                        responder: responder,
                        configuration: .init(
                            additionalChannelHandlers: [ConnectionCounter(in: connections)], idleTimeout: .seconds(30)))
                )
            },
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port),
                // Until one too many is closed, both are open.
                availableConnectionsDelegate: MaximumAvailableConnections(connections.limit + 8)),
            onServerRunning: { channel in onBound(channel.localAddress?.port ?? port) },
            logger: logger
        )
        var configuration = ServiceGroupConfiguration(services: [application], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        return ServiceGroup(configuration: configuration)
    }
}

/// The reason why the animals' server did not start.
package enum AnimalServerError: Error, Equatable, CustomStringConvertible {
    case portOutOfRange(Int)
    case portInUse(Int)
    /// Ports below 1024 often need privileges.
    case portForbidden(Int)
    case cannotListen(port: Int, reason: String)

    init(_ cause: any Error, port: Int) {
        switch (cause as? IOError)?.errnoCode {
        case EADDRINUSE: self = .portInUse(port)
        case EACCES: self = .portForbidden(port)
        default: self = .cannotListen(port: port, reason: "\(cause)")
        }
    }

    package var description: String {
        switch self {
        case .portOutOfRange(let port): "\(port) is not a port: a port is a number from 0 to 65535"
        case .portInUse(let port): "port \(port) of 127.0.0.1 is in use by another program"
        case .portForbidden(let port): "this user may not listen on port \(port) of 127.0.0.1"
        case .cannotListen(let port, let reason): "cannot listen on port \(port) of 127.0.0.1: \(reason)"
        }
    }
}

/// The state that changes while the server runs: the current edition, the dice, and the number of requests.
final class ServerState: Sendable {
    private struct State {
        var edition: DataVersion
        var dice: SplitMix64
        var requestCount = 0
    }

    private let state: Mutex<State>

    init(edition: DataVersion, seed: UInt64) {
        state = Mutex(State(edition: edition, dice: SplitMix64(seed: seed)))
    }

    var edition: DataVersion { state.withLock { $0.edition } }
    var animals: [Animal] { edition.animals }
    var requestCount: Int { state.withLock { $0.requestCount } }

    func animal(id: Int) -> Animal? {
        animals.first { $0.id == id }
    }

    /// Returns `count` different animals, drawn anew each time, or fewer if there are no more.
    func randomAnimals(_ count: Int) -> ArraySlice<Animal> {
        state.withLock { $0.edition.animals.shuffled(using: &$0.dice).prefix(count) }
    }

    func show(_ edition: DataVersion) {
        state.withLock { $0.edition = edition }
    }

    func countRequest() {
        state.withLock { $0.requestCount += 1 }
    }
}

/// Counts every request, allows only reading, and turns each failure into the uniform `RefusalError`.
struct RequestCountingMiddleware: RouterMiddleware {
    let zoo: ServerState

    func handle(
        _ request: Request,
        context: LoopbackContext,
        next: @concurrent (Request, LoopbackContext) async throws -> Response
    ) async throws -> Response {
        zoo.countRequest()
        let response: Response
        do {
            guard request.method == .get || request.method == .head else {
                throw RefusalError.readOnly(method: request.method.rawValue)
            }
            response = try await next(request, context)
        } catch let refusal as RefusalError {
            response = refusal.response
        } catch let error as HTTPError where error.status == .notFound {
            response = RefusalError.missing("there is nothing at \(request.uri.path)").response
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// A request's context that knows the address at which the request arrived, and so the URLs for the response.
struct LoopbackContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The base URL, with a final slash.
    let baseURL: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        baseURL = Self.baseURL(port: source.channel.localAddress?.port)
    }

    static func baseURL(port: Int?) -> String {
        port.map { "http://127.0.0.1:\($0)/" } ?? "http://127.0.0.1/"
    }
}
