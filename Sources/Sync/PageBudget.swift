import Synchronization

/// How many pages a run may still ask for.
final class PageBudget: Sendable {
    private let left: Mutex<Int?>

    /// nil: as many as there are.
    init(_ limit: Int?) { left = Mutex(limit) }

    /// Whether one page more may be asked for, which then counts.
    func take() -> Bool {
        left.withLock { left in
            guard let count = left else { return true }
            guard count > 0 else { return false }
            left = count - 1
            return true
        }
    }
}
