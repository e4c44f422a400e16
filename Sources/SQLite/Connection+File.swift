import CSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Connection {
    /// A change of the file since it was opened that makes nobody find what is written.
    package enum FileLoss: Sendable, Equatable {
        /// It was moved, deleted or replaced; what is written still goes where it is now.
        case moved
        /// It is shorter than its own first page says, or that is gone.
        case truncated
        /// It cannot be reached, read or written by its name any more, for this reason.
        case unreachable(String)
    }

    /// The loss of the file, or of its end; nil where it is as it should be, and where there is none, as in memory.
    ///
    /// A checkpoint that another program makes just now may look like a file that was cut short: its first page is written first.
    package var fileLoss: FileLoss? { placeLoss ?? (isTruncated ? .truncated : nil) }

    /// The loss of the file at the place where it was opened; nil where it can be reached there.
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

    /// The path of the file; nil for a database in memory and a closed connection.
    private var fileName: UnsafePointer<CChar>? {
        guard isOpen, let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return name
    }

    /// Asks SQLite's own descriptor: to close another one of the file would give up its locks
    /// (sqlite.org/howtocorrupt.html, 2.2).
    private var isTruncated: Bool {
        var found: UnsafeMutablePointer<sqlite3_file>?
        guard fileName != nil,
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) == SQLITE_OK, let file = found,
            let methods = file.pointee.pMethods?.pointee, let read = methods.xRead, let size = methods.xFileSize
        else { return false }
        var bytes: sqlite3_int64 = 0
        var header = [UInt8](repeating: 0, count: 100)
        // A file that is too short is read as zeros.
        guard size(file, &bytes) == SQLITE_OK, [SQLITE_OK, Self.shortRead].contains(read(file, &header, 100, 0)) else {
            return false
        }
        guard bytes >= header.count, header.starts(with: "SQLite format 3\0".utf8) else { return true }
        // "The in-header database size is only considered to be valid if … the change counter … exactly matches the
        // version-valid-for number" (sqlite.org/fileformat2.html, 1.3.8).
        guard header[24..<28] == header[92..<96] else { return false }
        let pages = header[28..<32].reduce(0) { $0 << 8 | Int64($1) }
        let pageSize = header[16..<18].reduce(0) { $0 << 8 | Int64($1) }
        return bytes < pages * (pageSize == 1 ? 65536 : pageSize)
    }

    private static let shortRead = SQLITE_IOERR | 2 << 8
}
