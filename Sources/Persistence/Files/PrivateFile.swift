import GarnerLibC
import GarnerModel
import GarnerSQLite

/// A small file that only its owner may read. After a loss of power it has its old or its new content.
enum PrivateFile {
    /// The size limit in bytes. No file of ours is larger.
    private static let maximumBytes = 16 << 20

    /// Returns the bytes; nil if there is no file.
    static func read(_ path: String) throws(FileError) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(FileReadError) {
            bytes = try readFile(at: path, upTo: maximumBytes + 1, isOnDisk: false)
        } catch {
            switch error {
            case .system(ENOENT): return nil
            case .system(let code): throw FileError(code: code)
            case .notOnDisk: throw FileError(code: EINVAL)
            }
        }
        guard bytes.count <= maximumBytes else { throw FileError(code: EFBIG) }
        return bytes
    }

    /// Replaces or creates the file. If it throws, the file is the old one, or a new one that a loss of power may undo.
    static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        Leftovers(of: path).remove()
        // A crash of version 0.1.0 may have left this file.
        unlink(path + ".part")
        let part = try PartFile(beside: path, permissions: 0o600)
        do throws(FileError) {
            try Descriptor.write(bytes, to: part.descriptor)
            try part.publish(replaces: true)
        } catch {
            part.discard()
            throw error
        }
    }

    /// Waits for the lock of the file, which is created if necessary. It lasts as long as the object or the process.
    static func lock(_ path: String) throws(FileError) -> AnyObject {
        while true {
            let file = try Descriptor(opening: path, O_RDWR | O_CREAT)
            try file.lock()
            // The previous holder may have replaced the file.
            if file.isFile(at: path) { return file }
        }
    }

    /// Returns the lock of a file that is never replaced, and is created empty if necessary; nil if somebody else has it.
    static func lockIfFree(_ path: String) throws(FileError) -> AnyObject? {
        let file = try Descriptor(opening: path, O_RDWR | O_CREAT)
        return try file.lockIfFree() ? file : nil
    }
}

/// An open file, closed with this object.
private final class Descriptor {
    private let number: Int32

    init(_ number: Int32) { self.number = number }

    init(opening path: String, _ flags: Int32) throws(FileError) {
        number = open(path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw FileError(code: errno) }
    }

    deinit { if number >= 0 { close(number) } }

    static func write(_ bytes: [UInt8], to number: Int32) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(
                try repeating { rest.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) } })
        }
    }

    func lock() throws(FileError) { _ = try Self.repeating { Int(flock(number, LOCK_EX)) } }

    /// Returns false if somebody else has the lock.
    func lockIfFree() throws(FileError) -> Bool {
        do throws(FileError) {
            _ = try Self.repeating { Int(flock(number, LOCK_EX | LOCK_NB)) }
            return true
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return false
        }
    }

    func isFile(at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(number, &opened) == 0 && stat(path, &named) == 0
            && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }

    /// Repeats a call that a signal interrupted (EINTR), which is no failure.
    private static func repeating(_ call: () -> Int) throws(FileError) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw FileError(code: errno) }
        }
    }
}

private let systemWrite = write(_:_:_:)

/// Creates the database file before SQLite would, so that no other user can read it. SQLite gives the write-ahead log
/// and its index the same permissions.
package enum FileCreation {
    package static func exists(_ path: String) -> Bool { RemoteDatabase.at(path) != nil || access(path, F_OK) == 0 }

    /// Returns the advice to make the folder of a file that is not there; nil if it is there, or if a file is in its place.
    package static func makingFolder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        let folder = String(path[..<slash])
        guard !exists(folder) else { return nil }
        var (above, status) = (folder[...], stat())
        while let slash = above.lastIndex(of: "/"), slash > above.startIndex {
            above = above[..<slash]
            guard stat(String(above), &status) != 0 else {
                if status.st_mode & S_IFMT != S_IFDIR { return nil }
                break
            }
        }
        let isPlain = folder.utf8.allSatisfy { $0 > 0x2C && $0 < 0x7B && !"<>;?[\\]^`".utf8.contains($0) }
        return "make its folder first: mkdir -p \(isPlain ? folder : "'\(folder.replacing("'", with: "'\\''"))'")"
    }

    /// Throws unless there is a database file at the path.
    package static func requireDatabase(_ path: String) throws(PersistenceError) {
        try requireNoOther(at: path)
        guard !exists(path) else { return }
        try requireNoLog(besides: path)
        throw PersistenceError(.missing, "there is no database \(path) yet", hint: .syncOrNameAnotherDatabase)
    }

    /// Throws if a new database would take the place of one whose log is still there: SQLite would throw away what is in it.
    static func requireNoLog(besides path: String) throws(PersistenceError) {
        var status = stat()
        let log = path + "-wal"
        guard !exists(path), stat(log, &status) == 0, status.st_size > 0 else { return }
        let message = "\(log) is there without its database \(path), and has what was stored last"
        // The holder of the lock has the moved file open, and copies the log into it when it ends.
        if case .held(let process) = WriterLock.state(of: path) {
            let stop = process.map { "stop it first with 'kill \($0)'" } ?? "stop it first"
            throw PersistenceError(
                .missing, "\(message); another garner\(process.map { " (process \($0))" } ?? "") has both open",
                hint: .text("\(stop), then put the database back in its place, or begin a new one"))
        }
        throw PersistenceError(
            .missing, message,
            hint: .text(
                "put the database back beside it; if both are to go, end what has them open, and set the log aside with "
                    + "'mv \(log) \(log).old'"))
    }

    /// Throws if a folder, a device or a link to nowhere is at the path, which SQLite would call a failing disk.
    static func requireNoOther(at path: String) throws(PersistenceError) {
        var status = stat()
        guard !RemoteDatabase.isPath(path) else { return }
        guard stat(path, &status) == 0 else { return try requireNoLooseLink(at: path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR:
            throw PersistenceError(
                .unusable, "\(path) is a folder and no database",
                hint: .text(
                    "name the file in it, such as \(path.hasSuffix("/") ? "\(path)garner.db" : "\(path)/garner.db"), under 'database:' or with --database"
                ))
        default:
            throw PersistenceError(
                .unusable, "\(path) is a device, a pipe or a socket, and no database",
                hint: "name a file, such as garner.db, under 'database:' or with --database")
        }
    }

    /// Throws if a link at the path leads into a folder that is not there, as one on a disk that is not mounted.
    private static func requireNoLooseLink(at path: String) throws(PersistenceError) {
        let size = 4096
        var (link, bytes) = (stat(), [CChar](repeating: 0, count: size))
        guard lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK else { return }
        let count = readlink(path, &bytes, size)
        guard count > 0 else { return }
        let target = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let beside = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let whole = target.hasPrefix("/") ? target : String(beside) + target
        guard let slash = whole.lastIndex(of: "/"), slash > whole.startIndex, !exists(String(whole[..<slash])) else {
            return
        }
        throw PersistenceError(
            .cannotCreate, "the database \(path) is a link to \(target), and \(whole[..<slash]) is not there",
            hint: "mount or make that folder, or name another file under 'database:' or with --database")
    }

    /// Returns the path without links; nil if there is no such file.
    package static func resolved(_ path: String) -> String? {
        guard !RemoteDatabase.isPath(path), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns true if the file system has no space, or cannot hold another file.
    ///
    /// SQLite tries to open for reading the file that it could not create, and reports the error of that.
    static func isFull(at path: String) -> Bool {
        var figures = statvfs()
        guard statvfs(path, &figures) == 0 else { return false }
        return figures.f_bavail == 0 || figures.f_files > 0 && figures.f_favail == 0
    }

    /// Creates the missing folders on the path of a new file.
    static func createFolder(of path: String) throws(PersistenceError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard !exists(folder) else { return }
        try createFolder(of: folder)
        guard mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
        let code = errno
        if code == ENOTDIR, let problem = fileAsFolder(of: path) { throw problem }
        throw PersistenceError(
            .cannotCreate,
            "the folder \(folder) of the database cannot be created: \(String(cString: strerror(code)))",
            hint: "create it, or choose a database in a folder that you may write in")
    }

    /// The error of a database below what is a file; nil if no part of its path is one.
    static func fileAsFolder(of path: String) -> PersistenceError? {
        var (folder, status) = (path[...], stat())
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = folder[..<slash]
            guard stat(String(folder), &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
            let beside = folder.lastIndex(of: "/").map { folder[...$0] } ?? ""
            let name = path.split(separator: "/").last ?? ""
            return PersistenceError(
                .cannotCreate, "the database \(path) cannot be created: \(folder) is a file and no folder",
                hint: "name one beside that file, such as \(beside)\(name)")
        }
        return nil
    }

    /// The owner of a file, if that is another user than this one; nil if there is no file, or for root, who may open each.
    package static func otherOwner(of path: String, than user: UInt32 = geteuid()) -> String? {
        var status = stat()
        guard user != 0, stat(path, &status) == 0, status.st_uid != user else { return nil }
        return status.st_uid == 0 ? "root" : "the user \(status.st_uid)"
    }

    static func createPrivately(_ path: String) throws(PersistenceError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // An existing file is not opened: closing it would drop the locks that this process has on it
        // (sqlite.org/howtocorrupt.html, section 2.2).
        guard descriptor >= 0 || errno != EEXIST else { return }
        guard descriptor >= 0 else {
            let code = errno
            let reason = String(cString: strerror(code))
            guard ![EIO, ENOSPC, EDQUOT].contains(code) else {
                throw PersistenceError(
                    .inputOutput, "the database \(path) cannot be created: \(reason)",
                    hint: "check the free space and the health of the disk")
            }
            throw PersistenceError(
                .permission, "the database \(path) cannot be opened: \(reason)",
                hint: "check the permissions of the file and of its folder")
        }
        close(descriptor)
    }
}
