import GarnerModel
import GarnerPersistence
import GarnerPostgres
package import GarnerSQLite
import Synchronization

/// Reads the pages of a shard, for one connection of SQLite. Its calls block, without a thread of the concurrency pool.
///
/// Each snapshot is one transaction, also over several shards. The connection stays open for the next one, and is opened anew where it has
/// broken. It is closed when nobody has it any longer.
package final class ShardPageSource: PageSource {
    private let shard: Int
    private let reading: ShardReading

    package convenience init(_ place: ShardPlace) { self.init(place.shard, ShardReading(place, HolderSight())) }

    fileprivate init(_ shard: Int, _ reading: ShardReading) { (self.shard, self.reading) = (shard, reading) }

    package func begin() throws -> PageSnapshot { try reading.begin(shard) }

    package func pages(from first: UInt32, count: Int) throws -> [[UInt8]] {
        try reading.pages(of: shard, from: first, count: count)
    }

    package func end() { reading.end() }

    package var isOutdated: Bool { reading.isOutdated }
}

/// The shards of a database as one connection of SQLite reads them.
final class ShardReading {
    private let place: ShardPlace
    private let sight: HolderSight
    private var connection: PostgresConnection?
    /// What the open transaction sees, or the last one saw: the shards that have pages.
    private var shards: [Int: StoredShard] = [:]
    /// The number of snapshots that have begun and not ended.
    private var snapshots = 0
    /// True if a transaction is open for the next snapshot.
    private var isPrepared = false
    private var opened: Set<Int>?

    init(_ place: ShardPlace, _ sight: HolderSight) { (self.place, self.sight) = (place, sight) }

    var isOutdated: Bool { opened.map { $0 != Set(shards.keys) } ?? false }

    /// Returns the shards that have pages. The first snapshot is that in which they were found.
    func parts() throws -> [RemotePart] {
        try beginTransaction()
        opened = Set(shards.keys)
        isPrepared = true
        return shards.keys.sorted().map { RemotePart(number: $0, source: ShardPageSource($0, self)) }
    }

    func begin(_ shard: Int) throws -> PageSnapshot {
        if snapshots == 0, !isPrepared { try beginTransaction() }
        isPrepared = false
        snapshots += 1
        guard connection != nil, let found = shards[shard] else {
            let isLost = connection == nil
            end()
            throw isLost ? Self.lost : place.missing
        }
        return PageSnapshot(pageCount: found.pageCount, pageSize: ShardPlace.pageSize, version: found.stamp.bytes)
    }

    /// Of a snapshot that another one has lost its connection for.
    private static let lost = PersistenceError(
        .server, "the connection to PostgreSQL was lost", hint: "try it again")

    private func beginTransaction() throws {
        do {
            let begun = try blockingResult { [place, connection] in
                try await describingErrors {
                    try await PostgresConnection.reusing(connection, or: place.url) {
                        try await StoredShard.all(at: place, on: $0)
                    }
                }
            }
            (connection, shards) = (begun.connection, begun.result)
            sight.set(shards.mapValues(\.isHeld))
        } catch {
            connection = nil
            throw error
        }
    }

    func pages(of shard: Int, from first: UInt32, count: Int) throws -> [[UInt8]] {
        guard let connection, let pageCount = shards[shard]?.pageCount else {
            throw PersistenceError(.bug, "a page was read without a snapshot", hint: .report)
        }
        guard first > 0, first <= pageCount, count > 0 else { return [] }
        let last = UInt32(clamping: min(Int(first) + count - 1, Int(pageCount)))
        do {
            let rows = try blockingResult {
                try await describingErrors {
                    try await connection.execute(
                        """
                        SELECT page, image FROM _garner.pages
                        WHERE shard = $1 AND page BETWEEN $2 AND $3 ORDER BY page
                        """, .integer(Int64(shard)), .integer(Int64(first)), .integer(Int64(last)), rows: count
                    ).rows
                }
            }
            var images: [[UInt8]] = []
            images.reserveCapacity(rows.count)
            for row in rows {
                guard row.count == 2, row[0].integer == Int64(first) + Int64(images.count),
                    case .bytes(let image) = row[1]
                else { break }
                images.append(image)
            }
            // What is missing further behind is told when it is needed.
            guard !images.isEmpty else { throw PersistenceError.damaged("page \(first) is missing") }
            return images
        } catch {
            self.connection = nil
            throw error
        }
    }

    func end() {
        snapshots = max(0, snapshots - 1)
        guard snapshots == 0, let connection else { return }
        let isEnded = try? blockingResult { try await connection.executeScript("COMMIT") }
        if isEnded == nil { self.connection = nil }
    }
}

/// A shard that has pages, as a transaction sees it.
private struct StoredShard: Sendable {
    let stamp: PostgresUUID
    let pageCount: UInt32
    let isHeld: Bool

    /// Begins a transaction that sees one state of all shards. Returns them by their numbers.
    static func all(at place: ShardPlace, on connection: PostgresConnection) async throws -> [Int: StoredShard] {
        let rows: [[PostgresValue]]
        do {
            rows = try await connection.executeScript(
                """
                \(ShardRow.snapshotBeginning);
                SELECT shard, stamp, pages, token IS NOT NULL AND until >= clock_timestamp() FROM _garner.shards WHERE pages > 0
                """
            ).rows
        } catch let error as PostgresError where error.kind.isMissing {
            throw place.missing
        }
        var shards: [Int: StoredShard] = [:]
        for row in rows {
            guard row.count == 4, let number = row[0].text.flatMap(Int.init),
                let stamp = row[1].text.flatMap(PostgresUUID.init), let pages = row[2].text.flatMap(UInt32.init)
            else { continue }
            shards[number] = StoredShard(stamp: stamp, pageCount: pages, isHeld: row[3].text == "t")
        }
        guard !shards.isEmpty else { throw place.missing }
        return shards
    }
}

/// What was last seen of whether somebody holds the shards, by their numbers.
final class HolderSight: Sendable {
    private let held = Mutex<[Int: Bool]?>(nil)

    func set(_ seen: [Int: Bool]) { held.withLock { $0 = seen } }

    /// Returns true if a shard is held, or any of them; nil if nobody has looked.
    func last(_ shard: Int?) -> Bool? {
        held.withLock { $0.map { held in shard.map { held[$0] ?? false } ?? held.values.contains(true) } }
    }
}

extension ShardPlace {
    /// The size of a page of each database that is kept in PostgreSQL.
    package static let pageSize = 4096

    /// Returns the database, whose parts are all shards that have pages, as SQLite reads it.
    package func remoteDatabase() -> RemoteDatabase {
        let sight = HolderSight()
        return RemoteDatabase(name: description, parts: { try ShardReading(self, sight).parts() }) { shard in
            if let seen = sight.last(shard) { return seen }
            // A database that is not there is not written.
            guard (try? ShardReading(self, sight).parts()) != nil else { return false }
            return sight.last(shard) ?? false
        }
    }
}
