import LibC

/// An error of a system call on a file.
package struct FileError: Error {
    /// The number from `errno`.
    package let code: Int32
}

/// A file on its way to its place, `PLACE.PID.garner.part`, which is locked for as long as its writer lives.
///
/// `Leftovers` removes the file of a writer that was killed: the kernel has dropped its lock.
package final class PartFile: Sendable {
    package let path: String
    /// For reading and writing; closed with this object.
    package let descriptor: Int32
    private let place: String

    /// Makes an empty file beside a place.
    package init(beside place: String, permissions: UInt32) throws(FileError) {
        self.place = place
        // Processes of two containers that write into one folder may have the same number.
        for attempt in 0..<100 {
            let number = attempt == 0 ? "\(getpid())" : "\(getpid())\(attempt)"
            let path = "\(place).\(number)\(PartName.mark)\(PartName.ending)"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw FileError(code: errno)
            }
            // A process that looks for leftovers may have been faster. On a file system without locks none
            // are known.
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

    /// Gives the file its place; without `replaces` it throws where there is a file already.
    package func publish(replaces: Bool) throws(FileError) {
        // A new link is never made over an existing file, unlike a rename.
        guard (replaces ? rename(path, place) : link(path, place)) == 0 else { throw FileError(code: errno) }
        if !replaces { unlink(path) }
    }

    /// Removes the file, and SQLite's own beside it.
    package func discard() {
        for suffix in PartName.siblings + [""] { unlink(path + suffix) }
    }
}

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

// The type: a function has the same name.
private func systemLock() -> LibC.flock { LibC.flock() }

/// The name of an unfinished file: `NAME.DIGITS.garner.part`.
enum PartName {
    static let ending = ".part"
    /// Without it, only who knows `NAME` knows whose file it is.
    static let mark = ".garner"
    /// The endings of the files that SQLite puts beside a database.
    static let siblings = ["-journal", "-wal", "-shm"]
    private static let mostDigits = 12

    /// The name of the file on its way, the place that it has in mind and whether it is marked; nil for other files.
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
    /// The name without the suffix; nil where it has another one.
    fileprivate func dropping(suffix: String) -> SubSequence? {
        let isThere = reversed().starts(with: suffix.utf8.reversed())
        return isThere ? dropLast(suffix.utf8.count) : nil
    }
}
