import Synchronization

/// The state of a database at one moment.
package struct PageSnapshot: Sendable {
    /// 0 for a database that has nothing yet.
    package var pageCount: UInt32
    package var pageSize: Int
    /// 16 bytes. The same ones mean the same pages.
    package var version: [UInt8]

    package init(pageCount: UInt32, pageSize: Int, version: [UInt8]) {
        (self.pageCount, self.pageSize, self.version) = (pageCount, pageSize, version)
    }
}

/// The place where the pages of a read-only database, or of a part of it, are if it is no file.
///
/// There is one for each connection. One thread at a time uses it. Its calls block.
package protocol PageSource: AnyObject {
    /// Begins a snapshot. Pages that were read before stay valid while its version is the same. Within the snapshots of other parts for the
    /// same connection, it is one of the same moment.
    func begin() throws -> PageSnapshot
    /// Returns the pages of the snapshot from `first` on, at most `count`; fewer at the end.
    func pages(from first: UInt32, count: Int) throws -> [[UInt8]]
    /// Ends the snapshot.
    func end()
    /// True if the latest snapshot has other parts than those that were opened.
    var isOutdated: Bool { get }
}

extension PageSource {
    package var isOutdated: Bool { false }
}

/// A part of a database that is no file. It has the pages of a whole file of SQLite.
package struct RemotePart {
    package let number: Int
    package let source: any PageSource
    /// What was read of it, for all connections that share it.
    let pages = KeptPages()

    package init(number: Int, source: any PageSource) { (self.number, self.source) = (number, source) }
}

/// What stands behind the path of a database that is no file.
package struct RemoteDatabase: Sendable {
    /// The beginning of each such path.
    package static let prefix = "garner-shard:"

    /// What people call it; nil if that is its path.
    private let name: String?
    private let parts: @Sendable () throws -> [RemotePart]
    private let isPartWritten: @Sendable (Int?) -> Bool

    /// - Parameters:
    ///   - name: What people call it, without secrets; nil if that is its path.
    ///   - parts: Returns the parts in the order of their numbers, once for each connection.
    ///   - isWritten: Returns true if a process has the right to write to the part with a number, or to any.
    package init(
        name: String? = nil, parts: @escaping @Sendable () throws -> [RemotePart],
        isWritten: @escaping @Sendable (Int?) -> Bool
    ) {
        (self.name, self.parts, isPartWritten) = (name, parts, isWritten)
    }

    /// True if a process has the right to write to the database.
    package var isWritten: Bool { isPartWritten(nil) }

    /// Sets what stands behind a path, which begins with `prefix`.
    package static func register(_ database: RemoteDatabase, as path: String) {
        assert(isPath(path))
        registry.withLock { $0.databases[path] = database }
    }

    /// Returns what stands behind a path; nil for a file.
    package static func at(_ path: String) -> RemoteDatabase? {
        guard isPath(path) else { return nil }
        return registry.withLock { registry in
            if let whole = registry.databases[path] { return whole }
            guard let mark = path.lastIndex(of: "#"), let number = Int(path[path.index(after: mark)...]),
                let whole = registry.databases[String(path[..<mark])]
            else { return nil }
            return RemoteDatabase(
                name: whole.name, parts: { try whole.parts().filter { $0.number == number } },
                isWritten: { _ in whole.isPartWritten(number) })
        }
    }

    /// Returns the path under which one part is read alone, as a database of its own.
    package static func path(ofPart number: Int, of path: String) -> String { "\(path)#\(number)" }

    /// Returns the parts for a new connection. If there are none, the reason is noted.
    static func open(_ path: String) -> [RemotePart] {
        do {
            let parts = try at(path)?.parts() ?? []
            if parts.isEmpty { throw NoDatabase(path: path) }
            for part in parts { part.pages.share(among: parts.count) }
            return parts
        } catch {
            note(failure: error, at: path)
            return []
        }
    }

    private struct NoDatabase: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is no database here" }
    }

    /// Returns true if a path is that of no file.
    package static func isPath(_ path: String) -> Bool { path.hasPrefix(prefix) }

    /// Returns a text for people, in which each such path is a name.
    package static func worded(_ text: String) -> String {
        guard text.contains(prefix) else { return text }
        return registry.withLock(\.databases).reduce(text) { text, database in
            database.value.name.map { text.replacing(database.key, with: $0) } ?? text
        }
    }

    /// Returns the error of the last read that failed; nil if the one after it did not. SQLite only says that one has failed.
    package static func failure(at path: String) -> (any Error)? {
        isPath(path) ? registry.withLock { $0.failures[path] } : nil
    }

    /// Returns the size in bytes that the last snapshot had; nil if there was none.
    package static func size(at path: String) -> Int? {
        isPath(path) ? registry.withLock { $0.sizes[path]?.values.reduce(0, +) } : nil
    }

    static func note(size: Int, of part: Int, at path: String) {
        registry.withLock { $0.sizes[path, default: [:]][part] = size }
    }

    static func note(failure: (any Error)?, at path: String) { registry.withLock { $0.failures[path] = failure } }

    private struct Registry {
        var databases: [String: RemoteDatabase] = [:]
        var failures: [String: any Error] = [:]
        /// The sizes of the parts, by their numbers.
        var sizes: [String: [Int: Int]] = [:]
    }

    private static let registry = Mutex(Registry())
}
