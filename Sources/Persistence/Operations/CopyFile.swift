#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file that a copy is written to: beside its place under another name until it is whole, for its owner's eyes only.
struct CopyFile {
    /// As it was asked for.
    private let path: String
    private let place: String
    private let replaces: Bool
    private let part: PartFile

    /// Makes an empty file; throws where the copy may not be made there.
    init(_ path: String, replaces: Bool, besides ownFiles: OwnFiles) throws(PersistenceError) {
        (self.path, self.replaces) = (path, replaces)
        // A link stays one: what it leads to is replaced.
        let place = FileCreation.resolved(path) ?? path
        self.place = place
        try Self.refuse(path, place, replaces: replaces, ownFiles)
        Leftovers(of: place).remove()
        do throws(PartFile.Failure) {
            part = try PartFile(beside: place, permissions: 0o600)
        } catch {
            throw Self.failure(error.code, path)
        }
    }

    /// The path of the copy until it is published.
    var aside: String { part.path }

    /// Gives the copy its name, so that a loss of power leaves it whole or not there.
    func publish() throws(PersistenceError) {
        do {
            try PrivateFile.synchronize(aside)
            try part.publish(replaces: replaces)
            try PrivateFile.synchronizeFolder(of: place)
        } catch let failure as PrivateFile.Failure {
            throw Self.failure(failure.code, path)
        } catch let failure as PartFile.Failure {
            throw Self.failure(failure.code, path)
        } catch {
            throw Self.failure(EIO, path)
        }
    }

    /// Removes what is not published; SQLite's own files beside it too.
    func discard() { part.discard() }

    private static func refuse(
        _ path: String, _ place: String, replaces: Bool, _ ownFiles: OwnFiles
    ) throws(PersistenceError) {
        try ownFiles.refuse(path, for: "the copy")
        var status = stat()
        if stat(place, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw PersistenceError(
                    .cannotCreate, "\(path) is there and no file", hint: "name a file for the copy")
            }
            guard replaces else {
                throw PersistenceError(
                    .cannotCreate, "\(path) exists already", hint: "name another file, or replace it with --force")
            }
        }
        // SQLite would take it for the copy's own and spoil the copy with it (sqlite.org/howtocorrupt.html, section 1.4).
        for log in ["-wal", "-journal"].map({ place + $0 }) where FileCreation.exists(log) {
            throw PersistenceError(
                .cannotCreate, "\(log) is there, which belongs to another database of the copy's name",
                hint: "end the programs that use it, or name another file for the copy")
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> PersistenceError {
        let message = "the copy \(path) cannot be written: \(String(cString: strerror(code)))"
        switch code {
        case ENOSPC, EIO, EDQUOT, EFBIG:
            return PersistenceError(.inputOutput, message, hint: "check the free space and the health of the disk")
        case EEXIST:
            return PersistenceError(.cannotCreate, message, hint: "name another file, or replace it with --force")
        default:
            return PersistenceError(
                .cannotCreate, message, hint: "check that the folder exists and that you may write in it")
        }
    }
}
