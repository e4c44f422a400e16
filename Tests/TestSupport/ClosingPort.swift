import GarnerLibC
import NIOCore
import NIOPosix

/// A loopback port that ends every connection as soon as it is accepted.
package enum ClosingPort {
    /// Runs `body` with the port's number.
    ///
    /// - Parameter resets: whether the connections end with a TCP reset.
    package static func open<Result>(resets: Bool, _ body: (Int) async throws -> Result) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let lingers = linger(l_onoff: resets ? 1 : 0, l_linger: 0)
                let isSet = (channel as? any SocketOptionProvider)?.setSoLinger(lingers)
                return (isSet ?? channel.eventLoop.makeSucceededVoidFuture()).flatMap { channel.close() }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(listener.localAddress?.port ?? 0)
            try await listener.close()
            return result
        } catch {
            try? await listener.close()
            throw error
        }
    }
}
