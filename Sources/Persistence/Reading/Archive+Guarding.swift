import Catalog
package import SQLite

extension Archive {
    /// Runs statements that users wrote in `body`, on one state of the database, and no longer than the guard says.
    ///
    /// What they do besides reading is refused. What they need that is no reading itself, such as a temporary view, is
    /// made before on `connection`; a transaction that is open already is the state that they see.
    package func guarding<R>(
        _ statementGuard: StatementGuard, limits: StatementLimits = .reading, _ body: () throws -> R
    ) throws -> R {
        func guarded() throws -> R { try connection.guarding(statementGuard, limits: limits, body) }
        do {
            return try connection.isInTransaction ? guarded() : connection.snapshot(guarded)
        } catch let error as SQLiteError {
            throw Self.explained(PersistenceError(error, path: connection.path), statementGuard)
        } catch let error as PersistenceError {
            throw Self.explained(error, statementGuard)
        }
    }

    /// What SQLite says where a statement was stopped does not tell who did it.
    private static func explained(_ error: PersistenceError, _ statementGuard: StatementGuard) -> PersistenceError {
        guard [.interrupted, .request, .permission, .limit].contains(error.kind) else { return error }
        switch statementGuard.verdict {
        case .timeIsUp: return .timeIsUp(statementGuard.limit ?? .zero)
        case .stopped: return PersistenceError(.interrupted, "the query was stopped", hint: "run it again")
        case .refused(let deed):
            return PersistenceError(
                .request, "the query would \(deed)", hint: "queries only read; write with 'garner sync'")
        case nil: return error
        }
    }
}

extension PersistenceError {
    package static func timeIsUp(_ limit: Duration) -> PersistenceError {
        PersistenceError(
            .limit, "the query ran for longer than \(DurationText.format(limit))",
            hint: "ask for less, or give it more time with --timeout")
    }
}
