import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
@testable import GarnerFetcher

struct ExchangeHandlerTests {
    private static let request = HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"))
    private static let head = HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))
    private static let body = HTTPClientResponsePart.body(ByteBuffer(string: "[]"))
    private static let end = HTTPClientResponsePart.end(nil)

    private let channel = EmbeddedChannel(handler: ExchangeHandler())

    private func request() throws { try channel.writeOutbound(Self.request) }

    private func read(_ parts: HTTPClientResponsePart...) {
        for part in parts { channel.pipeline.fireChannelRead(part) }
        channel.pipeline.fireChannelReadComplete()
    }

    #if canImport(Glibc)
        @Test(arguments: [
            ([[]], true), ([[head]], true), ([[head], [body, end]], true), ([[head, body], [end]], true),
            ([[head, body, end]], false), ([[head, end], []], false),
        ])
        func `what comes without its end is acknowledged at once`(
            reads: [[HTTPClientResponsePart]], isAcknowledged: Bool
        ) throws {
            try request()
            for parts in reads {
                for part in parts { channel.pipeline.fireChannelRead(part) }
                channel.pipeline.fireChannelReadComplete()
            }
            #expect(channel.options.contains { $0.option is ChannelOptions.Types.SocketOption } == isAcknowledged)
            for part in reads.joined() { #expect(try channel.readInbound() == part) }
        }
    #endif

    @Test func `a request behind another response finds its connection lost`() throws {
        try request()
        read(Self.head, Self.body, Self.end)
        try request()
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidConstant)
        #expect(throws: TransportError.lostConnection(answerBegan: false)) { try channel.throwIfErrorCaught() }
        channel.pipeline.fireChannelInactive()
        #expect(throws: TransportError.lostConnection(answerBegan: false)) { try channel.throwIfErrorCaught() }
    }

    @Test(arguments: [false, true]) func `other errors are the request's own`(isSecond: Bool) throws {
        try request()
        if isSecond {
            read(Self.head, Self.body, Self.end)
            try request()
            read(Self.head)
        }
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidConstant)
        #expect(throws: HTTPParserError.invalidConstant) { try channel.throwIfErrorCaught() }
        channel.pipeline.fireChannelInactive()
        try channel.throwIfErrorCaught()
    }

    @Test func `a connection that ends between two requests is no error`() throws {
        try request()
        read(Self.head, Self.end)
        channel.pipeline.fireChannelInactive()
        try channel.throwIfErrorCaught()
    }
}
