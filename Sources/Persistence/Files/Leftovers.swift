import GarnerDatabase
import GarnerLibC
import GarnerModel
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
        folder = slash.map { String(path[...$0]) } ?? "./"
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

    /// The finding for `garner doctor`.
    package var finding: Finding {
        if let problem {
            return .warning("leftovers", problem, hint: "remove it by hand: its writer was killed")
        }
        guard files > 0 else { return .ok("leftovers", "no killed copy or export has left a file here") }
        let what = files == 1 ? "a file" : "\(files) files"
        return .ok("leftovers", "removed \(what) (\(bytes >> 10) KiB) that killed copies or exports had left")
    }
}

/// The rows of `_garner_attachments` whose URL no record has, not even in a stored version.
///
/// Rows of a field without a known column stay.
struct StaleLinks {
    private var parts: [(stream: StreamID, field: String, urls: String)] = []

    init(connection: Connection) throws {
        let fields = try connection.rows(
            """
            SELECT DISTINCT stream_id, field, table_name FROM _garner_attachments JOIN _garner_streams USING (stream_id)
            WHERE table_name IN \(Connection.tableNames)
            """
        ) { (stream: StreamID($0.integer(at: 0)), field: $0.text(at: 1), table: $0.text(at: 2)) }
        for (stream, field, table) in fields {
            guard let schema = try TableSchema(streamID: stream, table: table, on: connection),
                let index = schema.index(ofField: field)
            else { continue }
            let column = schema.columns[index].name
            let holders = try connection.rows(
                """
                SELECT t.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
                WHERE t.schema = 'main' AND t.name COLLATE NOCASE IN (?1, '_garner_history_' || ?1) AND c.name = ?2
                """, [.text(table), .text(column)]
            ) { quoted($0.text(at: 0)) }
            guard !holders.isEmpty else { continue }
            let name = quoted(column)
            let urls = holders.map { "SELECT \(name) FROM \($0) WHERE \(name) IS NOT NULL" }
            parts.append((stream, field, urls.joined(separator: " UNION ALL ")))
        }
    }

    /// - Parameter prefix: The text before the table's columns, with its dot.
    func condition(_ prefix: String) -> String {
        let conditions = parts.enumerated().map { index, part in
            """
            (\(prefix)stream_id = ?\(2 * index + 1) AND \(prefix)field = ?\(2 * index + 2)
            AND \(prefix)url NOT IN (\(part.urls)))
            """
        }
        return conditions.isEmpty ? "FALSE" : conditions.joined(separator: " OR ")
    }

    var values: [Value] { parts.flatMap { [.id($0.stream), .text($0.field)] } }
}
