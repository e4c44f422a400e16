#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes the database's file before SQLite would, so that no one else can read it; SQLite gives the write-ahead log
/// and its index the permissions of the database.
enum FileCreation {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The path without links; nil where there is no such file yet.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether the file system of a file has no space, or room for no other file.
    ///
    /// SQLite does not tell: what it could not create it tries to open for reading, and of that is the error it keeps.
    static func isFull(at path: String) -> Bool {
        var figures = statvfs()
        guard statvfs(path, &figures) == 0 else { return false }
        return figures.f_bavail == 0 || figures.f_files > 0 && figures.f_favail == 0
    }

    /// Makes the folder of a new file, and those around it, as far as they are missing.
    static func createFolder(of path: String) throws(PersistenceError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard !exists(folder) else { return }
        try createFolder(of: folder)
        guard mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
        throw PersistenceError(
            .cannotCreate,
            "the folder \(folder) of the database cannot be created: \(String(cString: strerror(errno)))",
            hint: "create it, or choose a database in a folder that you may write in")
    }

    static func createPrivately(_ path: String) throws(PersistenceError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // An existing file is left alone: closing it would drop the locks that this process has on it
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
