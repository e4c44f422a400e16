import NIOCore
import Testing

@testable import GarnerFetcher

struct ConnectionSetUpTests {
    /// The errors of a client's pipeline, depending on how far its setup had come when the server closed.
    @Test(arguments: [
        ChannelPipelineError.notFound as any Error, ChannelPipelineError.alreadyRemoved, ChannelError.ioOnClosedChannel,
        ChannelError.eof,
    ])
    func `an end while a connection is set up is an end of the connection`(error: any Error) {
        let failure = HTTPTransport.failure(for: error, insteadOf: .closed, through: nil)
        #expect(failure as? TransportError == .closed)
    }
}
