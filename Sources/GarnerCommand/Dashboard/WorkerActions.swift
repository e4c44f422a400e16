import GarnerControl
import Dashboard
import GarnerModel
import GarnerShards
import GarnerTasks

/// The buttons of a worker's dashboard. They ask the worker that holds the stream's shard, whichever that is, as the commands do.
struct WorkerActions: DashboardActions {
    let setup: Setup
    let place: ShardPlace

    func sync(_ stream: StreamName) async throws {
        let client = try await client(of: stream)
        try await race({ _ = try await client.run(RunRequest(RequestID.random(), of: stream)) }) { [setup] in
            try await setup.clock.sleep(for: ServiceActions.patience)
        }
    }

    func pause(_ stream: StreamName) async throws { try await client(of: stream).pause(stream) }

    func resume(_ stream: StreamName) async throws { try await client(of: stream).resume(stream) }

    func retryQuarantine(of stream: StreamName, record: Int64?) async throws {
        try await client(of: stream).quarantine(stream, record: record, drops: false)
    }

    func dropQuarantined(_ record: Int64, of stream: StreamName) async throws {
        try await client(of: stream).quarantine(stream, record: record, drops: true)
    }

    private func client(of stream: StreamName) async throws -> ControlClient {
        let shard = try await setup.shard(of: stream.source, at: place)
        guard let service = await RunningService(of: shard, clock: setup.clock) else {
            throw ControlError(
                .busy, kind: "no_holder", message: "no service writes the shard of \(stream) now",
                hint: "try again in a minute; see all workers with: garner workers")
        }
        return service.client
    }
}
