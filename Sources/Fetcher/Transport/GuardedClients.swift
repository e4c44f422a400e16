import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// The HTTP clients for requests that may not reach all addresses. Each connects to the one address that was judged.
///
/// The HTTP client resolves names itself and offers no place to judge the addresses. But its configuration can give the
/// address of a name, and it then still sends and verifies the name. So each host has a client of its own, and its name
/// is resolved again whenever no request and no connection uses the client.
final class GuardedClients: Sendable {
    typealias Make =
        @Sendable (GuardedPlace, IPAddress, _ count: @escaping HTTPClients.Step) -> HTTPClient

    /// The number of idle clients that are kept.
    private static let mostIdle = 32

    fileprivate struct Entry {
        let place: GuardedPlace
        var made: EventLoopFuture<HTTPClient>
        var chosen: (address: IPAddress, client: HTTPClient)?
        var isChoosing = true
        var uses = 1
        var connections = 0

        var isIdle: Bool { uses == 0 && !isChoosing }
    }

    /// A client granted to one request.
    fileprivate struct Turn {
        let number: Int
        let made: EventLoopFuture<HTTPClient>
        /// The promise that the caller must complete with the client; nil if another caller does.
        var promise: EventLoopPromise<HTTPClient>?
        /// The address used so far for the host.
        var address: IPAddress?
        /// Clients that are no longer needed.
        var spent: [HTTPClient] = []
    }

    fileprivate struct State {
        /// The clients by number, which increases with each new client.
        var entries: [Int: Entry] = [:]
        /// The number of the client that serves new requests to a place.
        var current: [GuardedPlace: Int] = [:]
        var next = 0
    }

    private let choice: AddressChoice
    private let make: Make
    /// The open clients; nil after `shutdown()`.
    private let state = Mutex<State?>(State())

    init(_ choice: AddressChoice, make: @escaping Make) {
        self.choice = choice
        self.make = make
    }

    /// Returns a client for `place`, new if necessary. Throws the errors of `AddressChoice`, and `CancellationError`.
    func lease(for place: GuardedPlace) async throws -> ClientLease {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        guard let turn = state.withLock({ $0?.turn(at: place, on: loop, keeping: Self.mostIdle) }) else {
            throw TransportError.shutDown
        }
        let number = turn.number
        let use = ClientLease.Use { [weak self] in
            self?.end(number)
        } forget: { [weak self] in
            self?.forget(number)
        }
        if let promise = turn.promise {
            choice.address(of: place, preferring: turn.address, on: loop).whenComplete { address in
                promise.completeWith(self.finish(number, address))
            }
        }
        for client in turn.spent { try? await client.shutdown() }
        return ClientLease(client: try await turn.made.valueUnlessCancelled(), use: use)
    }

    /// Closes this object and returns its clients, which the caller must shut down.
    func end() -> [HTTPClient] {
        state.withLock { state in
            defer { state = nil }
            return state?.entries.values.compactMap(\.chosen?.client) ?? []
        }
    }

    private func finish(_ number: Int, _ address: Result<IPAddress, any Error>) -> Result<HTTPClient, any Error> {
        let (client, spent) = state.withLock { state -> (Result<HTTPClient, any Error>, HTTPClient?) in
            guard let entry = state?.entries[number] else { return (.failure(TransportError.shutDown), nil) }
            switch address {
            case .success(let address):
                state?.entries[number]?.isChoosing = false
                if let chosen = entry.chosen, chosen.address == address { return (.success(chosen.client), nil) }
                let client = make(entry.place, address, counting(number))
                state?.entries[number]?.chosen = (address, client)
                return (.success(client), entry.chosen?.client)
            case .failure(let error):
                state?.remove(number)
                return (.failure(error), entry.chosen?.client)
            }
        }
        spent?.shutdown { _ in }
        return client
    }

    private func counting(_ number: Int) -> HTTPClients.Step {
        { [weak self] channel in
            self?.count(1, number)
            channel.closeFuture.whenComplete { [weak self] _ in self?.count(-1, number) }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func count(_ change: Int, _ number: Int) {
        state.withLock { $0?.entries[number]?.connections += change }
    }

    private func end(_ number: Int) {
        state.withLock { $0?.entries[number]?.uses -= 1 }
    }

    /// Makes the next request choose an address again, if no connection uses the current one.
    private func forget(_ number: Int) {
        state.withLock { state in
            guard let entry = state?.entries[number], entry.connections == 0 else { return }
            if state?.current[entry.place] == number { state?.current[entry.place] = nil }
        }
    }
}

extension GuardedClients.State {
    mutating fileprivate func turn(
        at place: GuardedPlace, on loop: any EventLoop, keeping mostIdle: Int
    ) -> GuardedClients.Turn {
        guard let number = current[place], let entry = entries[number] else {
            return newTurn(at: place, on: loop, keeping: mostIdle)
        }
        entries[number]?.uses += 1
        guard entry.isIdle && entry.connections == 0 else {
            return GuardedClients.Turn(number: number, made: entry.made)
        }
        let promise = loop.makePromise(of: HTTPClient.self)
        entries[number]?.isChoosing = true
        entries[number]?.made = promise.futureResult
        return GuardedClients.Turn(
            number: number, made: promise.futureResult, promise: promise, address: entry.chosen?.address)
    }

    private mutating func newTurn(
        at place: GuardedPlace, on loop: any EventLoop, keeping mostIdle: Int
    ) -> GuardedClients.Turn {
        let spent = removeSpent(keeping: mostIdle)
        let number = next
        next += 1
        let promise = loop.makePromise(of: HTTPClient.self)
        entries[number] = GuardedClients.Entry(place: place, made: promise.futureResult)
        current[place] = number
        return GuardedClients.Turn(number: number, made: promise.futureResult, promise: promise, spent: spent)
    }

    mutating fileprivate func remove(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        if current[entry.place] == number { current[entry.place] = nil }
    }

    /// Removes clients replaced because their address failed, and the oldest idle ones, and returns them.
    private mutating func removeSpent(keeping mostIdle: Int) -> [HTTPClient] {
        let idle = entries.filter(\.value.isIdle)
        let useless = idle.filter { current[$0.value.place] != $0.key }.keys
        let others = Set(idle.keys).subtracting(useless).sorted()
        let removed = Array(useless) + others.prefix(max(0, others.count - mostIdle))
        let clients = removed.compactMap { entries[$0]?.chosen?.client }
        for number in removed { remove(number) }
        return clients
    }
}

/// The host and port of a guarded connection.
struct GuardedPlace: Hashable, Sendable {
    /// The host as the HTTP client reads it in the URL, without brackets.
    let host: String
    let port: Int
    var range = AddressRange.public
}

extension EventLoopFuture where Value: Sendable {
    /// Waits for the value. Cancelling one waiter does not affect the others.
    fileprivate func valueUnlessCancelled() async throws -> Value {
        let mine = eventLoop.makePromise(of: Value.self)
        cascade(to: mine)
        return try await withTaskCancellationHandler {
            try await mine.futureResult.get()
        } onCancel: {
            mine.fail(CancellationError())
        }
    }
}

/// Chooses the address for connections to a host: a judged one that accepts connections.
struct AddressChoice: Sendable {
    let lookup: HostLookup
    /// The time limit for resolving and trying together.
    let limit: TimeAmount

    /// Returns a judged address. Fails with `TransportError` and `NIOConnectionError`.
    ///
    /// - Parameter earlier: the address used so far, which is chosen if the host still has it.
    func address(
        of place: GuardedPlace, preferring earlier: IPAddress?, on loop: any EventLoop
    ) -> EventLoopFuture<IPAddress> {
        let chosen = loop.makePromise(of: IPAddress.self)
        let end = loop.scheduleTask(in: limit) { chosen.fail(TransportError.connectDeadline) }
        chosen.futureResult.whenComplete { _ in end.cancel() }
        addresses(of: place, on: loop).flatMap { addresses in
            if let earlier, addresses.contains(earlier) { return loop.makeSucceededFuture(earlier) }
            // A single address needs no trial, since the connection itself is one.
            if addresses.count == 1 { return loop.makeSucceededFuture(addresses[0]) }
            return first(of: addresses, at: place, on: loop)
        }.cascade(to: chosen)
        return chosen.futureResult
    }

    private func addresses(of place: GuardedPlace, on loop: any EventLoop) -> EventLoopFuture<[IPAddress]> {
        let found = loop.makePromise(of: [IPAddress].self)
        // Lookups may block for long, and there may be many.
        DispatchQueue.global().async {
            found.completeWith(Result { try lookup.addresses(of: place.host, in: place.range) })
        }
        return found.futureResult
    }

    /// Returns the address that first accepts a connection, tried as in RFC 8305. The connection is then closed.
    private func first(
        of addresses: [IPAddress], at place: GuardedPlace, on loop: any EventLoop
    ) -> EventLoopFuture<IPAddress> {
        ClientBootstrap(group: loop).connectTimeout(limit).resolver(JudgedAddresses(addresses, on: loop))
            .connect(host: place.host, port: place.port)
            .flatMapThrowing { channel in
                defer { channel.close(promise: nil) }
                guard let address = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) else {
                    throw TransportError.closed
                }
                return address
            }
    }
}

/// Answers queries with known addresses, so that no name is resolved twice.
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
