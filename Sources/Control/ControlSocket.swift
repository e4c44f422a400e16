import GarnerDigest
import GarnerLibC

/// The address of a database's service: `DATABASE.sock`, or a file in a private folder if that name is too long.
struct ControlSocket: Sendable, Equatable {
    /// The longest path in bytes. An address has 108 bytes on Linux and 104 on macOS, including the final NUL.
    static let longestPath = 100

    let path: String
    /// The folder that must belong to the database's owner alone, because its parent folder is writable by everybody.
    let privateFolder: PrivateFolder?

    /// Returns nil if there is no such database.
    ///
    /// - Parameter temporaryFolder: Not the environment's, because both ends must find the same folder.
    init?(database: String, temporaryFolder: String = "/tmp") {
        // Two names of one file mean one database.
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
        // Named after the database's owner, so that root finds it too.
        let folder = PrivateFolder(path: "\(temporaryFolder)/garner-\(status.st_uid)", owner: status.st_uid)
        path = "\(folder.path)/\(SHA256.hexDigest(of: Array(place.utf8)).prefix(24)).sock"
        privateFolder = folder
    }

    /// True if whatever is there, if anything, was put there by the database's owner.
    var isTrusted: Bool { privateFolder?.isPrivate ?? true }
}

/// A folder that only its owner may enter, inside one that everybody may write to.
struct PrivateFolder: Sendable, Equatable {
    let path: String
    let owner: uid_t

    /// Creates the folder unless it exists. Check `isPrivate` afterwards.
    func create() { mkdir(path, 0o700) }

    /// True if this is a folder of its owner alone. A symbolic link is not, wherever it leads.
    var isPrivate: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == owner && status.st_mode & 0o077 == 0
    }
}
