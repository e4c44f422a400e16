import GarnerModel
package import GarnerPersistence
import GarnerPostgres

/// Which shards there are, and what is in them.
package struct ShardLayout: Sendable, Equatable {
    /// In the order of their numbers.
    package var shards: [ShardState]
    /// The shard of each source that has one.
    package var places: [String: Int]

    /// Returns the shard of a source; nil if it has none yet.
    package func shard(of source: String) -> Int? { places[source] }

    /// Throws if one of the sources has another shard.
    package func requirePlaces(of sources: [String], in shard: Int) throws(PersistenceError) {
        for source in sources {
            guard let other = places[source], other != shard else { continue }
            throw PersistenceError(
                .locked, "the source \(source) was moved meanwhile, from shard \(shard) to shard \(other)",
                hint: "run it again")
        }
    }

    /// The shards that have sources, in order; if none has, the first one.
    package var usedShards: [ShardState] {
        let numbers = Set(places.values)
        return numbers.isEmpty ? Array(shards.prefix(1)) : shards.filter { numbers.contains($0.number) }
    }

    /// Returns a shard's number with its sources.
    package func name(of shard: Int) -> String {
        let sources = sources(in: shard)
        return "shard \(shard)" + (sources.isEmpty ? "" : " (\(sources.joined(separator: ", ")))")
    }

    /// Returns the sources of a shard, in the order of their names.
    package func sources(in shard: Int) -> [String] { places.filter { $0.value == shard }.keys.sorted() }
}

package struct ShardState: Sendable, Equatable {
    package let number: Int
    /// 0 for a shard that nobody has written yet.
    package let pageCount: Int
    package let holder: ShardHolder?
}

extension ShardLayout {
    /// - Parameter placing: False for tables that the version with one shard has made, which name no sources.
    static func read(on connection: PostgresConnection, placing: Bool = true) async throws -> ShardLayout {
        let rows = try await connection.execute(
            """
            SELECT shard, pages, \(ShardHolder.columns), token IS NOT NULL AND until >= clock_timestamp(),
                \(placing ? "source" : "NULL::text")
            FROM _garner.shards LEFT JOIN _garner.workers USING (worker)
            \(placing ? "LEFT JOIN _garner.sources USING (shard) ORDER BY shard, source" : "ORDER BY shard")
            """
        ).rows
        var layout = ShardLayout(shards: [], places: [:])
        for row in rows {
            guard row.count == 11, let number = row[0].integer.map(Int.init), let pages = row[1].integer else {
                continue
            }
            if layout.shards.last?.number != number {
                let holder = row[9] == .boolean(true) ? ShardHolder(row[2..<9]) : nil
                layout.shards.append(ShardState(number: number, pageCount: Int(pages), holder: holder))
            }
            if let source = row[10].text { layout.places[source] = number }
        }
        return layout
    }
}

extension ShardPlace {
    /// Returns the shards of the database, whichever of them this place is. Those that nobody has written yet are among them.
    package func layout() async throws -> ShardLayout {
        do {
            return try await inTransaction { try await ShardLayout.read(on: $0) }
        } catch let error as PersistenceError where error.kind == .missing {
            return try await inTransaction { try await ShardLayout.read(on: $0, placing: false) }
        }
    }

    /// Gives places to the sources that have none, for a command, which may be the first one to use the database. Returns the places of all.
    package func placing(_ groups: [[String]]) async throws -> [String: Int] {
        try await onConnection { connection in
            try await ShardSchema.prepare(connection)
            try await ShardRow.begin(wantedShards, on: connection)
            return try await ShardSources.place(groups, shards: wantedShards, on: connection)
        }
    }
}

/// Which source is in which shard.
enum ShardSources {
    /// Gives places to the sources that have none, in one transaction: the members of a group go to the shard in which one of them is, else to
    /// that with the fewest sources. Returns the places of all sources.
    ///
    /// - Parameter wanted: The number of shards that there have to be; nil for those that there are. Before some are added to the only one, and
    ///   where no source has a place yet, those without a place get the first shard, in which everything is that was there before.
    static func place(
        _ groups: [[String]], shards wanted: Int? = nil, on connection: PostgresConnection
    ) async throws -> [String: Int] {
        try await connection.inTransaction {
            // Another table's row would wait for nobody else, and there is no row before the first source.
            try await connection.execute("SELECT pg_advisory_xact_lock(\(lock))")
            var layout = try await ShardLayout.read(on: connection)
            let known = layout.places
            let added = wanted.map { layout.shards.isEmpty ? 0 : max(0, $0 - layout.shards.count) } ?? 0
            if known.isEmpty || added > 0 && layout.shards.count == 1, let first = layout.shards.first,
                first.pageCount > 0
            {
                layout.give(groups, only: first.number)
            }
            if let wanted, added > 0 { layout.shards += try await ShardRow.add(wanted, on: connection) }
            layout.give(groups)
            for (source, shard) in layout.places.sorted(by: { $0.key < $1.key }) where known[source] == nil {
                try await connection.execute(
                    "INSERT INTO _garner.sources (source, shard) VALUES ($1, $2)", .text(source),
                    .integer(Int64(shard)))
            }
            return layout.places
        }
    }

    /// The advisory lock of those who give places: "garner" in ASCII, and one.
    private static let lock: Int64 = 0x6761_726E_6573
}

extension ShardLayout {
    /// Gives places to the sources of each group that have none.
    ///
    /// - Parameter only: The shard that all of them get.
    mutating func give(_ groups: [[String]], only: Int? = nil) {
        var counts = Dictionary(uniqueKeysWithValues: shards.map { ($0.number, 0) })
        for shard in places.values { counts[shard, default: 0] += 1 }
        for group in groups {
            let missing = group.filter { places[$0] == nil }
            guard !missing.isEmpty,
                let shard = only ?? group.compactMap({ places[$0] }).min()
                    ?? counts.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key
            else { continue }
            for source in missing { places[source] = shard }
            counts[shard, default: 0] += missing.count
        }
    }
}
