import Catalog
import Control
import Persistence

/// Pauses or resumes streams: through the running service, or in the database where there is none.
struct Pausing {
    let setup: Setup
    let isPaused: Bool

    func apply(to names: [String]) async throws {
        let configuration = try setup.configuration()
        setup.showWarnings(of: configuration)
        let streams = try configuration.streams(matching: names)
        if let service = await RunningService(of: configuration, clock: setup.clock) {
            try await each(of: streams) { stream in
                if isPaused {
                    try await service.client.pause(stream.name)
                } else {
                    try await service.client.resume(stream.name)
                }
            }
        } else {
            try await setup.withStore(configuration) { store, _ in
                try await each(of: streams) { stream in
                    if isPaused {
                        try await store.pause(stream, at: setup.now())
                    } else {
                        try await store.resume(stream, resumed(stream, in: Archive(path: configuration.database)))
                    }
                }
            }
        }
    }

    /// What passed during the pause is not made up for.
    private func resumed(_ stream: Catalog.Stream, in archive: Archive) throws -> ScheduleRecord? {
        guard var record = try archive.scheduleRecords()[stream.name.description], record.isPaused else { return nil }
        record.settled = max(record.settled ?? setup.now(), setup.now())
        record.nextDue = nil
        return record
    }

    /// Ends at the first that fails.
    private func each(
        of streams: [Catalog.Stream], _ change: (Catalog.Stream) async throws -> Void
    ) async throws {
        let state = isPaused ? "paused" : "resumed"
        for stream in streams {
            do { try await change(stream) } catch { throw Failure(error, of: stream) }
            switch setup.format {
            case .json, .ndjson:
                let object = JSONText.object([
                    ("stream", .string(stream.name.description)), ("state", .string(state)),
                ])
                try StandardOutput.write(object.text + "\n")
            case .table, .markdown, .csv, .tsv:
                if !setup.isQuiet { StandardError.write("\(stream.name): \(state)\n") }
            }
        }
    }
}
