import GarnerLibC

/// A database that may lie on a file system which nobody can write to.
///
/// A reader of a write-ahead log needs an index beside the database. Where it cannot make one, SQLite opens the file only as
/// immutable (sqlite.org/uri.html), and then it looks for no log.
package struct FrozenFile {
    package let path: String
    /// Tells if a file lies on a file system that is mounted for reading alone.
    private let isOnFrozenSystem: (String) -> Bool

    package init(
        path: String,
        isOnFrozenSystem: @escaping (String) -> Bool = { path in
            var status = statvfs()
            // ST_RDONLY
            return statvfs(path, &status) == 0 && status.f_flag & 1 != 0
        }
    ) {
        (self.path, self.isOnFrozenSystem) = (path, isOnFrozenSystem)
    }

    /// True if the file cannot change, and holds all that was committed. Beside the database of a running program lies an index.
    package var isFrozen: Bool {
        guard isOnFrozenSystem(path) else { return false }
        var status = stat()
        let file = resolved
        return stat(file + "-shm", &status) != 0
            && ["-wal", "-journal"].allSatisfy { stat(file + $0, &status) != 0 || status.st_size == 0 }
    }

    /// The file as an address by which SQLite opens it as immutable.
    package var address: String {
        let bytes = resolved.utf8.map { byte -> String in
            let isPlain =
                byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
            return isPlain || "/-._~".utf8.contains(byte)
                ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "file:\(bytes.joined())?immutable=1"
    }

    /// The path of the file itself, beside which SQLite looks for its log.
    private var resolved: String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
