import SQLite

/// The files of a database: its own and those beside it. What is read from a database may replace none of them.
package struct OwnFiles {
    private let place: String

    package init(of database: String) { place = FileCreation.resolved(database) ?? database }

    /// Throws where a path leads to one of them, however it is spelled and whatever links are on the way.
    ///
    /// - Parameter what: what is to be written there.
    package func refuse(_ path: String, for what: String) throws(PersistenceError) {
        let target = FileCreation.resolved(path) ?? path
        guard Self.suffixes.contains(where: { target.isSameName(as: place + $0) }) else { return }
        throw PersistenceError(
            .cannotCreate, "\(path) belongs to the database itself", hint: "name another file for \(what)")
    }

    private static let suffixes = ["", "-wal", "-shm", "-journal", ".lock", ".tokens", ".sock"]
}

extension Archive {
    package var ownFiles: OwnFiles { OwnFiles(of: connection.path) }
}

extension String {
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
