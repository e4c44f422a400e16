import CGarnerSQLite
import GarnerLibC

/// The pages that one commit has changed, as the write-ahead log has them.
///
/// Together with those of all commits before they are the whole database.
package struct CommittedPages: Sendable {
    /// The pages by their numbers, from 1.
    package var images: [UInt32: [UInt8]]
    /// The size of the database after the commit, in pages. Pages with higher numbers are gone.
    package var pageCount: UInt32
    package var pageSize: Int

    package init(images: [UInt32: [UInt8]], pageCount: UInt32, pageSize: Int) {
        (self.images, self.pageCount, self.pageSize) = (images, pageCount, pageSize)
    }
}

extension Connection {
    /// Calls `receive` after each commit, on the connection's thread, and copies the log into the file from time to time in SQLite's place.
    /// No commit waits for the disk any more.
    ///
    /// A call that blocks makes the commit wait. An error of reading the log is given as nil: what was committed is not known then.
    ///
    /// The database must use a write-ahead log. What it has already is not told, but for its first page, which a change to a write-ahead
    /// log has written past the log.
    package func observeCommits(_ receive: @escaping @Sendable (CommittedPages?) -> Void) throws {
        try executeScript("PRAGMA synchronous = OFF")
        guard let fileName, let log = sqlite3_filename_wal(fileName) else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "\(path) has no write-ahead log")
        }
        let observer = CommitObserver(
            log: String(cString: log), pageCount: UInt32(clamping: try integer("PRAGMA page_count") ?? 0),
            firstPage: beginning(pageSize).map { $0.fileSize > 0 ? $0.bytes : [] } ?? [], receive)
        commitObserver = observer
        // Safe without retaining: the connection keeps it as long as the handle.
        sqlite3_wal_hook(handle, noteCommit, Unmanaged.passUnretained(observer).toOpaque())
    }

    /// Has the transaction that is open be awaited, whatever `begin` was told.
    package func awaitCommit() { commitObserver?.isUnawaited = false }

    /// Returns true if a commit was told since the last call that somebody waits for: one that `begin` was not told not to wait for, or one
    /// whose pages are not known.
    package func takeAwaitedCommit() -> Bool {
        defer { commitObserver?.hasAwaitedCommit = false }
        return commitObserver?.hasAwaitedCommit ?? false
    }
}

/// Reads the frames of each commit from the write-ahead log (sqlite.org/fileformat2.html#the_write_ahead_log).
///
/// SQLite calls it once the frames are in the log, and before anything of the log can be written anew: only a transaction of this
/// connection begins the log again.
final class CommitObserver {
    /// The size of the log, in pages, from which it is copied into the database.
    var logPages: Int32 = 1_000
    /// True if the transaction that is open need not be awaited.
    var isUnawaited = false
    var hasAwaitedCommit = false

    private let log: String
    private let receive: @Sendable (CommittedPages?) -> Void
    /// A descriptor of its own. No lock of SQLite lies on the log, so that it may be closed (sqlite.org/howtocorrupt.html, 2.2).
    private var descriptor: Int32 = -1
    /// The bytes of the log's header, of which each new log has others; empty before the first commit.
    private var header: [UInt8] = []
    /// The number of the log's frames that were read.
    private var frames = 0
    /// The size of the database after the commit before, in pages.
    private var pageCount: UInt32
    /// The first page, as it was before the first commit; empty if there was none, and later.
    private var firstPage: [UInt8]

    init(
        log: String, pageCount: UInt32, firstPage: [UInt8], _ receive: @escaping @Sendable (CommittedPages?) -> Void
    ) {
        (self.log, self.pageCount, self.firstPage, self.receive) = (log, pageCount, firstPage, receive)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Tells the pages of the commit after which the log has that many frames.
    func note(frames count: Int) {
        let pages = pages(upTo: count)
        if !isUnawaited || pages == nil { hasAwaitedCommit = true }
        receive(pages)
    }

    /// Returns the pages of the frames that were not read yet; nil if they cannot be read.
    private func pages(upTo count: Int) -> CommittedPages? {
        if descriptor < 0 { descriptor = open(log, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0, let current = bytes(at: 0, count: Self.headerLength),
            [0x377f_0682, 0x377f_0683].contains(number(in: current, at: 0))
        else { return nil }
        if current != header { (header, frames) = (current, 0) }
        let pageSize = Int(number(in: header, at: 8))
        let frameLength = Self.frameHeaderLength + pageSize
        guard pageSize >= 512, pageSize <= 65_536, count >= frames else { return nil }
        var found = CommittedPages(images: firstPage.isEmpty ? [:] : [1: firstPage], pageCount: 0, pageSize: pageSize)
        while frames < count {
            let many = min(count - frames, max(1, Self.portion / frameLength))
            guard let part = bytes(at: Self.headerLength + frames * frameLength, count: many * frameLength) else {
                return nil
            }
            for start in stride(from: 0, to: part.count, by: frameLength) {
                let salts = part[start + 8..<start + 16]
                // Frames of a transaction that has written some of its pages anew have none until it ends, and with SQLite 3.40 some of
                // them not even then: those behind a savepoint that was undone.
                guard salts == header[16..<24] || salts.allSatisfy({ $0 == 0 }) else { return nil }
                let image = start + Self.frameHeaderLength..<start + frameLength
                found.images[number(in: part, at: start)] = Array(part[image])
                found.pageCount = number(in: part, at: start + 4)
            }
            frames += many
        }
        // The last frame of a commit has the size of the database.
        guard found.pageCount > 0 else { return nil }
        complete(&found)
        return found
    }

    /// Adds what no frame has: a page beyond the end before that holds nothing, such as the one with the bytes of SQLite's locks.
    /// Removes what is beyond the end: a page that a transaction has written to the log before it has made the database smaller.
    private func complete(_ found: inout CommittedPages) {
        if found.pageCount > pageCount {
            for page in pageCount + 1...found.pageCount where found.images[page] == nil {
                found.images[page] = [UInt8](repeating: 0, count: found.pageSize)
            }
        }
        for page in found.images.keys where page > found.pageCount { found.images[page] = nil }
        pageCount = found.pageCount
        firstPage = []
    }

    private func bytes(at offset: Int, count: Int) -> [UInt8]? {
        var found = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while found < count {
                let read = pread(
                    descriptor, buffer.baseAddress.map { $0 + found }, count - found, off_t(offset + found))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                found += read
            }
            filled = found
        }
        return found == count ? bytes : nil
    }

    /// Returns a number of four bytes, the highest first.
    private func number(in bytes: [UInt8], at start: Int) -> UInt32 {
        bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static let (headerLength, frameHeaderLength) = (32, 24)
    /// The bytes that are read at once.
    private static let portion = 1 << 20
}

/// Called by SQLite after a commit, with the name of the database and the number of frames in its log.
private func noteCommit(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ database: UnsafePointer<CChar>?, _ frames: Int32
) -> Int32 {
    guard let context, let database, strcmp(database, "main") == 0 else { return SQLITE_OK }
    let observer = Unmanaged<CommitObserver>.fromOpaque(context).takeUnretainedValue()
    observer.note(frames: Int(frames))
    // As SQLite does by itself. Readers may hold it back, and what it does not copy stays in the log.
    if frames >= observer.logPages {
        sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
    return SQLITE_OK
}
