#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The lock on a file that is being written.
///
/// It is one of open file descriptions (fcntl(2)): not SQLite's, which closing another descriptor of the file would drop,
/// and on a byte that SQLite never locks, where a network's file system knows but one kind of lock.
enum PartLock {
    enum Outcome {
        case taken, held, unknown
    }

    private static let place: Int64 = 1 << 62

    #if canImport(Glibc)
        /// F_OFD_SETLK of fcntl.h, which glibc shows to C with `_GNU_SOURCE` only.
        private static let command: Int32 = 37
    #else
        /// F_OFD_SETLK of xnu's fcntl.h, which the SDK does not show.
        private static let command: Int32 = 90
    #endif

    /// Takes the lock, where nobody has it, for as long as the descriptor is open.
    static func take(_ descriptor: Int32) -> Outcome {
        var lock = systemLock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(place)
        lock.l_len = 1
        if fcntl(descriptor, command, &lock) == 0 { return .taken }
        return errno == EAGAIN || errno == EACCES ? .held : .unknown
    }

    /// True where the path leads to the open file, and that is a regular one.
    static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_mode & S_IFMT == S_IFREG
            && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }
}

#if canImport(Glibc)
    private func systemLock() -> Glibc.flock { Glibc.flock() }
#else
    private func systemLock() -> Darwin.flock { Darwin.flock() }
#endif
