import AsyncHTTPClient
import NIOCore
import NIOPosix
import Synchronization

/// The HTTP clients of requests that may not reach private networks: each connects to one address, which was judged
/// before, and to nothing else.
///
/// The HTTP client resolves names itself and has no place to judge what it finds. It takes the address of a name from its
/// configuration, though, and then still sends and checks the name. So each host has a client of its own, and its name is
/// looked up again whenever no request and no connection uses the client.
final class GuardedClients: Sendable {
    typealias Make =
        @Sendable (GuardedPlace, IPAddress, _ count: @escaping HTTPClients.Step) -> HTTPClient

    /// So many without a request are kept.
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

    /// One use more of a client.
    fileprivate struct Turn {
        let number: Int
        let made: EventLoopFuture<HTTPClient>
        /// To be kept by who was given it; nil where that is somebody else.
        var promise: EventLoopPromise<HTTPClient>?
        /// The address that the host had before.
        var address: IPAddress?
        /// The clients that nobody needs any more.
        var spent: [HTTPClient] = []
    }

    fileprivate struct State {
        /// The clients by number; a later one has a greater number.
        var entries: [Int: Entry] = [:]
        /// The number of the client that new requests to a place go to.
        var current: [GuardedPlace: Int] = [:]
        var next = 0
    }

    private let choice: AddressChoice
    private let make: Make
    /// The clients that are open; nil after `shutdown()`.
    private let state = Mutex<State?>(State())

    init(_ choice: AddressChoice, make: @escaping Make) {
        self.choice = choice
        self.make = make
    }

    /// A client for `place`, made where there is none. Throws what `AddressChoice` fails with, and `CancellationError`.
    func lease(for place: GuardedPlace) async throws -> ClientLease {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        guard let turn = state.withLock({ $0?.turn(at: place, on: loop, keeping: Self.mostIdle) }) else {
            throw TransportFailure.shutDown
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

    /// Those that were made, which are to be shut down; there will be no more.
    func end() -> [HTTPClient] {
        state.withLock { state in
            defer { state = nil }
            return state?.entries.values.compactMap(\.chosen?.client) ?? []
        }
    }

    private func finish(_ number: Int, _ address: Result<IPAddress, any Error>) -> Result<HTTPClient, any Error> {
        let (client, spent) = state.withLock { state -> (Result<HTTPClient, any Error>, HTTPClient?) in
            guard let entry = state?.entries[number] else { return (.failure(TransportFailure.shutDown), nil) }
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

    /// Has the next request look for another address, as nothing connects to this one.
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

    /// Those that had to make room for another address, and the oldest idle ones.
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

/// A host and port that a guarded connection is to.
struct GuardedPlace: Hashable, Sendable {
    /// As the HTTP client reads it in the URL, without brackets.
    let host: String
    let port: Int
}

extension EventLoopFuture where Value: Sendable {
    /// Its value, for one of several who wait for it.
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
