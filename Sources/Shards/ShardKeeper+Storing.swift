import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerTasks

extension ShardKeeper {
    /// Stores what waits in one transaction.
    func send() async throws {
        guard var batch = waiting.take() else { return }
        guard isCopied else {
            throw PersistenceError(.bug, "pages of a shard were changed before they were copied", hint: .report)
        }
        guard batch.images.values.allSatisfy({ $0.count == ShardPlace.pageSize }) else {
            throw PersistenceError(.bug, "a shard got pages of another size", hint: .report)
        }
        guard let count = Int32(exactly: batch.pageCount) else {
            throw PersistenceError(.limit, "the database has more pages than a shard", hint: "store less in it")
        }
        // The server removes the pages beyond the end, so none of those is known there any more.
        if count < pageCount { known = [:] }
        batch.images = batch.images.filter { known[$0.key] != $0.value }
        let changes = PageChanges(batch, before: pageCount)
        // If nothing of it is stored, the right to store is lost, and they are of no use any more.
        hashes.cut(to: Int(count))
        for (page, image) in changes.all { hashes.set(Int(page), to: image) }
        known.merge(batch.images) { $1 }
        if known.count > Self.mostKnown { known = batch.images.count > Self.mostKnown ? [:] : batch.images }
        schemaVersion = changes.schemaVersion ?? schemaVersion
        // Of several attempts, the first may have been stored without an answer. It has this stamp, too.
        let next = PostgresUUID.random()
        while try await !whileLeaseLasts({ try await self.store(changes, as: next, over: $0) }) {}
        (stamp, pageCount) = (next, Int(count))
        waiting.confirm(batch)
    }

    /// Returns false if it is to be tried again.
    private func store(_ changes: PageChanges, as next: PostgresUUID, over connection: PostgresConnection)
        async throws -> Bool
    {
        let start = stopwatch.elapsed
        let compared = try await connection.executeScript(
            """
            \(PostgresConnection.transactionBeginning);
            UPDATE _garner.shards SET stamp = '\(next)', checksum = \(hashes.checksum), pages = \(changes.pageCount),
                schema_version = \(schemaVersion), until = clock_timestamp() + \(place.leaseInterval)
            WHERE shard = \(place.shard) AND token = '\(token)' AND stamp = '\(stamp)'
            """)
        guard compared.count == 1 else {
            try await connection.executeScript("ROLLBACK")
            // This renews the lease, too: once its commit is confirmed, one before it that was not is as safe.
            let found = try await renew(over: connection)
            guard found == next || found == stamp else { throw PersistenceError.wentBack }
            return found == next
        }
        try await changes.write(to: place.shard, over: connection)
        try await connection.executeScript("COMMIT")
        extendLease(since: start)
        return true
    }

    /// Renews the lease, and returns the stamp of the row. Throws if the row has another token.
    func renew(over connection: PostgresConnection) async throws -> PostgresUUID {
        let start = stopwatch.elapsed
        let found = try await connection.executeScript(
            """
            \(PostgresConnection.transactionBeginning);
            UPDATE _garner.workers SET seen_at = clock_timestamp(), pid = abs(pid) WHERE worker = '\(identity.worker)';
            UPDATE _garner.shards SET until = clock_timestamp() + \(place.leaseInterval)
            WHERE shard = \(place.shard) AND token = '\(token)' RETURNING stamp
            """)
        guard let stamp = found.value?.text.flatMap(PostgresUUID.init) else {
            let holder = try await ShardRow.holder(of: place.shard, on: connection)
            try await connection.executeScript("ROLLBACK")
            throw PersistenceError.taken(by: holder)
        }
        try await connection.executeScript("COMMIT")
        extendLease(since: start)
        return stamp
    }
}

/// Changed pages on their way into the table.
struct PageChanges: Sendable {
    let all: [(page: UInt32, image: [UInt8])]
    let pageCount: Int
    /// The number of pages that the table has.
    private let before: Int

    /// The bytes of a statement, about.
    private static let statementSize = 8 << 20
    /// From so many new pages on, they are copied: a COPY takes a round trip more.
    private static let fewest = 64

    init(_ batch: WaitingPages.Batch, before: Int) {
        all = batch.images.map { ($0.key, $0.value) }.sorted { $0.page < $1.page }
        pageCount = Int(batch.pageCount)
        self.before = before
    }

    /// The version of Garner's schema in the database; nil if its first page has not changed.
    ///
    /// "The user version", in the bytes 60 to 63 of the header (sqlite.org/fileformat2.html, 1.3).
    var schemaVersion: Int64? {
        guard let first = all.first, first.page == 1, first.image.count >= 64 else { return nil }
        return first.image[60..<64].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Writes the pages. The caller's transaction has the row of the shard, so nobody else writes them.
    func write(to shard: Int, over connection: PostgresConnection) async throws {
        let number = PostgresValue.integer(Int64(shard))
        if pageCount < before {
            try await connection.execute(
                "DELETE FROM _garner.pages WHERE shard = $1 AND page > $2", number, .integer(Int64(pageCount)),
                rows: before - pageCount)
        }
        let new = all.drop { $0.page <= before }
        var parts = [all[..<new.startIndex]]
        if new.count >= Self.fewest { try await Self.copy(new, to: shard, over: connection) } else { parts.append(new) }
        for var rest in parts {
            while let (page, image) = rest.first {
                let part = rest.prefix(max(1, Self.statementSize / max(1, image.count)))
                rest = rest.dropFirst(part.count)
                let values: [PostgresValue] = [
                    number, .integers(part.map { Int64($0.page) }), .byteStrings(part.map(\.image)),
                ]
                if page <= before {
                    let found = try await connection.execute(Self.updating, parameters: values, rows: part.count)
                    if found.count == part.count { continue }
                }
                try await connection.execute(Self.inserting, parameters: values, rows: part.count)
            }
        }
    }

    /// Unlike ON CONFLICT, it does not lock each row before, which would be a record of its own in the server's log.
    private static let updating = """
        UPDATE _garner.pages SET image = bytes FROM unnest($2::bigint[], $3::bytea[]) AS changed (number, bytes)
        WHERE shard = $1 AND page = number
        """
    /// Some pages before the last one may never have been written, so each may be new or not.
    private static let inserting = """
        INSERT INTO _garner.pages (shard, page, image)
        SELECT $1, number, bytes FROM unnest($2::bigint[], $3::bytea[]) AS changed (number, bytes)
        ON CONFLICT (shard, page) DO UPDATE SET image = excluded.image
        """

    private static func copy(
        _ pages: ArraySlice<(page: UInt32, image: [UInt8])>, to shard: Int, over connection: PostgresConnection
    ) async throws {
        var next = pages.makeIterator()
        _ = try await connection.copy("COPY _garner.pages (shard, page, image) FROM STDIN (FORMAT binary)") { rows in
            guard let (page, image) = next.next() else { return false }
            try rows.append(page: page, image: image, of: shard)
            return true
        }
    }
}

extension CopyRows {
    mutating func append(page: UInt32, image: [UInt8], of shard: Int) throws {
        beginRow(columns: 3)
        append(Int32(clamping: shard))
        append(Int32(clamping: page))
        try image.withUnsafeBytes { try append(bytes: $0) }
    }
}
