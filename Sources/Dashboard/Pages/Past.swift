import GarnerDatabase
import Dispatch
import GarnerModel
import GarnerPersistence
import GarnerTasks

extension Dashboard {
    /// Reads from the database as it was at a moment, within the time of a page.
    ///
    /// The connection is one for this read alone: it sees the past until it is closed.
    func readPast<R: Sendable>(
        at instant: Timestamp, _ body: @escaping @Sendable (ReadOnlyDatabase) throws -> R
    ) async throws -> R {
        guard let place = pastReads.take() else { throw DashboardError.busy }
        let (path, clock) = (database, clock)
        return try await race({ try await Self.read(from: path, at: instant, place, body) }) {
            try await clock.sleep(for: Self.pageTime)
            throw DashboardError.timeIsUp
        }
    }

    private static func read<R: Sendable>(
        from path: String, at instant: Timestamp, _ place: ExportPlaces.Place,
        _ body: @escaping @Sendable (ReadOnlyDatabase) throws -> R
    ) async throws -> R {
        let queryGuard = QueryGuard()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "garner.past").async {
                    let result = Result {
                        let database = try ReadOnlyDatabase(path: path)
                        return try database.viewing(asOf: instant) {
                            try database.guarding(queryGuard, limits: .none) { try body(database) }
                        }
                    }
                    withExtendedLifetime(place) { continuation.resume(with: result) }
                }
            }
        } onCancel: {
            queryGuard.stop()
        }
    }
}
