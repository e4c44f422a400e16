import GarnerLibC

/// An error of a system call on a file.
package struct FileError: Error {
    /// The number from `errno`.
    package let code: Int32
}

/// An unfinished file, `PLACE.PID.garner.part`, with a lock for as long as its writer lives.
///
/// `Leftovers` removes the file of a killed writer, since the kernel has dropped its lock.
package final class PartFile: Sendable {
    package let path: String
    /// The descriptor for reading and writing. It is closed with this object.
    package let descriptor: Int32
    private let place: String

    package init(beside place: String, permissions: UInt32) throws(FileError) {
        self.place = place
        // Processes of two containers with one folder may have the same number.
        for attempt in 0..<100 {
            let number = attempt == 0 ? "\(getpid())" : "\(getpid())\(attempt)"
            let path = "\(place).\(number)\(PartName.mark)\(PartName.ending)"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw FileError(code: errno)
            }
            // A process that looks for leftovers may have removed it. On a file system without locks there are none.
            if PartLock.take(descriptor) != .held, PartLock.isFile(descriptor, at: path) {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        throw FileError(code: EEXIST)
    }

    deinit { close(descriptor) }

    /// Gives the file its place once its content and name are on the disk. Without `replaces` it throws if there is a file.
    package func publish(replaces: Bool) throws(FileError) {
        try DiskSync.content(of: descriptor)
        // Unlike a rename, a new link never replaces a file.
        guard (replaces ? rename(path, place) : link(path, place)) == 0 else { throw FileError(code: errno) }
        if !replaces { unlink(path) }
        try DiskSync.name(of: place)
    }

    /// Removes the file and SQLite's own files beside it.
    package func discard() {
        for suffix in PartName.siblings + [""] { unlink(path + suffix) }
    }
}

/// Waits for the disk, so that a file outlives a loss of power.
enum DiskSync {
    /// Waits until the content of an open file is on the disk.
    static func content(of descriptor: Int32) throws(FileError) {
        #if canImport(Darwin)
            // Here fsync leaves the bytes in the drive's cache (fcntl(2), F_FULLFSYNC).
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        // "EINVAL fd is bound to a special file … which does not support synchronization" (fsync(2)).
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileError(code: errno) }
    }

    /// Waits until the names in the file's folder are on the disk. A folder that may only be written to is left alone.
    ///
    /// "Calling fsync() does not necessarily ensure that the entry in the directory containing the file has also
    /// reached disk. For that an explicit fsync() on a file descriptor for the directory is also needed" (fsync(2)).
    static func name(of path: String) throws(FileError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EACCES { return }
            throw FileError(code: errno)
        }
        defer { close(descriptor) }
        try content(of: descriptor)
    }
}

/// The lock on a file that is being written.
///
/// It is a lock of open file descriptions (fcntl(2)). It differs from SQLite's locks, which are dropped when another
/// descriptor of the file is closed. It is on a byte that SQLite never locks, since some network file systems have only
/// one kind of lock.
enum PartLock {
    enum Outcome {
        case taken, held, unknown
    }

    private static let place: Int64 = 1 << 62

    #if canImport(Glibc)
        /// The value of F_OFD_SETLK in fcntl.h. glibc exports it only with `_GNU_SOURCE`.
        private static let command: Int32 = 37
    #else
        /// The value of F_OFD_SETLK in xnu's fcntl.h, which the SDK does not export.
        private static let command: Int32 = 90
    #endif

    /// Takes the lock if nobody has it, for as long as the descriptor is open.
    static func take(_ descriptor: Int32) -> Outcome {
        var lock = systemLock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(place)
        lock.l_len = 1
        if fcntl(descriptor, command, &lock) == 0 { return .taken }
        return errno == EAGAIN || errno == EACCES ? .held : .unknown
    }

    /// Returns true if the path leads to the open file, and the file is a regular one.
    static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_mode & S_IFMT == S_IFREG
            && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }
}

// A function has the same name as the type.
private func systemLock() -> GarnerLibC.flock { GarnerLibC.flock() }

/// The name of an unfinished file: `NAME.DIGITS.garner.part`.
enum PartName {
    static let ending = ".part"
    /// The mark of Garner's files. Without it, only the writer of `NAME` knows that the file is its own.
    static let mark = ".garner"
    /// The suffixes of the files that SQLite puts beside a database.
    static let siblings = ["-journal", "-wal", "-shm"]
    private static let mostDigits = 12

    /// Returns the name of the unfinished file, its target, and whether it is marked; nil for other files.
    static func parsed(_ entry: String) -> (part: Substring.UTF8View, place: Substring.UTF8View, isMarked: Bool)? {
        let part = siblings.lazy.compactMap { entry.utf8.dropping(suffix: $0) }.first ?? entry[...].utf8
        guard let numbered = part.dropping(suffix: ending) else { return nil }
        let unmarked = numbered.dropping(suffix: mark)
        let name = unmarked ?? numbered
        let place = name.reversed().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard 1...mostDigits ~= name.count - place.count, place.first == UInt8(ascii: "."), place.count > 1 else {
            return nil
        }
        return (part, name.prefix(place.count - 1), unmarked != nil)
    }
}

extension BidirectionalCollection<UInt8> {
    /// Returns the name without the suffix; nil if it has another one.
    fileprivate func dropping(suffix: String) -> SubSequence? {
        let isThere = reversed().starts(with: suffix.utf8.reversed())
        return isThere ? dropLast(suffix.utf8.count) : nil
    }
}
