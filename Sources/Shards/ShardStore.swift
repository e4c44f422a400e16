import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres

extension ShardPlace {
    /// Stores whole files, whose write-ahead logs are empty, as the shards of a new database, in one transaction.
    ///
    /// - Parameters:
    ///   - groups: The sources of all files, in groups that stay together.
    ///   - tell: Told who holds a shard that is waited for.
    ///   - make: Makes the files, and returns their paths. It gets the shard of each source.
    /// - Throws: `PersistenceError` if there is a database, or if somebody is about to make one.
    package func store(
        _ groups: [[String]], as worker: WorkerIdentity, waiting tell: (ShardHolder) -> Void = { _ in },
        _ make: (_ places: [String: Int]) async throws -> [Int: String]
    ) async throws {
        let occupied = PersistenceError(
            .cannotCreate, "there is a database at \(self) already",
            hint: "name another database of PostgreSQL, or drop the schema _garner there if nobody needs it")
        if let found = try? await layout(), found.shards.contains(where: { $0.pageCount > 0 }) { throw occupied }
        // The first claim makes the tables.
        try await holding([1], as: worker, waiting: tell) { first in
            guard try await layout().shards.allSatisfy({ $0.pageCount == 0 }) else { throw occupied }
            let places = try await onConnection { try await ShardSources.place(groups, shards: wantedShards, on: $0) }
            let files = try await make(places)
            try await holding(files.keys.filter { $0 != 1 }, as: worker, waiting: tell) { others in
                // A worker may have begun one while the files were made.
                guard others.values.allSatisfy({ $0.isEmpty }) else { throw occupied }
                let keepers = first.merging(others) { $1 }
                let all = files.sorted { $0.key < $1.key }.compactMap { file in
                    keepers[file.key].map { (keeper: $0, path: file.value) }
                }
                // One that has stored nothing may have left random bits for hashes, and the files have theirs.
                try await onConnection { _ = try await $0.execute("DELETE FROM _garner.tokens WHERE key = 'hash_key'") }
                try await replace(all, moving: [:])
            }
        }
    }

    /// Has other sources, and other files, in shards that this process holds, in one transaction: a crash changes all of it, or nothing.
    ///
    /// - Parameter places: The sources that get another shard.
    package func replace(
        _ files: [(keeper: ShardKeeper, path: String)], moving places: [String: Int]
    ) async throws {
        try await inTransaction { connection in
            for (source, shard) in places.sorted(by: { $0.key < $1.key }) {
                try await connection.execute(
                    """
                    INSERT INTO _garner.sources (source, shard) VALUES ($1, $2)
                    ON CONFLICT (source) DO UPDATE SET shard = excluded.shard
                    """, .text(source), .integer(Int64(shard)))
            }
            var copied: [CopiedFile] = []
            for file in files { copied.append(try await file.keeper.copyPages(ofFile: file.path, over: connection)) }
            for (file, pages) in zip(files, copied) { try await file.keeper.take(pages, over: connection) }
        }
    }

    /// Takes shards for `body`, and gives them back however it ends.
    private func holding<R>(
        _ shards: [Int], as worker: WorkerIdentity, waiting tell: (ShardHolder) -> Void,
        _ body: ([Int: ShardKeeper]) async throws -> R
    ) async throws -> R {
        var keepers: [Int: ShardKeeper] = [:]
        let result: Result<R, any Error>
        do {
            for shard in shards.sorted() {
                keepers[shard] = try await at(shard).claimWhenLeft(as: worker, waiting: tell)
            }
            result = .success(try await body(keepers))
        } catch {
            result = .failure(error)
        }
        for keeper in keepers.values {
            do { try await keeper.release() } catch { if case .success = result { throw error } }
        }
        return try result.get()
    }

    /// Claims the shard. If somebody has it who may be gone, waits for the end of the lease: who lives renews it before, and is the error.
    private func claimWhenLeft(
        as worker: WorkerIdentity, waiting tell: (ShardHolder) -> Void
    ) async throws -> ShardKeeper {
        var first: ShardHolder?
        while true {
            switch try await ShardKeeper.claim(self, as: worker) {
            case .claimed(let keeper): return keeper
            case .held(let holder):
                if first == nil { tell(holder) }
                if let first, holder.until > first.until { throw PersistenceError(held: self, by: holder) }
                first = first ?? holder
                // The lease ends by the clock of PostgreSQL, which no clock of this process stands for.
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Returns false if a crash of the server may lose what was stored (`fsync = off`).
    package func survivesCrash() async throws -> Bool {
        try await inTransaction { try await $0.execute("SHOW fsync").value?.text != "off" }
    }

    /// Compares the checksum of all pages with that of the shard's row, for `doctor`.
    package func examine() async throws -> ShardExamination {
        try await onConnection { try await ShardExamination(of: shard, over: $0) }
    }
}

extension ShardKeeper {
    /// Copies the pages of a file into the place of those that there are, as long as the lease is renewed beside it. Nobody else writes pages of
    /// a shard that this process holds.
    fileprivate func copyPages(ofFile path: String, over connection: PostgresConnection) async throws -> CopiedFile {
        let file = try PagesOfFile(path)
        if !isEmpty {
            try await connection.execute("DELETE FROM _garner.pages WHERE shard = $1", .integer(Int64(place.shard)))
        }
        var hashes = PageHashes()
        var page: UInt32 = 0
        var schemaVersion: Int64 = 0
        _ = try await connection.copy("COPY _garner.pages (shard, page, image) FROM STDIN (FORMAT binary)") { rows in
            guard waiting.ending == nil, let image = try file.next() else { return false }
            page += 1
            if page == 1 { schemaVersion = image[60..<64].reduce(0) { $0 << 8 | Int64($1) } }
            hashes.set(Int(page), to: image)
            try rows.append(page: page, image: image, of: place.shard)
            return true
        }
        if let ending = waiting.ending { throw ending }
        return CopiedFile(pageCount: hashes.pageCount, checksum: hashes.checksum, schemaVersion: schemaVersion)
    }

    /// Compares the token, and has the row of the shard say what was copied. The row is locked until the transaction ends, and the lease cannot be
    /// renewed then: so this comes after all pages.
    fileprivate func take(_ file: CopiedFile, over connection: PostgresConnection) async throws {
        let next = PostgresUUID.random()
        nextStamp = next
        let result = try await connection.execute(
            """
            UPDATE _garner.shards SET stamp = $4, checksum = $5, pages = $6, schema_version = $7
            WHERE shard = $1 AND token = $2 AND stamp = $3
            """, .integer(Int64(place.shard)), .uuid(token), .uuid(stamp), .uuid(next), .integer(file.checksum),
            .integer(Int64(file.pageCount)), .integer(file.schemaVersion))
        guard result.count == 1 else { throw PersistenceError.taken(by: nil) }
    }
}

/// What the row of a shard says of pages that were copied.
private struct CopiedFile: Sendable {
    let pageCount: Int
    let checksum: Int64
    let schemaVersion: Int64
}

/// The pages of a file of SQLite's, one after the other.
private final class PagesOfFile {
    private let path: String
    private let descriptor: Int32
    private var buffer: ArraySlice<UInt8> = []

    init(_ path: String) throws(PersistenceError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw PersistenceError(
                .inputOutput, "\(path) cannot be read: \(String(cString: strerror(errno)))",
                hint: "check its name, its owner and its permissions")
        }
        let header = try read(100)
        let size = header.count < 100 ? 0 : Int(header[16]) << 8 | Int(header[17])
        guard header.starts(with: "SQLite format 3\0".utf8), size == ShardPlace.pageSize else {
            throw PersistenceError(
                .unusable, "\(path) is no database with pages of \(ShardPlace.pageSize) bytes",
                hint: "name a database of Garner's")
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// Returns the next page; nil at the end.
    func next() throws(PersistenceError) -> [UInt8]? {
        if buffer.isEmpty { buffer = try read(256 * ShardPlace.pageSize)[...] }
        guard !buffer.isEmpty else { return nil }
        guard buffer.count >= ShardPlace.pageSize else {
            throw PersistenceError(
                .unusable, "\(path) ends within a page", hint: "restore it from a backup")
        }
        defer { buffer = buffer.dropFirst(ShardPlace.pageSize) }
        return Array(buffer.prefix(ShardPlace.pageSize))
    }

    private func read(_ count: Int) throws(PersistenceError) -> [UInt8] {
        do throws(FileReadError) {
            return try readBytes(of: descriptor, upTo: count)
        } catch {
            throw PersistenceError(
                .inputOutput, "\(path) cannot be read: \(error)", hint: "check the health of the disk")
        }
    }
}

/// What `doctor` finds of a shard's pages.
package struct ShardExamination: Sendable, Equatable {
    /// The number of pages in the table.
    package let pageCount: Int
    /// What is wrong with them, in words; nil if they are those that were stored.
    package let damage: String?

    init(of shard: Int, over connection: PostgresConnection) async throws {
        let pages = try await PageReader.begin(of: shard, over: connection)
        var hashes = PageHashes()
        while let images = try await pages.next() {
            for (page, image) in images { hashes.set(page, to: image) }
        }
        try await connection.executeScript("COMMIT")
        do throws(PersistenceError) {
            try pages.row.requireEqual(to: hashes)
            damage = nil
        } catch {
            damage = error.message
        }
        pageCount = hashes.pageCount
    }
}
