import Dispatch
import NIOCore
import NIOPosix

/// Chooses the address that the connections to a host go to: one that was judged, and answers.
struct AddressChoice: Sendable {
    let lookup: HostLookup
    /// For looking up and trying together.
    let limit: TimeAmount

    /// Fails with `TransportFailure` and `NIOConnectionError`.
    ///
    /// - Parameter earlier: is chosen where it is among the host's addresses still.
    func address(
        of place: GuardedPlace, preferring earlier: IPAddress?, on loop: any EventLoop
    ) -> EventLoopFuture<IPAddress> {
        let chosen = loop.makePromise(of: IPAddress.self)
        let end = loop.scheduleTask(in: limit) { chosen.fail(TransportFailure.connectDeadline) }
        chosen.futureResult.whenComplete { _ in end.cancel() }
        addresses(of: place.host, on: loop).flatMap { addresses in
            if let earlier, addresses.contains(earlier) { return loop.makeSucceededFuture(earlier) }
            // A single address needs no trial: the connection itself is one.
            if addresses.count == 1 { return loop.makeSucceededFuture(addresses[0]) }
            return first(of: addresses, at: place, on: loop)
        }.cascade(to: chosen)
        return chosen.futureResult
    }

    private func addresses(of host: String, on loop: any EventLoop) -> EventLoopFuture<[IPAddress]> {
        let found = loop.makePromise(of: [IPAddress].self)
        // A lookup may block for long, and there may be many.
        DispatchQueue.global().async { found.completeWith(Result { try lookup.publicAddresses(of: host) }) }
        return found.futureResult
    }

    /// The one that accepts a connection first, tried as RFC 8305 says; the connection ends with that.
    private func first(
        of addresses: [IPAddress], at place: GuardedPlace, on loop: any EventLoop
    ) -> EventLoopFuture<IPAddress> {
        ClientBootstrap(group: loop).connectTimeout(limit).resolver(JudgedAddresses(addresses, on: loop))
            .connect(host: place.host, port: place.port)
            .flatMapThrowing { channel in
                defer { channel.close(promise: nil) }
                guard let address = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) else {
                    throw TransportFailure.closed
                }
                return address
            }
    }
}

/// Answers with addresses that are known already, so that nothing is asked twice.
private struct JudgedAddresses: Resolver, Sendable {
    private let addresses: [IPAddress]
    private let loop: any EventLoop

    init(_ addresses: [IPAddress], on loop: any EventLoop) {
        self.addresses = addresses
        self.loop = loop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { answer(bits: 32, port: port) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        answer(bits: 128, port: port)
    }

    func cancelQueries() {}

    private func answer(bits: Int, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeCompletedFuture {
            try addresses.filter { $0.bitCount == bits }.map { try SocketAddress(ipAddress: "\($0)", port: port) }
        }
    }
}
