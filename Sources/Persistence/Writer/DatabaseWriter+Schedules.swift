package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

// Stores the state of schedules between runs.
extension DatabaseWriter {
    /// Stores the schedule's state, but not whether the stream is paused.
    package func remember(_ record: ScheduleState, of stream: StreamConfiguration) async throws {
        try await perform {
            try connection.transaction {
                _ = try schedules.write(record, of: number(of: stream), at: now())
            }
        }
    }

    /// Notes the beginning of a pause. A second pause does not change it.
    ///
    /// - Parameters:
    ///   - record: The state of the schedule that is stored in the same transaction.
    ///   - tell: Called before other changes are written, so that its reports have the order of the database.
    package func pause(
        _ stream: StreamConfiguration, at instant: Timestamp, _ record: ScheduleState? = nil,
        tell: @Sendable () -> Void = {}
    ) async throws {
        try await perform {
            try notePause(stream, since: instant, record)
            tell()
        }
    }

    /// Notes the end of a pause.
    ///
    /// The parameters are those of `pause`.
    package func resume(
        _ stream: StreamConfiguration, _ record: ScheduleState? = nil, tell: @Sendable () -> Void = {}
    ) async throws {
        try await perform {
            try notePause(stream, since: nil, record)
            tell()
        }
    }

    /// Notes that hooks were told now that the stream is overdue, or that it is in time again.
    package func noteOverdue(_ stream: StreamConfiguration, isTold: Bool) async throws {
        try await perform {
            try connection.transaction {
                try schedules.noteOverdue(number(of: stream), toldAt: isTold ? now() : nil)
            }
        }
    }

    /// Records that nominal instants passed without a run, with the reason.
    ///
    /// It does not wait for the disk. After a loss of power, the instants are skipped once more.
    ///
    /// - Parameters:
    ///   - nominals: The first and the last instant.
    ///   - record: The state of the schedule that is stored in the same transaction.
    package func skip(
        _ stream: StreamConfiguration, nominals: ClosedRange<Timestamp>, count: Int, reason: String,
        _ record: ScheduleState? = nil
    ) async throws {
        try await perform {
            try connection.transactionWithoutSync {
                let streamID = try number(of: stream)
                try RunTable(connection: connection)
                    .skip(nominals, count: count, of: streamID, because: reason, at: now())
                if let record { _ = try schedules.write(record, of: streamID, at: now()) }
            }
        }
    }

    /// Notes a request for a run. It outlives the process, and the same request twice counts once.
    package func note(_ request: RunRequest, of stream: StreamConfiguration) async throws -> TriggerAnswer {
        try await perform {
            try connection.transaction {
                try TriggerTable(streamID: number(of: stream), connection: connection)
                    .note(request, at: now())
            }
        }
    }

    /// Removes refused requests whose run has not begun.
    package func withdraw(requests: [String], of stream: StreamConfiguration) async throws {
        try await perform {
            try connection.transaction {
                try TriggerTable(streamID: number(of: stream), connection: connection).withdraw(requests)
            }
        }
    }

    private func notePause(_ stream: StreamConfiguration, since instant: Timestamp?, _ record: ScheduleState?) throws {
        try connection.transaction {
            let streamID = try number(of: stream)
            if let record { _ = try schedules.write(record, of: streamID, at: now()) }
            try schedules.pause(streamID, since: instant)
        }
    }

    var schedules: ScheduleTable { ScheduleTable(connection: connection) }

    /// Returns the id of a stream, which may never have been run.
    private func number(of stream: StreamConfiguration) throws -> StreamID {
        let known: StreamID? = try connection.id(
            "SELECT stream_id FROM _garner_streams WHERE name = ?1", .text(stream.name.description))
        return try known ?? StreamRegistry(connection: connection).register(stream).id
    }
}
