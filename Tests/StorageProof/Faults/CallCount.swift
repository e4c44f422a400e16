import Synchronization

/// Counts those of the calls it is shown that it is meant for.
final class CallCount: Sendable {
    private let isMeant: @Sendable (Storage.Call) -> Bool
    private let count = Mutex(0)

    init(_ isMeant: @escaping @Sendable (Storage.Call) -> Bool) { self.isMeant = isMeant }

    var value: Int { count.withLock { $0 } }

    func note(_ call: Storage.Call) {
        if isMeant(call) { count.withLock { $0 += 1 } }
    }
}
