package import GarnerJSON
package import GarnerModel
package import GarnerPersistence
package import GarnerPresentation

extension RunRecord {
    /// The run as it is: where no process writes to the database, none goes on. A process that was killed, or had no room on the
    /// disk, did not record the end of its runs.
    package func seen(in database: String) -> RunRecord {
        seen(isWritten: status != .running || WriterLock.state(of: database) != .free)
    }

    /// - Parameter isWritten: True if a process writes to the database.
    package func seen(isWritten: Bool) -> RunRecord {
        guard !isWritten, status == .running else { return self }
        var run = self
        run.status = .interrupted
        return run
    }
}

extension RunRecord {
    package var fields: [Report.Field] {
        let counted = counts.json.map { name, value in Report.Field(name, json: value, text: value.text) }
        return [
            .init("run_id", id), .init("stream", stream), .init("status", status.rawValue),
            .init("nominal_at", nominalAt), .init("started_at", startedAt), .init("ended_at", endedAt),
        ] + counted + [
            .init("completeness", completeness?.rawValue), .init("completeness_reason", completenessReason),
            .init("error", json: failure?.json ?? .null, text: failureText), .init("warning", warning),
            .init("trigger", trigger.rawValue), .init("due_at", dueAt),
            .init("lateness_ms", lateness.map { Int(clamping: $0.wholeMilliseconds) }), .init("reason", reason),
            .init("skipped", skipped?.count), .init("times_not_begun", timesNotBegun),
        ]
    }
}

extension RunRecord {
    /// The run as one object, with the columns that it changed and the requests that it sent.
    package func json(_ requests: [RequestRecord]) -> JSONText {
        .object(
            fields.map { ($0.name, $0.json) } + [
                ("schema_changes", .array(schemaChanges.map(\.json))),
                ("request_log", .array(requests.map(\.fields.json))),
            ])
    }
}

extension RequestRecord {
    package var fields: [Report.Field] {
        [
            .init("sent_at", sentAt), .init("url", url), .init("status", status), .init("attempts", attempts),
            .init("bytes", bytes), .init("duration_ms", Int(clamping: duration.wholeMilliseconds)),
            .init("not_modified", isNotModified),
            .init("rate_limit_remaining", rateLimitRemaining), .init("error", errorKind),
        ]
    }
}

extension RunCounts {
    /// The counts as members of a JSON object, in the order of the documentation.
    package var json: [(String, JSONText)] {
        [
            ("pages", pages), ("requests", requests), ("not_modified", notModified), ("inserted", inserted),
            ("updated", updated), ("unchanged", unchanged), ("deleted", deleted), ("quarantined", quarantined),
            ("discarded", discarded), ("bytes", bytes),
        ].map { ($0.0, .integer(Int64($0.1))) }
    }
}

extension RunFailure {
    package var json: JSONText {
        .object([
            ("code", .integer(Int64(category.rawValue))), ("kind", .string(kind)), ("message", .string(message)),
            ("url", JSONText(url)), ("hint", JSONText(hint?.words)),
        ])
    }
}
