import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres

extension ShardKeeper {
    /// Writes all pages into a new file, as `ShardPlace.copyPages` does. It must be called once, before the first commit.
    package func copy(into path: String) async throws {
        guard !isEmpty else { return }
        hashes = try await place.copiedPages(into: path, having: stamp)
        (pageCount, isCopied) = (hashes.pageCount, true)
    }
}

extension ShardPlace {
    /// Writes all pages of one state into a new file, which only its owner may read, and compares the checksum. A shard without pages makes none. If
    /// it throws, there is no file.
    package func copyPages(into path: String) async throws { _ = try await copiedPages(into: path, having: nil) }

    /// - Parameter stamp: That of the state; nil for any.
    fileprivate func copiedPages(into path: String, having stamp: PostgresUUID?) async throws -> PageHashes {
        try await onConnection { connection -> PageHashes in
            let pages = try await PageReader.begin(of: shard, over: connection)
            if let stamp, pages.row.stamp != stamp { throw PersistenceError.wentBack }
            var hashes = PageHashes()
            guard pages.row.pageCount > 0 else { return hashes }
            let file = try NewFile(path)
            do {
                while let images = try await pages.next() {
                    for (page, image) in images {
                        try file.write(image, at: (page - 1) * image.count)
                        hashes.set(page, to: image)
                    }
                }
                try pages.row.requireEqual(to: hashes)
                // Pages are read as they were at one moment: so says COMMIT.
                try await connection.executeScript("COMMIT")
            } catch {
                _ = file.close()
                unlink(path)
                throw error
            }
            if let error = file.close() {
                unlink(path)
                throw error
            }
            return hashes
        }
    }
}

/// Reads all pages of a shard in order, in one snapshot, and the next ones while the caller has the last.
final class PageReader {
    let row: ShardRow
    private let shard: Int
    private let connection: PostgresConnection
    private var ahead: Task<PostgresResult, any Error>
    private var isAtEnd = false

    /// The pages that are read at once.
    private static let portion: Int64 = 2048

    private init(_ row: ShardRow, of shard: Int, over connection: PostgresConnection) {
        (self.row, self.shard, self.connection) = (row, shard, connection)
        ahead = Self.read(after: 0, of: shard, over: connection)
    }

    /// Begins the transaction. Throws if nobody has made the shard.
    static func begin(of shard: Int, over connection: PostgresConnection) async throws -> PageReader {
        try await connection.executeScript(ShardRow.snapshotBeginning)
        guard let row = try await ShardRow.read(shard, on: connection) else {
            throw PersistenceError.damaged("the row of the shard is missing")
        }
        return PageReader(row, of: shard, over: connection)
    }

    /// Returns the next pages with their numbers; nil at the end.
    func next() async throws -> [(page: Int, image: [UInt8])]? {
        guard !isAtEnd else { return nil }
        let rows = try await ahead.value.rows
        var pages: [(page: Int, image: [UInt8])] = []
        pages.reserveCapacity(rows.count)
        for row in rows {
            guard row.count == 2, let page = row[0].integer, page > 0, case .bytes(let image) = row[1] else {
                throw PersistenceError.damaged("a page has the number \(row.first.map { "\($0)" } ?? "")")
            }
            pages.append((Int(page), image))
        }
        isAtEnd = rows.count < Int(Self.portion)
        if !isAtEnd, let last = pages.last {
            ahead = Self.read(after: Int64(last.page), of: shard, over: connection)
        }
        return pages
    }

    private static func read(
        after page: Int64, of shard: Int, over connection: PostgresConnection
    ) -> Task<PostgresResult, any Error> {
        Task {
            try await connection.execute(
                "SELECT page, image FROM _garner.pages WHERE shard = $1 AND page > $2 ORDER BY page LIMIT $3",
                .integer(Int64(shard)), .integer(page), .integer(portion), rows: Int(portion))
        }
    }
}

extension ShardRow {
    /// Begins a transaction that sees one state of the shard, however long it takes. A limit of the server's is for people who forget one.
    static let snapshotBeginning = """
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0; \
        SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL search_path = pg_catalog
        """

    func requireEqual(to hashes: PageHashes) throws(PersistenceError) {
        guard hashes.pageCount == pageCount else {
            throw .damaged("there are \(hashes.pageCount) in the place of \(pageCount)")
        }
        guard hashes.checksum == checksum else { throw .damaged("their checksum is another one") }
    }
}

/// A file that is being written, and that only its owner may read.
private struct NewFile: Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(PersistenceError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw PersistenceError(
                code == EACCES ? .permission : .cannotCreate,
                "the local copy \(path) cannot be created: \(String(cString: strerror(code)))",
                hint: "check the permissions of the folder, and its free space")
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(PersistenceError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { pwrite(descriptor, $0 + done, bytes.count - done, off_t(offset + done)) } ?? 0
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(errno) }
            done += written
        }
    }

    /// Returns the error of what could not be written.
    func close() -> PersistenceError? { GarnerLibC.close(descriptor) == 0 ? nil : failure(errno) }

    private func failure(_ code: Int32) -> PersistenceError {
        PersistenceError(
            .inputOutput, "the local copy \(path) cannot be written: \(String(cString: strerror(code)))",
            hint: "free some space; what was stored is safe in PostgreSQL")
    }
}
