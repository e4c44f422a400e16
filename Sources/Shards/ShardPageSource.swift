import GarnerModel
import GarnerPersistence
import GarnerPostgres
package import GarnerSQLite
import Synchronization

/// Reads the pages of a shard, for one connection of SQLite. Its calls block, without a thread of the concurrency pool.
///
/// Each snapshot is one transaction. The connection stays open for the next one, and is opened anew where it has broken. It is closed when
/// nobody has it any longer.
package final class ShardPageSource: PageSource {
    private let place: ShardPlace
    private let sight: HolderSight
    private var connection: PostgresConnection?
    private var pageCount: UInt32 = 0

    package convenience init(_ place: ShardPlace) { self.init(place, HolderSight()) }

    init(_ place: ShardPlace, _ sight: HolderSight) { (self.place, self.sight) = (place, sight) }

    package func begin() throws -> PageSnapshot {
        do {
            return try blockingResult { [place, connection] in
                try await describingErrors { try await Snapshot.begin(of: place, over: connection) }
            }.adopt(by: self)
        } catch {
            connection = nil
            throw error
        }
    }

    fileprivate func adopt(_ snapshot: Snapshot) -> PageSnapshot {
        connection = snapshot.connection
        pageCount = snapshot.snapshot.pageCount
        sight.set(snapshot.isHeld)
        return snapshot.snapshot
    }

    package func pages(from first: UInt32, count: Int) throws -> [[UInt8]] {
        guard let connection else { throw PersistenceError(.bug, "a page was read without a snapshot", hint: .report) }
        guard first > 0, first <= pageCount, count > 0 else { return [] }
        let last = UInt32(clamping: min(Int(first) + count - 1, Int(pageCount)))
        do {
            let rows = try blockingResult { [shard = place.shard] in
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

    package func end() {
        guard let connection else { return }
        let isEnded = try? blockingResult { try await connection.executeScript("COMMIT") }
        if isEnded == nil { self.connection = nil }
    }
}

/// A transaction that sees one state of a shard.
private struct Snapshot: Sendable {
    let connection: PostgresConnection
    let snapshot: PageSnapshot
    let isHeld: Bool

    func adopt(by source: ShardPageSource) -> PageSnapshot { source.adopt(self) }

    /// - Parameter kept: The connection of the snapshot before.
    static func begin(of place: ShardPlace, over kept: PostgresConnection?) async throws -> Snapshot {
        if let kept {
            do {
                return try await begin(of: place, on: kept)
            } catch let error as PostgresError where error.endsConnection {
                await kept.close()
            }
        }
        let opened = try await PostgresConnection.open(place.url)
        do {
            return try await begin(of: place, on: opened)
        } catch {
            await opened.close()
            throw error
        }
    }

    private static func begin(of place: ShardPlace, on connection: PostgresConnection) async throws -> Snapshot {
        let rows: [[PostgresValue]]
        do {
            rows = try await connection.executeScript(
                """
                \(ShardRow.snapshotBeginning); SELECT stamp, pages, token IS NOT NULL AND until >= clock_timestamp()
                FROM _garner.shards WHERE shard = \(place.shard)
                """
            ).rows
        } catch let error as PostgresError where error.kind.isMissing {
            throw place.missing
        }
        guard let row = rows.first, row.count == 3, let stamp = row[0].text.flatMap(PostgresUUID.init),
            let pages = row[1].text.flatMap(UInt32.init), pages > 0
        else { throw place.missing }
        return Snapshot(
            connection: connection,
            snapshot: PageSnapshot(pageCount: pages, pageSize: ShardPlace.pageSize, version: stamp.bytes),
            isHeld: row[2].text == "t")
    }
}

/// What was last seen of whether somebody holds a shard.
final class HolderSight: Sendable {
    private let isHeld = Mutex<Bool?>(nil)

    var last: Bool? { isHeld.withLock { $0 } }

    func set(_ seen: Bool) { isHeld.withLock { $0 = seen } }
}

extension ShardPlace {
    /// The size of a page of each database that is kept in PostgreSQL.
    package static let pageSize = 4096

    /// Returns the shard as a database that SQLite reads.
    package func remoteDatabase() -> RemoteDatabase {
        let sight = HolderSight()
        return RemoteDatabase(name: description, open: { ShardPageSource(self, sight) }) {
            if let seen = sight.last { return seen }
            let source = ShardPageSource(self, sight)
            // A database that is not there is not written.
            guard (try? source.begin()) != nil else { return false }
            source.end()
            return sight.last ?? false
        }
    }
}
