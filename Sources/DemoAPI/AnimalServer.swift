import Hummingbird
import Logging
import ServiceLifecycle

/// The animals' API on 127.0.0.1, for as long as `serve` runs.
package struct AnimalServer: Sendable {
    /// `http://127.0.0.1:PORT/`, with the slash.
    package let baseURL: String
    private let zoo: Zoo

    /// The number of requests received so far, whatever the answer was.
    package var requestCount: Int { zoo.requestCount }

    /// Answers from this edition from now on.
    package func show(_ edition: Edition) {
        zoo.show(edition)
    }

    /// Serves while `body` runs, and has stopped when this returns or throws.
    ///
    /// Open connections are closed, those with a request under way after its answer, and all of them after a second.
    /// - Parameters:
    ///   - port: 0 for one that is free.
    ///   - seed: fixes the sequence of random animals; without it, each run has its own.
    /// - Throws: `AnimalServerError` when the server does not start, `CancellationError` when it is cancelled
    ///   before that, and what `body` throws.
    package static func serve<R: Sendable>(
        port: Int = 0,
        edition: Edition = .first,
        seed: UInt64? = nil,
        _ body: @Sendable (AnimalServer) async throws -> R
    ) async throws -> R {
        guard (0...65_535).contains(port) else { throw AnimalServerError.portOutOfRange(port) }
        let zoo = Zoo(edition: edition, seed: seed ?? UInt64.random(in: .min ... .max))
        let (boundPorts, bound) = AsyncStream.makeStream(of: Int.self)
        let service = service(zoo: zoo, port: port) { bound.yield($0) }

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
        zoo: Zoo, port: Int, onBound: @escaping @Sendable (Int) -> Void
    ) -> ServiceGroup {
        let logger = Logger(label: "animals") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: AnimalRoutes(zoo: zoo).router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in onBound(channel.localAddress?.port ?? port) },
            logger: logger
        )
        var configuration = ServiceGroupConfiguration(services: [application], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        return ServiceGroup(configuration: configuration)
    }
}
