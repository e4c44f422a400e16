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

/// The place where the pages of a read-only database are, if it is no file.
///
/// There is one for each connection. One thread at a time uses it. Its calls block.
package protocol PageSource: AnyObject {
    /// Begins a snapshot. Pages that were read before stay valid while its version is the same.
    func begin() throws -> PageSnapshot
    /// Returns the pages of the snapshot from `first` on, at most `count`; fewer at the end.
    func pages(from first: UInt32, count: Int) throws -> [[UInt8]]
    /// Ends the snapshot.
    func end()
}

/// What stands behind the path of a database that is no file.
package struct RemoteDatabase: Sendable {
    /// The beginning of each such path.
    package static let prefix = "garner-shard:"

    /// What people call it; nil if that is its path.
    private let name: String?
    let open: @Sendable () throws -> any PageSource
    let isWrittenNow: @Sendable () -> Bool

    /// - Parameters:
    ///   - name: What people call it, without secrets; nil if that is its path.
    ///   - open: Returns the place of the pages, once for each connection.
    ///   - isWritten: Returns true if a process has the right to write to the database.
    package init(
        name: String? = nil, open: @escaping @Sendable () throws -> any PageSource,
        isWritten: @escaping @Sendable () -> Bool
    ) {
        (self.name, self.open, isWrittenNow) = (name, open, isWritten)
    }

    /// True if a process has the right to write to the database.
    package var isWritten: Bool { isWrittenNow() }

    /// Sets what stands behind a path, which begins with `prefix`.
    package static func register(_ database: RemoteDatabase, as path: String) {
        assert(isPath(path))
        registry.withLock { $0.databases[path] = database }
    }

    /// Returns what stands behind a path; nil for a file.
    package static func at(_ path: String) -> RemoteDatabase? {
        isPath(path) ? registry.withLock { $0.databases[path] } : nil
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
        isPath(path) ? registry.withLock { $0.sizes[path] } : nil
    }

    static func note(size: Int, at path: String) { registry.withLock { $0.sizes[path] = size } }

    static func note(failure: (any Error)?, at path: String) { registry.withLock { $0.failures[path] = failure } }

    private struct Registry {
        var databases: [String: RemoteDatabase] = [:]
        var failures: [String: any Error] = [:]
        var sizes: [String: Int] = [:]
    }

    private static let registry = Mutex(Registry())
}
