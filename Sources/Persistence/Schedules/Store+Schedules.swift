package import Catalog
import SQLite

// What a schedule leaves behind when no run ends.
extension Store {
    /// Stores what outlives a process, but whether the stream is paused.
    package func remember(_ record: ScheduleRecord, of stream: Stream) async throws {
        try await perform { store in
            try store.connection.transaction {
                _ = try store.schedules.write(record, of: store.number(of: stream), at: store.now())
            }
        }
    }

    /// Notes since when the stream is paused; a second time changes nothing of that.
    ///
    /// - Parameters:
    ///   - record: what is stored of the schedule in the same transaction.
    ///   - tell: called before anything else is written, so that whoever is told hears of pauses in the order of the database.
    package func pause(
        _ stream: Stream, at instant: Timestamp, _ record: ScheduleRecord? = nil,
        tell: @Sendable () -> Void = {}
    ) async throws {
        try await perform { store in
            try store.pauseNow(stream, since: instant, record)
            tell()
        }
    }

    /// Notes that the stream is paused no longer.
    ///
    /// The parameters are those of `pause`.
    package func resume(
        _ stream: Stream, _ record: ScheduleRecord? = nil, tell: @Sendable () -> Void = {}
    ) async throws {
        try await perform { store in
            try store.pauseNow(stream, since: nil, record)
            tell()
        }
    }

    /// Records that nominal instants passed without a run, and why.
    ///
    /// It does not wait for the disk: what a loss of power takes with it is skipped once more.
    ///
    /// - Parameters:
    ///   - nominals: the first and the last one.
    ///   - count: how many they are.
    ///   - record: what is stored of the schedule in the same transaction.
    package func skip(
        _ stream: Stream, nominals: ClosedRange<Timestamp>, count: Int, reason: String, _ record: ScheduleRecord? = nil
    ) async throws {
        try await perform { store in
            try store.transactionWithoutWaiting {
                let streamID = try store.number(of: stream)
                try RunTable(connection: store.connection)
                    .skip(nominals, count: count, of: streamID, because: reason, at: store.now())
                if let record { _ = try store.schedules.write(record, of: streamID, at: store.now()) }
            }
        }
    }

    /// Notes that a run was asked for, so that the request outlives the process and the same one twice is one.
    package func note(_ request: RunRequest, of stream: Stream) async throws -> TriggerAnswer {
        try await perform { store in
            try store.connection.transaction {
                try TriggerTable(streamID: store.number(of: stream), connection: store.connection)
                    .note(request, at: store.now())
            }
        }
    }

    /// Takes back requests whose run has not begun: they were refused.
    package func withdraw(requests: [String], of stream: Stream) async throws {
        try await perform { store in
            try store.connection.transaction {
                try TriggerTable(streamID: store.number(of: stream), connection: store.connection).withdraw(requests)
            }
        }
    }

    private func pauseNow(_ stream: Stream, since instant: Timestamp?, _ record: ScheduleRecord?) throws {
        try connection.transaction {
            let streamID = try number(of: stream)
            if let record { _ = try schedules.write(record, of: streamID, at: now()) }
            try schedules.pause(streamID, since: instant)
        }
    }

    var schedules: ScheduleTable { ScheduleTable(connection: connection) }

    /// Of a stream that may never have been run.
    private func number(of stream: Stream) throws -> Int64 {
        let known = try connection.integer(
            "SELECT stream_id FROM _garner_streams WHERE name = ?1", .text(stream.name.description))
        return try known ?? StreamRegistry(connection: connection).register(stream)
    }
}
