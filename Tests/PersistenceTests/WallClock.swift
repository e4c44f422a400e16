import GarnerCatalog
import GarnerModel
import Synchronization

/// A clock that a test sets, to a minute of 2026-01-31 from 8 o'clock on.
final class WallClock: Sendable {
    private let minutes = Mutex<Int64>(0)

    var now: Timestamp { Self.instant(minutes.withLock { $0 }) }

    func set(to minute: Int64) { minutes.withLock { $0 = minute } }

    static func instant(_ minute: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_769_846_400_000 + minute * 60_000)
    }
}
