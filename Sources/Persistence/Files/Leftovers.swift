import GarnerLibC
import GarnerSQLite

/// The unfinished files of copies and exports whose writers were killed.
///
/// They belong to no living process: a writer locks its file, and the kernel drops the lock with the process.
package struct Leftovers {
    private let folder: String
    /// The name of the file that they would have become.
    private let place: [UInt8]
    /// True if files with other targets count too, if their names are marked as Garner's.
    private let takesMarked: Bool

    /// Finds those with one target.
    package init(of place: String) { self.init(place, takesMarked: false) }

    /// Finds those in the folder of a database, with any target.
    package init(besideDatabase path: String) { self.init(FileCreation.resolved(path) ?? path, takesMarked: true) }

    /// Finds those in a folder, with any target.
    package init(in folder: String) { self.init(folder + "/", takesMarked: true) }

    private init(_ path: String, takesMarked: Bool) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        // What is no file has no folder.
        folder = RemoteDatabase.isPath(path) ? "" : slash.map { String(path[...$0]) } ?? "./"
        place = Array(path.utf8[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...])
        self.takesMarked = takesMarked
    }

    package struct Outcome: Sendable, Equatable {
        package var files = 0
        package var bytes = 0
        /// The first file that could not be removed, with the reason.
        package var problem: String?

        package init() {}
    }

    /// Removes the files. Returns the result.
    @discardableResult
    package func remove() -> Outcome { go(removing: true) }

    /// Returns what `remove` would remove.
    package func found() -> Outcome { go(removing: false) }

    private func go(removing: Bool) -> Outcome {
        parts().reduce(into: Outcome()) { take($1, removing: removing, &$0) }
    }

    /// Returns the paths of the unfinished files, also of those of which only SQLite's own files are left.
    private func parts() -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var parts: Set<[UInt8]> = []
        while let entry = readdir(handle) {
            // Garner writes no names that are not UTF-8.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, let (part, place, isMarked) = PartName.parsed(name) else { continue }
            if place.elementsEqual(self.place) || takesMarked && isMarked { parts.insert(Array(part)) }
        }
        return parts.map { folder + String(decoding: $0, as: UTF8.self) }.sorted()
    }

    private func take(_ part: String, removing: Bool, _ outcome: inout Outcome) {
        let files = (PartName.siblings.map { part + $0 } + [part]).compactMap { file -> (path: String, bytes: Int)? in
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return (file, Int(status.st_size))
        }
        let isThere = files.last?.path == part
        guard !files.isEmpty, isThere || removing else { return count(files, &outcome) }
        // If only SQLite's own files are left, a file is created to hold the lock.
        let descriptor = open(
            part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (isThere ? 0 : O_CREAT | O_EXCL), 0o600)
        guard descriptor >= 0 else {
            if [EACCES, EPERM, EROFS].contains(errno) { outcome.note(errno, of: part) }
            return
        }
        defer { close(descriptor) }
        guard PartLock.isFile(descriptor, at: part), PartLock.take(descriptor) == .taken,
            PartLock.isFile(descriptor, at: part)
        else { return }
        guard removing else { return count(files, &outcome) }
        for file in files {
            if unlink(file.path) == 0 { count([file], &outcome) } else { outcome.note(errno, of: file.path) }
        }
        if !isThere { unlink(part) }
    }

    private func count(_ files: [(path: String, bytes: Int)], _ outcome: inout Outcome) {
        outcome.files += files.count
        outcome.bytes += files.reduce(0) { $0 + $1.bytes }
    }
}

extension Leftovers.Outcome {
    fileprivate mutating func note(_ code: Int32, of file: String) {
        problem = problem ?? "\(file) cannot be removed: \(String(cString: strerror(code)))"
    }
}
