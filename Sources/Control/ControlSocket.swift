import Digest

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where the service of a database is asked: `DATABASE.sock`, or a file in a private folder where that name is too long.
struct ControlSocket: Sendable, Equatable {
    /// Of an address: 108 bytes on Linux, 104 on macOS, with the NUL at the end.
    static let longestPath = 100

    let path: String
    /// What must be nobody else's, because everybody may write in the folder that it is in.
    let privateFolder: PrivateFolder?

    /// nil where there is no such database.
    ///
    /// - Parameter temporaryFolder: not that of the environment, because both ends have to find the same.
    init?(database: String, temporaryFolder: String = "/tmp") {
        // Two names of one file are one database.
        guard let resolved = realpath(database, nil) else { return nil }
        defer { free(resolved) }
        let place = String(cString: resolved)
        guard place.utf8.count + 5 > Self.longestPath else {
            path = place + ".sock"
            privateFolder = nil
            return
        }
        var status = stat()
        guard stat(place, &status) == 0 else { return nil }
        // Named by whom the database belongs to, so that root finds it, too.
        let folder = PrivateFolder(path: "\(temporaryFolder)/garner-\(status.st_uid)", owner: status.st_uid)
        path = "\(folder.path)/\(SHA256.hexDigest(of: Array(place.utf8)).prefix(24)).sock"
        privateFolder = folder
    }

    /// Whether what is there, if anything, was put there by whom the database belongs to.
    var isTrusted: Bool { privateFolder?.isPrivate ?? true }
}
