import CSQLite

extension Connection {
    /// Runs `body`, in which statements may only read, and no longer than the guard says.
    ///
    /// It holds for statements prepared inside; what those need that is no reading, such as a temporary view, is done
    /// before. A statement that has to end throws an error whose reason is the guard's `verdict`.
    package func guarding<R>(
        _ statementGuard: StatementGuard, limits: StatementLimits = .reading, _ body: () throws -> R
    ) throws -> R {
        let previous = limits.apply(to: handle)
        // Safe without a reference of its own: both handlers are taken off before this function returns.
        let context = Unmanaged.passUnretained(statementGuard).toOpaque()
        sqlite3_progress_handler(
            handle, Self.operationsBetweenLooks, { StatementGuard.of($0)?.mustEnd() == false ? 0 : 1 }, context)
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, _, _ in
                // Preparing calls no progress handler before SQLite 3.41.
                guard let statementGuard = StatementGuard.of(context), !statementGuard.mustEnd() else {
                    return SQLITE_DENY
                }
                guard let refusal = ReadingRules.refusal(of: action, first, second) else { return SQLITE_OK }
                statementGuard.note(.refused(refusal))
                return SQLITE_DENY
            }, context)
        defer {
            sqlite3_set_authorizer(handle, nil, nil)
            sqlite3_progress_handler(handle, 0, nil, nil)
            _ = previous.apply(to: handle)
        }
        return try withExtendedLifetime(statementGuard) { try statementGuard.running(on: self, body) }
    }

    /// Some 20 µs of an ordinary statement; looking takes a hundredth of that.
    private static let operationsBetweenLooks: Int32 = 1_000
}

extension StatementGuard {
    /// The guard that a handler was installed with.
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> StatementGuard? {
        context.map { Unmanaged<StatementGuard>.fromOpaque($0).takeUnretainedValue() }
    }
}
