import CGarnerSQLite
import CGarnerVFS
import GarnerLibC

extension Connection {
    /// A change to the file, after it was opened, that makes further writes unreachable.
    package enum FileLoss: Sendable, Equatable {
        /// The file was moved, deleted or replaced. Writes go to the file at its new place.
        case moved
        /// The file is shorter than its first page says although no page waits in the log, or has lost that page.
        case truncated
        /// The file cannot be reached, read or written under its name, for this reason.
        case unreachable(String)
    }

    /// The loss of the file or of its end; nil if the file is intact, or if there is none.
    ///
    /// An intact file may look truncated during another program's checkpoint, because its first page is written first. And
    /// while a reader holds a checkpoint back, the first page may be copied long before the last one is. So the look counts
    /// only when all of the log is copied.
    package var fileLoss: FileLoss? {
        if let placeLoss { return placeLoss }
        switch length {
        case .noFile, .whole: return nil
        case .withoutHeader: return .truncated
        case .short: return isLogCopied && length == .short ? .truncated : nil
        }
    }

    /// The loss of the file at the path where it was opened; nil if it is still there.
    package var placeLoss: FileLoss? {
        guard let name = fileName else { return nil }
        guard access(name, R_OK | W_OK) == 0 else {
            let code = errno
            return [ENOENT, ENOTDIR].contains(code) ? .moved : .unreachable(String(cString: strerror(code)))
        }
        var hasMoved: Int32 = 0
        if sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0 {
            return .moved
        }
        return nil
    }

    /// The path of the file; nil for a database that is none, and for a closed connection.
    var fileName: UnsafePointer<CChar>? {
        guard isOpen, !isRemote, let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return name
    }

    /// What the file's size says, beside the size in its header.
    private enum Length {
        case noFile, whole, short, withoutHeader
    }

    /// Returns the first bytes of the file and its size; nil if it cannot be read. Beyond the end of a short file there are zeros.
    ///
    /// This uses SQLite's own descriptor, because closing another one would release the file's locks (sqlite.org/howtocorrupt.html, 2.2).
    func beginning(_ count: Int) -> (bytes: [UInt8], fileSize: Int64)? {
        var found: UnsafeMutablePointer<sqlite3_file>?
        guard fileName != nil,
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) == SQLITE_OK, let file = found,
            let methods = file.pointee.pMethods?.pointee, let read = methods.xRead, let size = methods.xFileSize
        else { return nil }
        var fileSize: sqlite3_int64 = 0
        var bytes = [UInt8](repeating: 0, count: count)
        guard size(file, &fileSize) == SQLITE_OK,
            [SQLITE_OK, Self.shortRead].contains(read(file, &bytes, Int32(count), 0))
        else { return nil }
        return (bytes, fileSize)
    }

    /// Compares the file's size with its header.
    private var length: Length {
        guard let (header, bytes) = beginning(100) else { return .noFile }
        guard bytes >= header.count, header.starts(with: "SQLite format 3\0".utf8) else { return .withoutHeader }
        // "The in-header database size is only considered to be valid if … the change counter … exactly matches the
        // version-valid-for number" (sqlite.org/fileformat2.html, 1.3.8).
        guard header[24..<28] == header[92..<96] else { return .whole }
        let pages = header[28..<32].reduce(0) { $0 << 8 | Int64($1) }
        let pageSize = header[16..<18].reduce(0) { $0 << 8 | Int64($1) }
        return bytes < pages * (pageSize == 1 ? 65536 : pageSize) ? .short : .whole
    }

    /// Copies the log into the database as far as nobody prevents it. Returns true if all of it is copied.
    private var isLogCopied: Bool {
        var (frames, copied): (Int32, Int32) = (0, 0)
        return sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied) == SQLITE_OK
            && frames == copied
    }

    private static let shortRead = SQLITE_IOERR | 2 << 8
}

// Other processes.
extension Connection {
    /// True if another process has the database open, or if nothing tells.
    ///
    /// In WAL mode, a connection keeps its shared lock until it is closed. The locks of this process do not count.
    package var isOpenElsewhere: Bool {
        guard let descriptor else { return true }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        // SHARED_FIRST and SHARED_SIZE in SQLite's os.h, on which all processes with the file open agree.
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }

    /// A descriptor of the file, which SQLite has opened and closes; nil if none is found.
    ///
    /// SQLite does not tell it. One of our own would not do, since closing it would release SQLite's locks
    /// (sqlite.org/howtocorrupt.html, 2.2).
    private var descriptor: Int32? {
        if let found = foundDescriptor, found.isOpen { return found.number }
        var named = stat()
        guard let fileName, stat(fileName, &named) == 0 else { return nil }
        foundDescriptor = (0..<min(getdtablesize(), 1 << 16)).lazy
            .map { FoundDescriptor(number: $0, device: named.st_dev, file: named.st_ino) }.first(where: \.isOpen)
        return foundDescriptor?.number
    }

    /// A descriptor that was found by the file that it belongs to. It may be another connection's, which closes it.
    struct FoundDescriptor {
        let number: Int32
        let device: dev_t
        let file: ino_t

        /// True if the number is still one of the file.
        var isOpen: Bool {
            var opened = stat()
            return fstat(number, &opened) == 0 && opened.st_dev == device && opened.st_ino == file
        }
    }
}

// The write-ahead log: changes that were committed and are not in the database file yet.
extension Connection {
    /// The size of the log file in bytes; 0 if there is none.
    package var logBytes: Int {
        guard let fileName, let log = sqlite3_filename_wal(fileName) else { return 0 }
        var status = stat()
        return stat(log, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Waits until the log is on the disk, and so all that this connection sees: what was copied from it into the database was written out
    /// before. Others go on meanwhile.
    ///
    /// No lock of SQLite lies on the log itself, so that it may be opened and closed once more (sqlite.org/howtocorrupt.html, 2.2).
    package func syncLog() throws(SQLiteError) {
        guard let fileName, let log = sqlite3_filename_wal(fileName) else { return }
        let code = syncFile(log)
        // If the log is gone, all of it is in the database.
        guard code == 0 || code == ENOENT else {
            let text = "\(String(cString: log)): \(String(cString: strerror(code)))"
            throw SQLiteError(code: SQLITE_IOERR, message: text, systemCode: code)
        }
    }

    /// Copies the log into the database and truncates it. Returns false if a reader or another writer prevents that.
    ///
    /// Even then, as much as possible is copied, but a log in use cannot be truncated
    /// (sqlite.org/c3ref/wal_checkpoint_v2.html).
    ///
    /// - Parameter patience: the longest time to wait for other connections.
    package func checkpoint(waiting patience: Duration) throws(SQLiteError) -> Bool {
        guard isOpen else { throw .closed(path, "a checkpoint") }
        setBusyTimeout(patience)
        defer { setBusyTimeout(busyTimeout) }
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code == SQLITE_OK { return true }
        let failure = error()
        guard failure.kind == .busy else { throw failure }
        return false
    }
}

/// Waits until a file is on the disk. Returns the value of `errno`; 0 if it is.
private func syncFile(_ path: UnsafePointer<CChar>) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    #if canImport(Darwin)
        let isSynced = fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
    #else
        let isSynced = fdatasync(descriptor) == 0
    #endif
    return isSynced ? 0 : errno
}

/// Copies one database over another, some pages at a time, while other connections use the source.
///
/// If the source stays in one `snapshot`, all steps see the same state of it. Otherwise, "if the source database is
/// modified by another process … the backup will be automatically restarted by the next call to sqlite3_backup_step()"
/// (sqlite.org/c3ref/backup_finish.html).
package final class Backup {
    // Both connections stay open as long as this object.
    private let source: Connection
    private let copy: Connection
    private var handle: OpaquePointer?

    package init(of source: Connection, to copy: Connection) throws(SQLiteError) {
        for connection in [source, copy] where !connection.isOpen { throw .closed(connection.path, "a backup") }
        guard let handle = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else { throw copy.error() }
        (self.source, self.copy, self.handle) = (source, copy, handle)
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies that many pages. Returns false when none are left.
    package func step(pages: Int) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(handle, Int32(clamping: pages))
        switch code {
        case SQLITE_OK: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }

    /// The number of pages in the source, as the latest step found it.
    package var pageCount: Int { handle.map { Int(sqlite3_backup_pagecount($0)) } ?? 0 }

    /// Commits the copy, which is usable from then on.
    package func finish() throws(SQLiteError) {
        let code = sqlite3_backup_finish(handle)
        handle = nil
        guard code == SQLITE_OK else { throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code))) }
    }
}

/// The VFS of all connections. It reads many pages at a time in long scans, past the cache, and has the kernel begin to write
/// before SQLite waits for the disk.
enum GarnerVFS {
    /// The VFS's name, for opening a connection. The first use registers the VFS with SQLite.
    static var name: UnsafePointer<CChar> {
        get throws(SQLiteError) {
            guard registration == SQLITE_OK else {
                throw SQLiteError(code: registration, message: String(cString: sqlite3_errstr(registration)))
            }
            return garner_vfs
        }
    }

    /// The pragma that makes SQLite ask the VFS for pages in place. It does so only if it may map the file, even a
    /// single byte (sqlite.org/mmap.html).
    static let enablingReadAhead = "PRAGMA mmap_size = 1"

    /// The largest log, in bytes, with which pages are read in place. While they are, SQLite looks up each page in the
    /// log's index, even a cached one. With a log of 100 MB, that takes a fifth of a cached lookup's time.
    static let largestLogForReadAhead = 32 << 20

    private static let registration = garner_vfs_register()
}
