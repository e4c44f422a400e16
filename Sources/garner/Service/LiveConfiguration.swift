import Catalog
import Synchronization

/// What is served: replaced as a whole when the file is read again.
final class LiveConfiguration: Sendable {
    private struct State {
        var configuration: Configuration
        var streams: [StreamName: Catalog.Stream]
    }

    private let state: Mutex<State>

    init(_ configuration: Configuration) {
        state = Mutex(State(configuration: configuration, streams: Self.byName(configuration)))
    }

    var configuration: Configuration { state.withLock(\.configuration) }

    subscript(name: StreamName) -> Catalog.Stream? { state.withLock { $0.streams[name] } }

    func replace(with configuration: Configuration) {
        let streams = Self.byName(configuration)
        state.withLock { $0 = State(configuration: configuration, streams: streams) }
    }

    private static func byName(_ configuration: Configuration) -> [StreamName: Catalog.Stream] {
        Dictionary(configuration.streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
