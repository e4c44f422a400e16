import SQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files of a database, its own and those beside it, and its configuration. What is read from a database may replace
/// none of them.
package struct OwnFiles {
    private let place: String
    private let configuration: String?

    /// - Parameter configuration: nil where there is none.
    package init(of database: String, configuration: String? = nil) {
        place = FileCreation.resolved(database) ?? database
        self.configuration = configuration
    }

    /// Throws where a path leads to one of them, however it is spelled and whatever links are on the way.
    ///
    /// - Parameter what: what is to be written there.
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

extension Archive {
    /// - Parameter configuration: the file that named the database; nil where there is none.
    package func ownFiles(and configuration: String?) -> OwnFiles {
        OwnFiles(of: connection.path, configuration: configuration)
    }
}

extension String {
    /// True where both are one file, or would be. A file that is there is known by its device and number,
    /// as two names or two spellings of a name may lead to it.
    fileprivate func leads(to other: String) -> Bool {
        var (mine, theirs) = (stat(), stat())
        if stat(self, &mine) == 0, stat(other, &theirs) == 0 {
            return (mine.st_dev, mine.st_ino) == (theirs.st_dev, theirs.st_ino)
        }
        return (FileCreation.resolved(self) ?? self).isSameName(as: other)
    }

    /// Whether both name one file, which need not be there: a name in a folder, however that is spelled.
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
