import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerTasks

// One batch: a state of the file, and the transaction that brings PostgreSQL to it.
extension Publisher {
    /// Sends what waits in one state of the file. Returns false if nothing does.
    func sendBatch(_ report: inout PublicationReport) async throws -> Bool {
        guard let known = self.session else { return false }
        guard var session = try await lookAgain(known) else {
            await disconnect()
            try await connect(takesOver: false)
            return true
        }
        let began = now()
        let reader = try openReader()
        var snapshot = try reader.beginSnapshot()
        defer { snapshot.end() }
        if try await beginNoting(snapshot, session) {
            snapshot.end()
            snapshot = try reader.beginSnapshot()
        }
        let plan = try plan(snapshot, session)
        try await confirmLate(plan, session, asOf: began)
        guard !plan.isEmpty else {
            if stopwatch.elapsed - lastSeen >= Self.heartbeat {
                try await fence.touch(session.file, on: session.connection)
                lastSeen = stopwatch.elapsed
            }
            return false
        }
        // The tables are never ahead of the file, wherever that is kept.
        try await writer.safe()
        let sending = BatchSending(
            connection: session.connection, fence: fence, file: session.file, snapshot: snapshot, asOf: began)
        let answer: BatchSending.Result?
        do {
            answer = try await sending.send(plan, from: session.position)
        } catch let error as PublicationError where error.isUnconfirmed {
            // Whoever looks at the file sees why its rows wait. The next batch, or the next look, takes that back.
            let tables = plan.works.map(\.match.table.id) + (plan.runs == nil ? [] : [OutboxNote.runs])
            try? await writer.noteBehind(Dictionary(tables.map { ($0, error.message) }) { first, _ in first })
            throw error
        }
        guard let result = answer else {
            // Somebody else has written the row, or PostgreSQL went back. Look again.
            snapshot.end()
            await disconnect()
            try await connect(takesOver: false)
            return true
        }
        lastSeen = stopwatch.elapsed
        snapshot.end()
        note(result, of: plan, in: &session, &report)
        self.session = session
        let sent = Array(result.outcomes.keys) + (plan.runs == nil ? [] : [OutboxNote.runs])
        if !sent.isEmpty { try await writer.confirm(plan.position, sent, asOf: began) }
        if !result.behind.isEmpty { try await writer.noteBehind(result.behind) }
        return !result.outcomes.isEmpty || plan.runs != nil
    }

    /// Has the writer note the changes of tables that are published from now on, and of no others. Returns true if it does so newly.
    private func beginNoting(_ snapshot: OutboxSnapshot, _ session: Session) async throws -> Bool {
        var (begun, ended): ([StreamID], [StreamID]) = ([], [])
        for table in try snapshot.tables() {
            switch (target.publishes(table.stream), table.position) {
            case (true, nil) where table.isReady: begun.append(table.id)
            case (false, .some): ended.append(table.id)
            default: break
            }
        }
        if session.runsPosition == nil, !asksForRuns { begun.append(OutboxNote.runs) }
        asksForRuns = true
        if !begun.isEmpty { try await writer.publish(begun) }
        if !ended.isEmpty { try await writer.stopPublishing(ended) }
        return !begun.isEmpty
    }

    struct Plan {
        /// The position that PostgreSQL then has.
        var position: Int64
        var works: [TableWork] = []
        /// The runs that are sent; nil if none are noted.
        var runs: [RunRecord]?
        /// True if they are all that the file has.
        var hasAllRuns = false
        /// The tables whose streams are published no longer.
        var left: [ServerTable] = []
        /// The tables that PostgreSQL has and the file does not know to be there, by their positions.
        var late: [Int64: [StreamID]] = [:]

        var isEmpty: Bool { works.isEmpty && runs == nil && left.isEmpty }
    }

    private func plan(_ snapshot: OutboxSnapshot, _ session: Session) throws -> Plan {
        var plan = Plan(position: max(session.position, try snapshot.lastNote()))
        let tables = try snapshot.tables().filter { $0.position != nil && target.publishes($0.stream) }
        let matches = session.server.matches(of: tables, in: target.schema)
        plan.left = session.server.left(by: matches)
        let due = matches.filter { !delays.pauses($0.table.id, at: stopwatch.elapsed) }
        var positions = [OutboxNote.runs: session.runsPosition ?? 0]
        for match in due { positions[match.table.id] = match.server?.position ?? 0 }
        let changes = try snapshot.changes(after: positions)
        for match in due {
            let id = match.table.id
            let change = changes[id]
            let server = match.server
            // What was once taken over from such a server may be more than any note.
            let confirmed = min(match.table.position ?? 0, plan.position)
            // PostgreSQL has not kept what it had confirmed, or somebody has dropped the table or put another one in its place.
            let isLost = server?.exists != true || server?.isReplaced == true || confirmed > server?.position ?? 0
            let isEmptied = try !isLost && lacksRows(match, change, confirmed, snapshot)
            let isWhole =
                isLost || isEmptied || remade.contains(id) || change?.isWhole == true || change?.deletesTwins == true
            if let server, server.position > confirmed { plan.late[server.position, default: []].append(id) }
            guard
                isWhole || change?.lastNote != nil || server?.place != match.place
                    || server?.stream != match.table.stream || server?.behindReason != nil || server?.isLeftOut == true
                    || server?.id != id
            else { continue }
            var work = try work(match, change, isWhole: isWhole, snapshot)
            work.wasEmptied = isEmptied
            work.triesAllRows = (delays[id]?.failures ?? 0) % Self.attemptsWithoutAllRows == 0
            plan.works.append(work)
        }
        plan.works.sort {
            ($0.match.table.isChild ? 1 : 0, $0.match.table.id) < ($1.match.table.isChild ? 1 : 0, $1.match.table.id)
        }
        if let change = changes[OutboxNote.runs], change.isWhole || change.lastNote != nil {
            let noted = (change.replaced + change.updated).sorted { $0.lowerBound < $1.lowerBound }
            plan.runs = try snapshot.endedRuns(in: change.isWhole ? nil : noted)
            plan.hasAllRuns = change.isWhole
        }
        return plan
    }

    /// True if PostgreSQL has no row of a table, and the file has one that was there when it had confirmed the table.
    private func lacksRows(
        _ match: ServerTables.Match, _ change: OutboxChanges?, _ confirmed: Int64, _ snapshot: OutboxSnapshot
    ) throws -> Bool {
        guard match.server?.isEmpty == true, confirmed > 0, change?.isWhole != true else { return false }
        return try snapshot.hasRows(of: match.table, outside: change?.replaced ?? [])
    }

    private func work(
        _ match: ServerTables.Match, _ changes: OutboxChanges?, isWhole: Bool, _ snapshot: OutboxSnapshot
    ) throws -> TableWork {
        let table = match.table
        let retypes = remade.contains(table.id)
        var columns = table.fileColumns { target.isNumeric(table.stream, $0) }
        // It may have to be defined anew.
        let isAnew = retypes || match.server?.definition.hasKey(of: columns) == false
        try columns.findInstants(in: snapshot, of: table) {
            isAnew || match.server?.definition.column(of: $0) == nil
        }
        guard let server = match.server else {
            return TableWork(
                match: match, fileColumns: columns, definition: TableDefinition(for: columns), changes: changes,
                isWhole: isWhole)
        }
        var definition = retypes ? server.definition.retyped(for: columns) : server.definition
        let added = definition.add(columns)
        return TableWork(
            match: match, fileColumns: columns, definition: definition, added: added, changes: changes,
            isWhole: isWhole, retypes: retypes)
    }

    /// Tells the file of what PostgreSQL had before it was looked at: the process before did not come to it.
    private func confirmLate(_ plan: Plan, _ session: Session, asOf instant: Timestamp) async throws {
        guard !hasConfirmedLate else { return }
        for (position, tables) in plan.late.sorted(by: { $0.key < $1.key }) {
            let waiting = Set(plan.works.map(\.match.table.id))
            let done = tables.filter { !waiting.contains($0) }
            if !done.isEmpty { try await writer.confirm(position, done, asOf: instant) }
        }
        if let runs = session.runsPosition, plan.runs == nil {
            try await writer.confirm(runs, [OutboxNote.runs], asOf: instant)
        }
        hasConfirmedLate = true
    }

    private func note(
        _ result: BatchSending.Result, of plan: Plan, in session: inout Session, _ report: inout PublicationReport
    ) {
        if result.isCommitted {
            session.position = plan.position
            if plan.runs != nil { session.runsPosition = plan.position }
            session.server.leaveOut(Set(plan.left.map(\.place)))
            report.batches += 1
            report.runs += plan.runs?.count ?? 0
        }
        for work in plan.works {
            let (id, name) = (work.match.table.id, work.name)
            if let outcome = result.outcomes[id] {
                let wasTold = toldBehind.removeValue(forKey: id) != nil
                if report.behind.removeValue(forKey: name) != nil || wasTold || work.match.server?.behindReason != nil {
                    tell(.caughtUp(table: name))
                }
                session.server.replace(
                    work.match.server?.place,
                    with: ServerTable(
                        id: id, place: work.match.place, stream: work.match.table.stream,
                        definition: outcome.definition, position: plan.position,
                        serverNumber: outcome.serverNumber, storage: outcome.storage,
                        isUnlogged: work.match.server?.isUnlogged == true))
                delays.succeed(id)
                remade.remove(id)
                report.add(outcome.sent, to: name)
                for warning in outcome.warnings(of: work) {
                    report.warnings.append(warning)
                    tell(.warning(warning))
                }
            } else if let reason = result.behind[id] {
                delays.fail(id, at: stopwatch.elapsed)
                // PostgreSQL has no reason of a table that could not be made yet.
                if work.match.server?.behindReason != reason, toldBehind[id] != reason {
                    tell(.behind(table: name, reason: reason))
                }
                toldBehind[id] = reason
                report.behind[name] = .init(reason: reason, pause: delays[id]?.pause ?? .zero)
                if var server = work.match.server {
                    server.behindReason = reason
                    session.server.replace(server.place, with: server)
                }
            }
        }
    }
}

extension OutboxChanges {
    /// True if the key of a deleted row may be that of another one in PostgreSQL, where NUL is U+FFFD.
    fileprivate var deletesTwins: Bool {
        deletedKeys.joined().contains { value in
            guard case .text(let text) = value else { return false }
            return text.unicodeScalars.contains { $0 == "\0" || $0 == "\u{FFFD}" }
        }
    }
}

extension PublicationReport {
    mutating func add(_ other: Sent, to table: String) {
        var sent = self.sent[table] ?? Sent()
        sent.inserted += other.inserted
        sent.updated += other.updated
        sent.deleted += other.deleted
        sent.isMade = sent.isMade || other.isMade
        if sent != Sent() { self.sent[table] = sent }
    }
}

extension TableOutcome {
    /// Whole sentences on what is not as in the file.
    func warnings(of work: TableWork) -> [String] {
        var warnings: [String] = []
        if let former, former != work.match.place {
            warnings.append(Self.words(forTableThatIs: former, insteadOf: work.match.place))
        } else if wasDropped {
            warnings.append("the table \(work.match.place.sql) was dropped; it is made again")
        }
        if wasReplaced {
            warnings.append(
                "another table was put in the place of \(work.match.place.sql), such as one of a backup; its rows are made again"
            )
        }
        if work.wasEmptied, !wasDropped {
            let place = work.match.place.sql
            warnings.append(
                work.match.server?.isUnlogged == true
                    ? "the UNLOGGED table \(place) had lost its rows, as after a crash of the server; they are copied again. "
                        + "To have it keep them: ALTER TABLE \(place) SET LOGGED"
                    : "the table \(place) had lost its rows, as after TRUNCATE; they are copied again")
        } else if let changers {
            warnings.append(
                "the table \(work.match.place.sql) had other rows than were sent, and is made again: \(changers)")
        } else if isCorrected, !wasDropped, !wasReplaced {
            warnings.append(
                "the table \(work.match.place.sql) had other rows than were sent, since somebody has changed them; it is made again"
            )
        }
        if !emptied.isEmpty {
            let names = emptied.map(SQLText.name).joined(separator: ", ")
            warnings.append(
                "the table \(work.match.place.sql) was made again, and \(names), which you have added to it, lost its values"
            )
        }
        warnings += notes.sentences(of: work.name, definition)
        return warnings
    }

    /// Says that somebody has renamed or moved a table, with the lines that put it back: its grants and views have gone with it.
    private static func words(forTableThatIs former: PublishedPlace, insteadOf place: PublishedPlace) -> String {
        var lines = ["DROP TABLE \(place.sql)"]
        if former.schema != place.schema {
            lines.append("ALTER TABLE \(former.plainSQL) SET SCHEMA \(SQLText.name(place.schema))")
        }
        if former.name != place.name {
            let moved = PublishedPlace(schema: place.schema, name: former.name)
            lines.append("ALTER TABLE \(moved.plainSQL) RENAME TO \(SQLText.name(place.name))")
        }
        return
            "the table \(place.sql) is \(former.plainSQL) now, which Garner does not follow, and is made again. To have that one back: "
            + lines.joined(separator: "; ")
    }
}
