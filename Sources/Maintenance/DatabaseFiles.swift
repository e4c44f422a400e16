package import GarnerPersistence
import GarnerLibC
import GarnerModel
import GarnerSQLite

/// Checks the files of a database from outside: their permissions, sizes and locks.
struct DatabaseFiles {
    private let place: String

    init(path: String) { place = FileCreation.resolved(path) ?? path }

    func findings() -> [Finding] {
        RemoteDatabase.isPath(place) ? [lock] : [permissions, folder, tokens, space, log, lock].compactMap(\.self)
    }

    private var permissions: Finding {
        let open = ["", "-wal", "-shm"].map { place + $0 }.filter { (status(of: $0)?.permissions ?? 0) & 0o077 != 0 }
        guard let first = open.first else { return .ok("permissions", "only its owner may read or write the database") }
        return .warning(
            "permissions", "others may read or write \(first)",
            hint: "chmod 600 \(open.joined(separator: " "))")
    }

    private var folder: Finding {
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        let name = folder.isEmpty ? (place.hasPrefix("/") ? "/" : ".") : folder
        let permissions = status(of: name)?.permissions ?? 0
        // With the sticky bit, nobody can replace the files of others.
        guard permissions & 0o022 != 0, permissions & 0o1000 == 0 else {
            return .ok(
                "folder",
                permissions & 0o077 == 0
                    ? "only its owner may look into the folder" : "only its owner may change the folder")
        }
        return .warning("folder", "others may replace files in the folder \(name)", hint: "chmod 700 \(name)")
    }

    private var tokens: Finding? {
        guard let status = status(of: place + ".tokens") else { return nil }
        guard status.permissions & 0o077 == 0 else {
            return .problem(
                "tokens", "others may read or write the refresh tokens in \(place).tokens",
                hint: "chmod 600 \(place).tokens, and sign in again if others have an account here")
        }
        return .ok("tokens", "only its owner may read or write the refresh tokens")
    }

    private var space: Finding {
        var volume = statvfs()
        guard statvfs(place, &volume) == 0 else {
            return .warning("space", "the free space cannot be determined: \(reason)", hint: "see: df \(place)")
        }
        let (free, overflow) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
        let available = overflow ? Int.max : Int(clamping: free)
        let size = status(of: place)?.bytes ?? 0
        let numbers = "\(available >> 20) MiB are free, the database has \(size >> 20) MiB"
        if available < 16 << 20 {
            return .problem(
                "space", numbers, hint: "free some space; otherwise the next sync fails, without losing data")
        }
        guard available < size else { return .ok("space", numbers) }
        return .warning("space", numbers, hint: .makeRoomToVacuum)
    }

    private var log: Finding {
        let bytes = status(of: place + "-wal")?.bytes ?? 0
        let size = "the write-ahead log has \(bytes >> 20) MiB"
        guard bytes > WALLimits().noticed else { return .ok("log", size) }
        return .warning("log", size, hint: "end the program that keeps reading; find it with: fuser \(place)")
    }

    private var lock: Finding {
        switch WriterLock.state(of: place) {
        case .free: .ok("lock", "nobody is writing")
        case .held(let process):
            .ok("lock", "\(process.map { "process \($0)" } ?? "another garner") is running and holds the writer's lock")
        case .unknown(let code):
            .warning(
                "lock", "\(place).lock cannot be read: \(String(cString: strerror(code)))",
                hint: "check the file's owner and permissions")
        }
    }

    private var reason: String { String(cString: strerror(errno)) }

    private struct Status {
        let bytes: Int
        /// The permissions with the sticky bit.
        let permissions: UInt32
    }

    private func status(of path: String) -> Status? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return Status(bytes: Int(found.st_size), permissions: UInt32(found.st_mode) & 0o7777)
    }
}

/// The files of a database and its configuration. Data from a database may not replace any of them.
package struct OwnFiles {
    private let place: String
    private let configuration: String?

    /// - Parameter configuration: The configuration file; nil if there is none.
    package init(of database: String, configuration: String? = nil) {
        place = FileCreation.resolved(database) ?? database
        self.configuration = configuration
    }

    package init(of database: ReadOnlyDatabase, configuration: String?) {
        self.init(of: database.connection.path, configuration: configuration)
    }

    /// Throws if a path leads to one of them, in any spelling and through any links.
    ///
    /// - Parameter what: The data to be written there.
    package func refuse(_ path: String, for what: String) throws(PersistenceError) {
        if let configuration, path.leads(to: configuration) {
            throw PersistenceError(
                .cannotCreate, "\(path) is the configuration", hint: "name another file for \(what)")
        }
        guard Self.suffixes.contains(where: { path.leads(to: place + $0) }) else { return }
        throw PersistenceError(
            .cannotCreate, "\(path) belongs to the database itself", hint: "name another file for \(what)")
    }

    private static let suffixes = ["", "-wal", "-shm", "-journal", ".lock", ".tokens", ".sock"]
}

extension String {
    /// Returns true if both are one file, or would be. An existing file is compared by its device and number, since it
    /// may have several names.
    fileprivate func leads(to other: String) -> Bool {
        var (mine, theirs) = (stat(), stat())
        if stat(self, &mine) == 0, stat(other, &theirs) == 0 {
            return (mine.st_dev, mine.st_ino) == (theirs.st_dev, theirs.st_ino)
        }
        return (FileCreation.resolved(self) ?? self).isSameName(as: other)
    }

    /// Returns true if both are the same name in the same folder. The files need not exist.
    fileprivate func isSameName(as other: String) -> Bool {
        let (mine, theirs) = (folderAndName, other.folderAndName)
        guard mine.name == theirs.name else { return false }
        return FileCreation.resolved(mine.folder) ?? mine.folder == FileCreation.resolved(theirs.folder)
            ?? theirs.folder
    }

    private var folderAndName: (folder: String, name: Substring) {
        guard let slash = lastIndex(of: "/") else { return (".", self[...]) }
        return (slash == startIndex ? "/" : String(self[..<slash]), self[index(after: slash)...])
    }
}
