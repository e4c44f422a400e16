import GarnerCatalog
import GarnerControl
import Dashboard
import GarnerModel
import GarnerPersistence
import GarnerRuntime
import GarnerSync
import Synchronization
import GarnerTasks

/// The buttons of the dashboard. They ask the service as `garner trigger`, `pause` and `resume` do.
struct ServiceActions: DashboardActions {
    let source: SourceService
    let writer: DatabaseWriter
    let clock: any Clock<Duration>

    /// The time that a sync may take until the page comes without its result.
    static let patience = Duration.seconds(3)

    func sync(_ stream: StreamName) async throws {
        let request = RunRequest(RequestID.random(), of: stream)
        try await race({ try await ask(.trigger(request, waits: true)) }) { [clock] in
            try await clock.sleep(for: Self.patience)
        }
    }

    func pause(_ stream: StreamName) async throws { try await ask(.pause(stream)) }

    func resume(_ stream: StreamName) async throws { try await ask(.resume(stream)) }

    func retryQuarantine(of name: StreamName, record: Int64?) async throws {
        guard let stream = source.streams[name] else { throw ControlError(unknown: name) }
        let outcome = await QuarantineRetry(stream, among: source.streams.configuration.streams, in: writer).run(
            record.map { [$0] })
        if let failure = outcome.failure { throw CommandError(failure, of: name.description) }
    }

    func dropQuarantined(_ record: Int64, of _: StreamName) async throws {
        _ = try await writer.dropQuarantined([record])
    }

    private func ask(_ request: ControlRequest) async throws {
        let refusal = Mutex<ControlError?>(nil)
        await source.handler.handle(request) { reply in
            if case .refused(let error) = reply { refusal.withLock { $0 = error } }
        }
        if let error = refusal.withLock(\.self) { throw error }
    }
}
