#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that nobody but its owner may look into, in one that everybody may write in.
struct PrivateFolder: Sendable, Equatable {
    let path: String
    let owner: uid_t

    /// Makes it unless it is there; what it is must be asked then.
    func create() { mkdir(path, 0o700) }

    /// A link is none, wherever it leads.
    var isPrivate: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == owner && status.st_mode & 0o077 == 0
    }
}
