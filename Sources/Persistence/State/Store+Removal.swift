#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Store {
    /// Removes a database with all that belongs to it, if it is there; throws where another process writes to it.
    package static func remove(_ path: String) throws {
        guard FileCreation.exists(path) else { return }
        let lock = try WriterLock(database: path)
        for suffix in ["-wal", "-shm", ""] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw PersistenceError(
                .permission, "\(path) cannot be removed: \(String(cString: strerror(errno)))",
                hint: "check the permissions of its folder")
        }
        withExtendedLifetime(lock) {}
    }
}
