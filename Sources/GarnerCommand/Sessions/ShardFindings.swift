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
    /// The bytes of the table of pages, above four times what is needed, that are told where nobody can be seen who keeps them.
    var mostUnneeded: Int64 = 64 << 20

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

    /// Returns the session or prepared transaction with the oldest snapshot, if that is too old; else, that the table is much too large, where
    /// the role cannot see the sessions of others.
    private func snapshots() async throws -> Finding? {
        let row = try await PostgresConnection.over(place.url) { connection in
            try await connection.execute(
                """
                WITH holding (name, since, ending) AS (
                    SELECT 'session ' || pid
                            || coalesce(' (' || nullif(concat_ws(', ', usename, nullif(application_name, '')), '') || ')', ''),
                        xact_start, format('SELECT pg_terminate_backend(%s)', pid)
                    FROM pg_stat_activity
                    WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
                        AND coalesce(datname = current_database(), true)
                    UNION ALL SELECT format('prepared transaction %L', gid), prepared, format('ROLLBACK PREPARED %L', gid)
                    FROM pg_prepared_xacts WHERE database = current_database()), oldest AS (
                    SELECT name, extract(epoch FROM clock_timestamp() - since)::float8 AS age, ending FROM holding
                    WHERE since < clock_timestamp() - $1 * interval '1 second' ORDER BY since LIMIT 1)
                SELECT pg_total_relation_size('_garner.pages'), (SELECT sum(pages)::bigint FROM _garner.shards),
                    name, age, ending, pg_has_role('pg_read_all_stats', 'MEMBER'), quote_ident(current_user)
                FROM (VALUES (1)) AS one LEFT JOIN oldest ON true
                """, .double(Double(longestSnapshot.components.seconds)))
        }.rows.first
        guard let row, row.count == 7, let size = row[0].integer else { return nil }
        let needed = Int64(ShardPlace.pageSize) * (row[1].integer ?? 0)
        let sizes =
            "the table of pages has \(ByteCount.format(Int(size))), of which \(ByteCount.format(Int(needed))) are needed at most"
        if let name = row[2].text, case .double(let age) = row[3], let ending = row[4].text {
            return .warning(
                "snapshots",
                "the \(name) looks at a state of \(DurationText.format(.seconds(Int(age)))) ago, so that old pages cannot be "
                    + "removed: \(sizes)", hint: .text("end it, with: \(ending)"))
        }
        guard size - 4 * needed > mostUnneeded, row[5] == .boolean(false), let role = row[6].text else { return nil }
        return .warning(
            "snapshots",
            "\(sizes); somebody may look at an old state, and the sessions of other roles are not to be seen",
            hint: .text("let the role see them, with: GRANT pg_read_all_stats TO \(role)"))
    }
}
