/// Who waits for an access token, and when another one is fetched: one at a time, however many ask.
///
/// It decides, and has neither clock nor network; times are those of `AccessToken.usableUntil`.
struct TokenDesk: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        /// Begin to fetch a token, on behalf of who waits under that number; `fetched` or `failed` has to follow.
        case fetch(for: UInt64)
        /// Nobody waits any more: what is being fetched may end early.
        case callOff
        case give(AccessToken, to: [UInt64])
        /// They get the error that ended the fetching.
        case refuse([UInt64])
    }

    private enum Fetching: Sendable { case no, yes, calledOff }

    private var token: AccessToken?
    private var fetching = Fetching.no
    /// In the order of their arrival.
    private var waiters: [UInt64] = []

    /// `refused` is the serial of the token that the server no longer takes: it goes, if it is still the one in use.
    mutating func asked(by id: UInt64, insteadOf refused: UInt64? = nil, at time: Duration) -> [Action] {
        if let token, token.serial == refused || token.usableUntil <= time { self.token = nil }
        if let token { return [.give(token, to: [id])] }
        waiters.append(id)
        guard fetching == .no else { return [] }
        fetching = .yes
        return [.fetch(for: id)]
    }

    /// Who waited is gone.
    mutating func left(_ id: UInt64) -> [Action] {
        guard let place = waiters.firstIndex(of: id) else { return [] }
        waiters.remove(at: place)
        guard waiters.isEmpty, fetching == .yes else { return [] }
        fetching = .calledOff
        return [.callOff]
    }

    /// Those who wait get the token even where it has expired already: no other one would be better.
    mutating func fetched(_ token: AccessToken) -> [Action] {
        self.token = token
        return [.give(token, to: takeWaiters())]
    }

    /// `endedEarly`: by the cancellation that calling off is.
    mutating func failed(endedEarly: Bool) -> [Action] {
        guard endedEarly, fetching == .calledOff, let first = waiters.first else { return [.refuse(takeWaiters())] }
        // Whoever came after it was called off is not to suffer for those who left.
        fetching = .yes
        return [.fetch(for: first)]
    }

    private mutating func takeWaiters() -> [UInt64] {
        defer { waiters = [] }
        fetching = .no
        return waiters
    }
}
