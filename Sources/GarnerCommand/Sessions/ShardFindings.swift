import GarnerCatalog
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerPresentation
import GarnerShards

/// `doctor` finds this of a database in PostgreSQL.
struct ShardFindings {
    let place: ShardPlace
    /// The configuration, whose sources have their shards; nil if it cannot be read.
    var configuration: Configuration?
    /// How long a session may look at one state of PostgreSQL's tables, which keeps old pages from being removed.
    var longestSnapshot = Duration.seconds(3600)

    func all() async -> [Finding] {
        do {
            let layout = try await place.layout()
            let advice = configuration.map { layout.advice(on: $0, at: place) } ?? []
            var findings = advice.map { Finding.warning("sources", $0.message, hint: .text($0.hint)) }
            let stored = layout.shards.filter { $0.pageCount > 0 }
            for shard in stored {
                findings.append(holder(of: shard, layout, isOnly: stored.count == 1))
                findings.append(try await pages(of: shard, isOnly: stored.count == 1))
            }
            return try await findings + [server(), snapshots()].compactMap(\.self)
        } catch {
            let failure = RunFailure(error)
            return [.problem("shard", failure.message, hint: failure.hint ?? "check the server of the database")]
        }
    }

    private func holder(of shard: ShardState, _ layout: ShardLayout, isOnly: Bool) -> Finding {
        let name = isOnly ? "\(place)" : layout.name(of: shard.number)
        guard let holder = shard.holder else { return .ok("shard", "nobody writes \(name)") }
        return .ok("shard", "\(name) is written by \(holder.name)")
    }

    private func pages(of shard: ShardState, isOnly: Bool) async throws -> Finding {
        let found = try await place.at(shard.number).examine()
        let name = isOnly ? "" : " of shard \(shard.number)"
        guard let damage = found.damage else {
            return .ok("pages", "all \(found.pageCount) pages\(name) have the checksum with which they were stored")
        }
        return .problem("pages", damage + name, hint: "restore the database of PostgreSQL from a backup")
    }

    /// Returns what is wrong with the server; nil if nothing is.
    private func server() async throws -> Finding? {
        try await place.survivesCrash()
            ? nil
            : .problem(
                "server", "the server has fsync = off: a crash of it may lose or damage what was stored",
                hint: "set fsync = on in postgresql.conf, and restart the server")
    }

    /// Returns the session or slot with the oldest snapshot, if that is too old.
    private func snapshots() async throws -> Finding? {
        let rows = try await PostgresConnection.over(place.url) { connection in
            try await connection.execute(
                """
                SELECT pid::bigint, coalesce(usename::text, ''), coalesce(application_name, ''),
                    extract(epoch FROM clock_timestamp() - xact_start)::float8,
                    pg_total_relation_size('_garner.pages'), (SELECT sum(pages)::bigint FROM _garner.shards)
                FROM pg_stat_activity
                WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
                    AND xact_start < clock_timestamp() - $1 * interval '1 second'
                ORDER BY xact_start LIMIT 1
                """, .double(Double(longestSnapshot.components.seconds)))
        }.rows
        guard let row = rows.first, row.count == 6, let process = row[0].integer, let user = row[1].text,
            let program = row[2].text, case .double(let age) = row[3], let size = row[4].integer
        else { return nil }
        let needed = Int64(ShardPlace.pageSize) * (row[5].integer ?? 0)
        let name = [user, program].filter { !$0.isEmpty }.joined(separator: ", ")
        return .warning(
            "snapshots",
            "the session \(process)\(name.isEmpty ? "" : " (\(name))") looks at a state of "
                + "\(DurationText.format(.seconds(Int(age)))) ago, so that old pages cannot be removed: the table of pages has "
                + "\(ByteCount.format(Int(size))), of which \(ByteCount.format(Int(needed))) are needed at most",
            hint: .text("end it, with: SELECT pg_terminate_backend(\(process))"))
    }
}
