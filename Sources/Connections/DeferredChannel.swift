package import HummingbirdCore
package import Logging
package import NIOCore

/// A server's connections, which are set up when they are served and not when they are accepted.
///
/// A server that ends drops those that it has accepted and not served. Hummingbird wraps each accepted connection in a
/// `NIOAsyncChannel`, which traps when it is dropped unserved.
package struct DeferredChannel<Served: ServerChildChannel>: ServerChildChannel {
    private let served: Served

    package init(_ served: Served) { self.served = served }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        // The client's bytes wait for the handlers that read them.
        channel.setOption(.autoRead, value: false).map { AcceptedConnection(channel) }
    }

    package func handle(value connection: AcceptedConnection, logger: Logger) async {
        // It closes its channel when it goes.
        defer { withExtendedLifetime(connection) {} }
        let channel = connection.channel
        let setUp = channel.eventLoop.flatSubmit { served.setup(channel: channel, logger: logger) }
        // It fails if the client has gone.
        guard let value = try? await setUp.get() else { return }
        channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
        await served.handle(value: value, logger: logger)
    }
}

/// An accepted connection. It is closed when nobody holds it any more.
package final class AcceptedConnection: ServerChildChannelValue {
    package let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    deinit { channel.close(promise: nil) }
}
