import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerTasks

// Connecting, and finding out who may publish.
extension Publisher {
    /// Connects if there is no connection, and looks at the file's row.
    func connect(takesOver: Bool) async throws {
        if let session, !takesOver, await session.connection.isOpen { return }
        await disconnect()
        let connection = try await PostgresConnection.open(target.url, answerLimit: answerLimit)
        do {
            try await PublishedSchema.prepare(on: connection)
            try await PublishedSchema.prepare(target.schema, on: connection)
            let (found, former) = try await connection.inTransaction {
                try await look(on: connection, takesOver: takesOver)
            }
            let shown = target.url.description
            if former != shown { try await writer.setTarget(shown) }
            session = found
            lastSeen = stopwatch.elapsed
            lastLook = lastSeen
            (asksForRuns, hasConfirmedLate) = (false, false)
        } catch {
            let named = await PublicationError.naming(error, on: connection)
            await connection.close()
            throw named
        }
    }

    /// Looks at the row until it is this process's. Returns the target that the file had before, too.
    private func look(
        on connection: PostgresConnection, takesOver: Bool
    ) async throws -> (session: Session, former: String?) {
        // The file knows a token before it is claimed.
        try await writer.safe()
        let file = try openReader().snapshot { try $0.file() }.flatMap { PostgresUUID($0) }
        guard let file else {
            throw PublicationError(.refused, "the database \(path) was not opened to be published")
        }
        for pid in try await fence.endFormerSessions(of: file, on: connection) {
            tell(
                .warning(
                    "a session of a connection of Garner's that was lost had its rows locked, and was ended: process \(pid)"
                ))
        }
        // Each time that it fails, another process has written the row in this moment.
        for _ in 0..<10 {
            let row = try await fence.row(of: file, on: connection)
            let (standing, former) = try openReader().snapshot { snapshot in
                (try FileStanding(of: file, in: snapshot, row), try snapshot.target())
            }
            let verdict = fence.verdict(on: row, of: standing)
            let isMine: Bool
            switch (verdict, row) {
            case (_, let row?) where takesOver:
                isMine = try await fence.claim(
                    file, seen: row, anewFrom: standing.confirmed, on: connection)
            case (.new, _), (_, nil):
                try await refuseForeignTables(of: file, on: connection)
                isMine = try await fence.insert(file, position: standing.confirmed, on: connection)
            case (.mine, _): isMine = true
            case (.inStep, let row?): isMine = try await fence.claim(file, seen: row, on: connection)
            case (.wentBack, let row?):
                isMine = try await fence.claim(file, seen: row, isOlder: true, on: connection)
            case (.fileWentBack, _), (.copied, _), (.held, _):
                if let refusal = verdict.refusal(row: row) { throw refusal }
                isMine = false
            }
            if isMine, verdict == .wentBack {
                tell(
                    .warning(
                        "PostgreSQL was restored to an earlier state, or lost its last changes; what it lacks is sent again"
                    ))
            }
            guard isMine, let row = try await fence.row(of: file, on: connection), row.token == fence.me.token
            else { continue }
            var server = try await ServerTables.read(of: file, on: connection)
            server.distrust(beyond: row.position)
            let session = Session(
                connection: connection, file: file, position: row.position,
                runsPosition: row.runsPosition.flatMap { $0 > row.position ? nil : $0 }, server: server)
            return (session, former)
        }
        throw PublicationError(.held, "several processes claim the tables of this file")
    }

    /// Looks which tables are there, if it was long ago: somebody may have dropped one, or put another one in its place. Returns nil if
    /// the schema is gone, which is made again with the next connection, or if nothing of its tables is seen any more.
    func lookAgain(_ session: Session) async throws -> Session? {
        if let lastLook, stopwatch.elapsed - lastLook < Self.pauseOfLooks { return session }
        let (connection, file) = (session.connection, session.file)
        var looked = session
        do {
            looked.server = try await connection.inTransaction { try await ServerTables.read(of: file, on: connection) }
        } catch let error as PostgresError where [.undefinedTable, .undefinedSchema].contains(error.kind) {
            return nil
        }
        guard !looked.server.tables.isEmpty || session.server.tables.isEmpty else { return nil }
        looked.server.distrust(beyond: session.position)
        lastLook = stopwatch.elapsed
        return looked
    }

    /// Throws if a new file would write tables that are another's.
    private func refuseForeignTables(of file: PostgresUUID, on connection: PostgresConnection) async throws {
        let tables = try openReader().snapshot { try $0.tables() }.filter { target.publishes($0.stream) }
        var refusal: (words: String, place: String)?
        for match in ServerTables().matches(of: tables, in: target.schema) {
            let place = match.place.sql
            guard let words = try await TableWriting.owner(of: match.place, for: file, on: connection) else { continue }
            guard let first = refusal else {
                refusal = (words, place)
                continue
            }
            // One line drops all tables of one kind.
            if words.hasSuffix("DROP TABLE \(place)"), first.words.hasPrefix(words.replacing(place, with: first.place))
            {
                refusal?.words += ", \(place)"
            }
        }
        if let refusal { throw PublicationError(.refused, refusal.words) }
    }
}
