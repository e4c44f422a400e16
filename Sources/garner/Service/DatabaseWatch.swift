import Persistence
import ServiceLifecycle

/// Ends the service when it has lost its database: it would live on, and nothing that it did would be found.
struct DatabaseWatch: Service {
    static let interval = Duration.seconds(5)
    /// A checkpoint of another program can look like a loss. It has ended by then.
    static let secondThought = Duration.seconds(1)

    let store: Store
    let clock: any Clock<Duration>

    /// Throws what has become of the file; returns when the service ends for another reason.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while (try? await clock.sleep(for: Self.interval)) != nil {
                if (try? await store.checkFile()) != nil { continue }
                guard (try? await clock.sleep(for: Self.secondThought)) != nil else { return }
                do { try await store.checkFile() } catch is CancellationError { return }
            }
        }
    }
}
