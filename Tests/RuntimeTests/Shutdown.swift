import Logging
import ServiceLifecycle

/// A group of services that is shut down when a test wants it.
enum Shutdown {
    static func run(_ service: some Service, until end: AsyncStream<Void>) async throws {
        try await ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: service),
                    .init(service: End(end: end), successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        ).run()
    }

    private struct End: Service {
        let end: AsyncStream<Void>

        func run() async {
            await cancelWhenGracefulShutdown { for await _ in end {} }
        }
    }
}
