import GarnerModel
import GarnerPersistence
import GarnerPostgres

/// Sends one batch in one transaction.
///
/// At first the tables have no savepoints. If one fails, all is sent again with a savepoint for each: a savepoint that writes takes a
/// number of a transaction, and more than 64 of them slow all readers. Tables that were behind before have one at once.
struct BatchSending {
    let connection: PostgresConnection
    let fence: Fence
    let file: PostgresUUID
    let snapshot: OutboxSnapshot
    let asOf: Timestamp

    struct Result {
        var outcomes: [StreamID: TableOutcome] = [:]
        /// Why tables are not as in the file.
        var behind: [StreamID: String] = [:]
        /// False if there was nothing to write.
        var isCommitted = true
    }

    /// A table without a savepoint, or a constraint at the end, has failed.
    private struct Failure: Error {
        var table: StreamID?
        var isMismatch = false
        var isEmptied = false
        let cause: any Error
    }

    /// A table without whose rows the batch is sent, since a constraint refuses them at the end.
    private struct Exclusion {
        let constraint: String
        let reason: String
    }

    private var writing: TableWriting { TableWriting(connection: connection, file: file, snapshot: snapshot) }

    /// Returns nil if the file's row is not this process's any longer, or not at that position.
    func send(_ plan: Publisher.Plan, from position: Int64) async throws -> Result? {
        var works = plan.works
        var guarded = Set(works.filter { $0.match.server?.behindReason != nil }.map(\.match.table.id))
        var excluded: [StreamID: Exclusion] = [:]
        var defers = true
        var hasWaited = false
        for _ in 0..<2 * works.count + 4 {
            do {
                return try await transact(
                    plan, works, guarded, excluded.mapValues(\.reason), defers: defers, hasWaited: hasWaited,
                    from: position)
            } catch let failure as Failure {
                try await connection.executeScript("ROLLBACK")
                hasWaited = hasWaited || (failure.cause as? PostgresError)?.kind == .lockTimeout
                if let table = failure.table {
                    for index in works.indices where works[index].match.table.id == table && failure.isMismatch {
                        works[index].beMadeAgain()
                        works[index].wasEmptied = works[index].wasEmptied || failure.isEmptied
                    }
                } else if !defers {
                    throw failure.cause
                } else if let error = failure.cause as? PostgresError,
                    try await exclude(for: error, among: &works, &excluded)
                {
                    continue
                } else {
                    // The end does not tell whose rows something refuses, such as a trigger.
                    defers = false
                }
                guarded = Set(works.map(\.match.table.id))
            } catch {
                if await connection.isOpen { _ = try? await connection.executeScript("ROLLBACK") }
                throw error
            }
        }
        throw PublicationError(.away, "the batch fails in another way each time that it is sent")
    }

    /// Finds the table whose rows a constraint refuses at the end, so that the batch is sent without them: that which has the constraint,
    /// or that to which its foreign key leads. A table with a key twice is made again first. Returns false if neither is known.
    private func exclude(
        for error: PostgresError, among candidates: inout [TableWork], _ excluded: inout [StreamID: Exclusion]
    ) async throws -> Bool {
        guard let constraint = error.constraint, let table = error.table else { return false }
        let (connection, left, works) = (connection, excluded, candidates)
        let found = try await connection.inTransaction {
            () async throws -> (first: StreamID, table: StreamID, reason: String)? in
            let rows = try await connection.execute(
                """
                SELECT number FROM unnest($1::text[]) WITH ORDINALITY AS s (place, number)
                JOIN pg_constraint ON to_regclass(place)::oid IN (conrelid, confrelid)
                JOIN pg_class ON pg_class.oid = conrelid
                WHERE conname = $2 AND relname = $3 ORDER BY to_regclass(place)::oid <> conrelid
                """, .texts(works.map { ($0.match.server?.place ?? $0.match.place).sql }), .text(constraint),
                .text(table)
            ).rows
            let matches = rows.compactMap { $0.first?.integer }.map { works[Int($0) - 1].match }
            guard let match = matches.first(where: { left[$0.table.id] == nil }), let first = matches.first else {
                return nil
            }
            let reason = try await BehindReason.words(for: error, of: match, on: connection)
            return (first: first.table.id, table: match.table.id, reason: reason)
        }
        guard let found else { return false }
        // A key that waits for the end finds rows that somebody has added only now.
        if let index = works.firstIndex(where: { $0.match.table.id == found.table }),
            works[index].isToBeMadeAgain(for: error)
        {
            candidates[index].beMadeAgain()
            return true
        }
        // Without the rows of the first table the key does not hold either: it is the other one's that it means.
        if excluded[found.first]?.constraint == constraint { excluded[found.first] = nil }
        excluded[found.table] = Exclusion(constraint: constraint, reason: found.reason)
        return true
    }

    private func transact(
        _ plan: Publisher.Plan, _ works: [TableWork], _ guarded: Set<StreamID>, _ excluded: [StreamID: String],
        defers: Bool, hasWaited: Bool, from position: Int64
    ) async throws -> Result? {
        try await connection.executeScript(
            """
            \(PostgresConnection.transactionBeginning); SET CONSTRAINTS ALL \(defers ? "DEFERRED" : "IMMEDIATE");
            SELECT pg_advisory_xact_lock_shared('\(fence.mark(of: file))'::bigint)
            """)
        let runs = plan.runs == nil ? nil : plan.position
        guard try await fence.move(file, from: position, to: plan.position, runs: runs, on: connection) else {
            try await connection.executeScript("ROLLBACK")
            return nil
        }
        var result = Result()
        // Where the end has found another type, nothing is sent.
        let suspects = works.filter { guarded.contains($0.match.table.id) }.map(\.withoutAdded)
        let found = try await ServerColumns.read(of: suspects.compactMap { $0.match.server?.place }, on: connection)
        result.behind = unfit(suspects, found, isBefore: true) { $0.match.server?.place }.merging(excluded) {
            reason, _ in reason
        }
        if hasWaited { try await connection.executeScript(Self.haste) }
        for work in works where result.behind[work.match.table.id] == nil {
            let id = work.match.table.id
            if guarded.contains(id) {
                switch try await writeGuarded(work) {
                case .success(let outcome): result.outcomes[id] = outcome
                case .failure(.behind(let reason)): result.behind[id] = reason
                case .failure(.mismatch): result.behind[id] = "its rows in PostgreSQL are not those of the file"
                }
            } else {
                result.outcomes[id] = try await write(work)
            }
        }
        if hasWaited || !result.behind.isEmpty { try await connection.executeScript("SET LOCAL lock_timeout = '2s'") }
        // Nobody can change a type now: what was written is locked.
        let done = works.filter { result.outcomes[$0.match.table.id] != nil }
        let columns = try await ServerColumns.read(of: done.map(\.match.place), on: connection)
        let others = unfit(done, columns) { $0.match.place }
        if let (id, reason) = others.first { throw Failure(table: id, cause: TableTrouble.behind(reason)) }
        for work in done {
            let (id, number) = (work.match.table.id, columns.numbers[work.match.place])
            guard var outcome = result.outcomes[id] else { continue }
            (outcome.serverNumber, outcome.storage) = (number, columns.storages[work.match.place])
            if let former = work.match.server?.serverNumber, former != number {
                guard outcome.sent.isMade else {
                    throw Failure(table: id, isMismatch: true, cause: TableTrouble.mismatch)
                }
                outcome.wasReplaced = !outcome.wasDropped
            }
            if columns.ruled.contains(work.match.place), !outcome.sent.isMade,
                outcome.sent.updated + outcome.sent.deleted > 0
            {
                throw Failure(table: id, isMismatch: true, cause: TableTrouble.mismatch)
            }
            if try await hasOnlyItsOwnRows(outcome, of: work) {
                throw Failure(table: id, isMismatch: true, isEmptied: true, cause: TableTrouble.mismatch)
            }
            result.outcomes[id] = outcome
        }
        if result.outcomes.isEmpty, plan.runs == nil, plan.left.isEmpty,
            works.allSatisfy({ $0.match.server?.behindReason == result.behind[$0.match.table.id] })
        {
            try await connection.executeScript("ROLLBACK")
            result.isCommitted = false
            return result
        }
        try await keepBooks(plan, works, result)
        do {
            let rows = result.outcomes.values.reduce(0) { $0 + $1.sent.inserted + $1.sent.updated + $1.sent.deleted }
            try await connection.execute("SET CONSTRAINTS ALL IMMEDIATE", rows: rows)
            try await commit()
        } catch let error as PostgresError where error.sqlState != nil && !error.endsConnection && !error.isPassing {
            // A constraint, or a trigger that has waited for the end.
            throw Failure(cause: error)
        }
        return result
    }

    /// True if a table has lost the rows of before, and has only those that this batch has inserted. It is counted only where the table has
    /// got another file since it was looked at; nobody can empty it now.
    private func hasOnlyItsOwnRows(_ outcome: TableOutcome, of work: TableWork) async throws -> Bool {
        guard let former = work.match.server?.storage, former != outcome.storage, !outcome.sent.isMade,
            outcome.sent.updated == 0,
            try snapshot.hasRows(of: work.match.table, outside: work.changes?.replaced ?? [])
        else { return false }
        let inserted = outcome.sent.inserted
        let found = try await connection.execute(
            "SELECT count(*) FROM (SELECT FROM ONLY \(work.match.place.sql) LIMIT $1) AS t",
            .integer(Int64(inserted) + 1), rows: inserted
        ).value?.integer
        return found.map { $0 <= Int64(inserted) } ?? false
    }

    private func commit() async throws {
        do {
            try await connection.executeScript("COMMIT")
        } catch let error as PostgresError where error.kind == .unanswered {
            throw PublicationError.unconfirmed(error)
        }
    }

    /// Says what is no table, and whose columns have another type than was meant: PostgreSQL would take the bytes of a value for
    /// another one.
    private func unfit(
        _ works: [TableWork], _ columns: ServerColumns, isBefore: Bool = false, at place: (TableWork) -> PublishedPlace?
    ) -> [StreamID: String] {
        var reasons: [StreamID: String] = [:]
        for work in works {
            guard let place = place(work) else { continue }
            if let other = columns.others[place] {
                reasons[work.match.table.id] = other.reason(at: place)
                continue
            }
            if let line = columns.secured[place] {
                reasons[work.match.table.id] = BehindReason.reasonOfRowSecurity(endedBy: line)
                continue
            }
            // Those types are changed.
            if isBefore, work.retypes { continue }
            for column in work.definition.columns {
                guard let type = columns[place][ExactText(column.name)], type != column.type.serverName else {
                    continue
                }
                reasons[work.match.table.id] =
                    "somebody has changed the type of the column \(SQLText.name(column.name)): it is \(type), and has to be "
                    + "\(column.type.serverName). To have it changed back: garner publish \(work.match.table.name)"
                break
            }
        }
        return reasons
    }

    // MARK: - One table

    /// A table that is locked has the batch wait once. The others then wait hardly at all: many may be locked, as by a migration.
    private static let haste = "SET LOCAL lock_timeout = '20ms'"

    /// Writes a table without a savepoint.
    private func write(_ work: TableWork) async throws -> TableOutcome {
        let id = work.match.table.id
        do {
            return try await writing.write(work)
        } catch let trouble as TableTrouble {
            var failure = Failure(table: id, cause: trouble)
            if case .behind = trouble {} else { failure.isMismatch = true }
            throw failure
        } catch let error as PostgresError where !error.endsConnection {
            throw Failure(table: id, cause: error)
        }
    }

    /// Writes a table with a savepoint, and once more as a whole if its rows are not those that the notes speak of.
    private func writeGuarded(_ work: TableWork) async throws -> Swift.Result<TableOutcome, TableTrouble> {
        var work = work
        try await connection.executeScript("SAVEPOINT one_table")
        var last = TableTrouble.mismatch
        var end = "RELEASE SAVEPOINT one_table"
        for _ in 0..<2 {
            do {
                let outcome = try await writing.write(work)
                try await connection.executeScript("RELEASE SAVEPOINT one_table")
                return .success(outcome)
            } catch let trouble as TableTrouble {
                last = trouble
            } catch let error as PostgresError where !error.endsConnection {
                try await connection.executeScript("ROLLBACK TO SAVEPOINT one_table")
                if error.kind == .lockTimeout { end += "; \(Self.haste)" }
                last = .behind(
                    try await BehindReason.words(
                        for: error, of: work.match, retyping: work.retypes ? work.definition : nil, on: connection))
            }
            try await connection.executeScript("ROLLBACK TO SAVEPOINT one_table")
            if case .behind = last { break }
            guard !work.isWhole else { break }
            work.beMadeAgain()
        }
        try await connection.executeScript(end)
        return .failure(last)
    }

    // MARK: - Books

    private func keepBooks(_ plan: Publisher.Plan, _ works: [TableWork], _ result: Result) async throws {
        let done = works.filter { result.outcomes[$0.match.table.id] != nil }
        let renamed = done.compactMap { work in
            work.match.server.flatMap { $0.place != work.match.place ? $0.place : nil }
        }
        if !renamed.isEmpty {
            try await connection.execute(
                """
                DELETE FROM _garner.tables AS t USING unnest($1::text[], $2::text[]) AS s (schema, name)
                WHERE t.schema = s.schema AND t.name = s.name AND t.file = $3
                """, .texts(renamed.map(\.schema)), .texts(renamed.map(\.name)), .uuid(file))
        }
        if !done.isEmpty { try await keepTables(done, result, plan.position) }
        let behind = works.filter { work in
            result.behind[work.match.table.id].map { $0 != work.match.server?.behindReason } ?? false
        }
        if !behind.isEmpty {
            try await connection.execute(
                """
                UPDATE _garner.tables AS t SET behind_since = coalesce(t.behind_since, clock_timestamp()),
                    behind_reason = s.reason
                FROM unnest($1::text[], $2::text[], $3::text[]) AS s (schema, name, reason)
                WHERE t.schema = s.schema AND t.name = s.name AND t.file = $4
                """, .texts(behind.map { ($0.match.server?.place ?? $0.match.place).schema }),
                .texts(behind.map { ($0.match.server?.place ?? $0.match.place).name }),
                .texts(behind.map { result.behind[$0.match.table.id] ?? "" }), .uuid(file))
        }
        if !plan.left.isEmpty {
            try await connection.execute(
                """
                UPDATE _garner.tables AS t SET left_out_since = clock_timestamp()
                FROM unnest($1::text[], $2::text[]) AS s (schema, name)
                WHERE t.schema = s.schema AND t.name = s.name AND t.file = $3
                """, .texts(plan.left.map(\.place.schema)), .texts(plan.left.map(\.place.name)), .uuid(file))
            for table in plan.left { try await commentOnEnd(of: table) }
        }
        if let runs = plan.runs {
            try await PublishedRuns(file: file, connection: connection).send(runs, areAll: plan.hasAllRuns)
        }
    }

    /// Says on a table that it is published no longer, if it is still there.
    private func commentOnEnd(of table: ServerTable) async throws {
        try await connection.executeScript("SAVEPOINT comment")
        do {
            let words = "The stream \(table.stream), which Garner has published until \(asOf)."
            try await connection.executeScript(
                "COMMENT ON TABLE \(table.place.sql) IS \(SQLText.literal(words)); RELEASE SAVEPOINT comment")
        } catch let error as PostgresError where !error.endsConnection {
            try await connection.executeScript("ROLLBACK TO SAVEPOINT comment; RELEASE SAVEPOINT comment")
        }
    }

    private func keepTables(_ works: [TableWork], _ result: Result, _ position: Int64) async throws {
        // A number names one table, and a new table may have that of a dropped one.
        try await connection.execute(
            "UPDATE _garner.tables SET table_id = NULL WHERE file = $1 AND table_id = ANY ($2)", .uuid(file),
            .integers(works.filter { $0.match.server?.id != $0.match.table.id }.map(\.match.table.id.number)))
        // Whoever has dropped the table of another file has given up its name.
        let new = works.filter { $0.match.server == nil }.map(\.match.place)
        if !new.isEmpty {
            try await connection.execute(
                """
                DELETE FROM _garner.tables AS t USING unnest($1::text[], $2::text[]) AS s (schema, name)
                WHERE t.schema = s.schema AND t.name = s.name AND t.file <> $3
                """, .texts(new.map(\.schema)), .texts(new.map(\.name)), .uuid(file))
        }
        let kept = try await connection.execute(
            """
            INSERT INTO _garner.tables AS t (schema, name, file, stream, definition, position, as_of, table_id, table_oid, books_oid)
            SELECT s.schema, s.name, $1, s.stream, s.definition::jsonb, $2, $3, s.id,
                to_regclass(format('%I.%I', s.schema, s.name))::oid::bigint, '_garner.tables'::regclass::oid::bigint
            FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[]) AS s (schema, name, stream, definition, id)
            ON CONFLICT (schema, name) DO UPDATE SET stream = excluded.stream, definition = excluded.definition,
                position = excluded.position, as_of = excluded.as_of, table_id = excluded.table_id,
                table_oid = excluded.table_oid, books_oid = excluded.books_oid,
                behind_since = NULL, behind_reason = NULL, left_out_since = NULL
            WHERE t.file = excluded.file
            """, .uuid(file), .integer(position), .instant(asOf.millisecondsSince1970 * 1000),
            .texts(works.map(\.match.place.schema)), .texts(works.map(\.match.place.name)),
            .texts(works.map(\.match.table.stream)),
            .texts(works.map { (result.outcomes[$0.match.table.id]?.definition ?? $0.definition).json }),
            .integers(works.map(\.match.table.id.number)))
        guard kept.count == works.count else {
            throw PublicationError(.refused, "another file of Garner's has begun to publish a table of that name")
        }
    }
}

/// The runs that have ended, for people's SQL.
struct PublishedRuns {
    let file: PostgresUUID
    let connection: PostgresConnection

    private static let runsOfStatement = 1000

    /// - Parameter areAll: True for all that the file has. Later ones are of a file in whose place an earlier one came.
    func send(_ runs: [RunRecord], areAll: Bool) async throws {
        if areAll, let last = runs.map(\.id.number).max() {
            try await connection.execute(
                "DELETE FROM _garner.runs WHERE file = $1 AND run > $2", .uuid(file), .integer(last))
        }
        for start in stride(from: 0, to: runs.count, by: Self.runsOfStatement) {
            let runs = runs[start..<min(start + Self.runsOfStatement, runs.count)]
            func numbers(_ value: (RunCounts) -> Int) -> PostgresValue {
                .integers(runs.map { Int64(value($0.counts)) })
            }
            try await connection.execute(
                """
                INSERT INTO _garner.runs (file, run, stream, status, verdict, started_at, ended_at, pages, requests,
                    inserted, updated, unchanged, deleted, quarantined, error)
                SELECT $1, s.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
                    $7::timestamptz[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
                    $13::bigint[], $14::bigint[], $15::text[]) AS s
                ON CONFLICT (file, run) DO UPDATE SET stream = excluded.stream, status = excluded.status,
                    verdict = excluded.verdict, started_at = excluded.started_at, ended_at = excluded.ended_at,
                    pages = excluded.pages, requests = excluded.requests,
                    inserted = excluded.inserted, updated = excluded.updated, unchanged = excluded.unchanged,
                    deleted = excluded.deleted, quarantined = excluded.quarantined, error = excluded.error
                """, .uuid(file), .integers(runs.map(\.id.number)), .texts(runs.map(\.stream)),
                .texts(runs.map(\.status.rawValue)), .texts(runs.map { $0.verdict?.kind.rawValue }),
                .instants(runs.map { $0.startedAt.millisecondsSince1970 * 1000 }),
                .instants(runs.map { $0.endedAt.map { $0.millisecondsSince1970 * 1000 } }), numbers { $0.pages },
                numbers { $0.requests }, numbers { $0.inserted }, numbers { $0.updated }, numbers { $0.unchanged },
                numbers { $0.deleted }, numbers { $0.quarantined },
                .texts(runs.map { $0.failure.map { $0.message.replacing("\0", with: "\u{FFFD}") } }))
        }
    }
}
