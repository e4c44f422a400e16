import GarnerCatalog
package import GarnerModel
package import GarnerPersistence

extension MetricsText {
    /// Adds what the database tells of each stream now: the same for the service and for `garner status --prometheus`.
    package mutating func add(
        _ statuses: [StreamStatus], quarantined: [String: Int], sizes: DatabaseSizes, version: String, now: Timestamp
    ) {
        gauge("garner_build_info", "The version of Garner.", [([("version", version)], 1)])
        perStream(statuses, "garner_rows", "The rows of the stream's table.") { Double($0.history?.count.all ?? 0) }
        perStream(statuses, "garner_last_success_timestamp_seconds", "The end of the last run that succeeded.") {
            $0.history?.lastSuccessAt?.seconds
        }
        perStream(statuses, "garner_last_run_timestamp_seconds", "The beginning of the last run.") {
            $0.history?.lastRun?.startedAt.seconds
        }
        perStream(statuses, "garner_next_due_timestamp_seconds", "The time at which the next run is due.") {
            $0.nextDue?.seconds
        }
        perStream(statuses, "garner_lateness_seconds", "The time by which the run that is due is late, or 0.") {
            status in
            guard let due = status.nextDue else { return nil }
            return max(0, due.duration(to: now) / .seconds(1))
        }
        perStream(statuses, "garner_consecutive_failures", "The failed runs since the last success.") {
            Double($0.history?.consecutiveFailures ?? 0)
        }
        perStream(statuses, "garner_overdue", "1 if two due times have passed without a success.") {
            $0.isOverdue ? 1 : 0
        }
        perStream(statuses, "garner_complete", "1 if the last read was complete, 0 if it was partial or unknown.") {
            $0.history?.lastVerdict.map { $0.completeness == .complete ? 1 : 0 }
        }
        perStream(statuses, "garner_incomplete", "1 if the last read lacks records that it should have.") {
            $0.isIncomplete ? 1 : 0
        }
        perStream(statuses, "garner_paused", "1 if the stream is paused.") { $0.isPaused ? 1 : 0 }
        perStream(statuses, "garner_circuit_open", "1 if the schedule is suspended after permanent failures.") {
            $0.record?.circuitOpenedAt == nil ? 0 : 1
        }
        perStream(statuses, "garner_running", "1 while a run of the stream is active.") {
            $0.history?.lastRun?.status == .running ? 1 : 0
        }
        perStream(statuses, "garner_quarantined_records", "The records that wait in quarantine.") {
            Double(quarantined[$0.stream.name.description] ?? 0)
        }
        gauge("garner_database_bytes", "The size of the database.", [([], Double(sizes.database))])
        gauge("garner_log_bytes", "The size of the write-ahead log.", [([], Double(sizes.log))])
        if let free = sizes.free {
            gauge("garner_free_bytes", "The free space beside the database.", [([], Double(free))])
        }
    }

    private mutating func perStream(
        _ statuses: [StreamStatus], _ name: String, _ help: String, _ value: (StreamStatus) -> Double?
    ) {
        gauge(
            name, help,
            statuses.compactMap { status in
                value(status).map { ([("stream", status.stream.name.description)], $0) }
            })
    }
}

extension Timestamp {
    fileprivate var seconds: Double { Double(millisecondsSince1970) / 1000 }
}
