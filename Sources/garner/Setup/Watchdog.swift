import Dispatch
import Foundation
import SQLite

/// Ends the program where a statement goes on after it had to end.
///
/// SQLite asks its handlers between the operations of a statement; one operation, such as `instr` of two long texts, can
/// take hours. Ending the program in the middle of it is safe, as only reading is guarded.
final class Watchdog: Sendable {
    /// How long a statement may take to end.
    private static let grace = DispatchTimeInterval.milliseconds(25)
    private static let secondsBetweenLooks = 0.01

    private let hasLeft = DispatchSemaphore(value: 0)

    init(_ statementGuard: StatementGuard, end: @escaping @Sendable (StatementGuard.Verdict) -> Never) {
        let hasLeft = hasLeft
        Thread.detachNewThread {
            while !statementGuard.mustEnd() {
                guard hasLeft.wait(timeout: .now() + Self.secondsBetweenLooks) == .timedOut else { return }
            }
            statementGuard.interrupt()
            if hasLeft.wait(timeout: .now() + Self.grace) == .timedOut { end(statementGuard.verdict ?? .timeIsUp) }
        }
    }

    /// The statement has ended.
    func leave() { hasLeft.signal() }
}
