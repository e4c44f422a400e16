import GarnerCatalog
import GarnerControl
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerScheduler

/// Pauses or resumes streams: through the running service, or else in the database.
struct Pausing {
    let setup: Setup
    let isPaused: Bool

    func apply(to names: [String]) async throws {
        let configuration = try setup.configuration(needsSecrets: false)
        setup.showWarnings(of: configuration)
        let streams = try configuration.streams(matching: names)
        for part in try await setup.parts(of: streams, in: configuration, placing: true) {
            try await apply(to: part, of: configuration)
        }
    }

    private func apply(to part: Setup.Part, of configuration: Configuration) async throws {
        if let service = await RunningService(of: part, setup) {
            try await each(of: part.streams) { stream in
                if isPaused {
                    try await service.client.pause(stream.name)
                } else {
                    try await service.client.resume(stream.name)
                }
            }
        } else {
            try await setup.withStore(part.configuration, in: part.shard) { writer, _, _ in
                try await each(of: part.streams) { stream in
                    if isPaused {
                        try await writer.pause(stream, at: setup.now())
                    } else {
                        try await resume(stream, in: writer, ReadOnlyDatabase(path: configuration.database))
                    }
                }
            }
        }
    }

    /// Stores the same state as a service would at a resumption: the instants during the pause are skipped.
    private func resume(_ stream: StreamConfiguration, in writer: DatabaseWriter, _ reader: ReadOnlyDatabase)
        async throws
    {
        let now = setup.now()
        let records = try reader.scheduleStates()
        guard let memory = records[stream.name.description], memory.isPaused else { return }
        var timetable = Timetable([ScheduledStream(stream)])
        _ = timetable.handle(.started(states: [stream.name: memory]), at: now)
        var record: ScheduleState?
        for action in timetable.handle(.resumed(stream.name), at: now) {
            switch action {
            case .skip(let skip, let memory): try await skip.record(of: stream, memory, with: writer)
            case .remember(_, let memory): record = memory
            // The next service begins the runs that are due.
            case .run, .cancel, .clockWasAhead, .refuse, .wake, .startGrace, .cancelRuns, .finish: break
            }
        }
        try await writer.resume(stream, record)
    }

    /// Changes each stream. Ends at the first failure.
    private func each(
        of streams: [StreamConfiguration], _ change: (StreamConfiguration) async throws -> Void
    ) async throws {
        let state = isPaused ? "paused" : "resumed"
        for stream in streams {
            do { try await change(stream) } catch { throw CommandError(error, of: stream) }
            if setup.format.isJSON {
                try StandardOutput.write(
                    .object([("stream", .string(stream.name.description)), ("state", .string(state))]))
            } else if !setup.isQuiet {
                // Only a schedule waits.
                let idle = stream.schedule == nil ? "; it has no schedule, and 'garner sync' runs it all the same" : ""
                StandardError.write("\(stream.name): \(state)\(idle)\n")
            }
        }
    }
}
