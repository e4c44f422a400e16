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

    /// Takes secrets as their files hold them now, where nothing else has changed: the rest waits for a SIGHUP.
    ///
    /// - Parameter load: reads the configuration again.
    /// - Returns: whether any has changed.
    @discardableResult
    func refreshSecrets(_ load: () throws -> Configuration) -> Bool {
        let before = configuration
        guard before.fileSecrets != nil, let fresh = try? load(), fresh.isSameText(as: before),
            fresh.fileSecrets != before.fileSecrets
        else { return false }
        replace(with: fresh)
        return true
    }

    private static func byName(_ configuration: Configuration) -> [StreamName: Catalog.Stream] {
        Dictionary(configuration.streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
