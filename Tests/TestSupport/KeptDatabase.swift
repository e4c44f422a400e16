import GarnerLibC
package import GarnerSQLite
import Synchronization

/// What a receiver of commits has: the pages of a database, as another machine would keep them.
package final class KeptDatabase: Sendable {
    private struct State {
        var pages: [UInt32: [UInt8]] = [:]
        var (pageCount, pageSize): (UInt32, Int) = (0, 0)
        var (commits, failures) = (0, 0)
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes the pages of a commit.
    package func receive(_ pages: CommittedPages?) {
        state.withLock { state in
            state.commits += 1
            guard let pages else {
                state.failures += 1
                return
            }
            state.pages.merge(pages.images) { _, new in new }
            for page in state.pages.keys where page > pages.pageCount { state.pages[page] = nil }
            (state.pageCount, state.pageSize) = (pages.pageCount, pages.pageSize)
        }
    }

    /// Takes the pages of a file instead of those that are there.
    package func take(_ file: [UInt8], pageSize: Int) {
        state.withLock { state in
            state.pages = [:]
            for (index, start) in stride(from: 0, to: file.count, by: pageSize).enumerated() {
                state.pages[UInt32(index + 1)] = Array(file[start..<min(start + pageSize, file.count)])
            }
            (state.pageCount, state.pageSize) = (UInt32(state.pages.count), pageSize)
            state.commits += 1
        }
    }

    package var commits: Int { state.withLock(\.commits) }
    /// The commits whose pages were not known.
    package var failures: Int { state.withLock(\.failures) }
    package var pageCount: UInt32 { state.withLock(\.pageCount) }
    package var pageSize: Int { state.withLock(\.pageSize) }

    /// The error of each read from now on; nil for none.
    package var failure: (any Error)? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    package func image(of page: UInt32) -> [UInt8]? { state.withLock { $0.pages[page] } }

    /// Returns in which way the database is not a file; nil if it is.
    package func difference(from file: [UInt8]) -> String? {
        guard let own = self.file else { return "a page was never received" }
        guard own.count == file.count else { return "it has \(own.count) bytes, and the file \(file.count)" }
        guard memcmp(own, file, file.count) != 0 else { return nil }
        let size = pageSize
        let pages = stride(from: 0, to: file.count, by: size).filter { own[$0..<$0 + size] != file[$0..<$0 + size] }
        return "it differs in the pages \(pages.prefix(9).map { $0 / size + 1 })"
    }

    /// The database as one file; nil if a page was never received.
    package var file: [UInt8]? {
        state.withLock { state in
            var file: [UInt8] = []
            for page in 0..<state.pageCount {
                guard let image = state.pages[page + 1] else { return nil }
                file += image
            }
            return file
        }
    }

    /// Registers it as what stands behind a path of its own.
    ///
    /// - Parameter onRead: Called before each read, with the first page and the number of pages.
    package func register(
        name: String? = nil, isWritten: Bool = false, onRead: @escaping @Sendable (UInt32, Int) -> Void = { _, _ in }
    ) -> String {
        let path = "\(RemoteDatabase.prefix)\(Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue)"
        RemoteDatabase.register(
            RemoteDatabase(name: name, open: { KeptPageSource(self, onRead) }, isWritten: { isWritten }), as: path)
        return path
    }

    /// Registers some as the parts of one database, with numbers from 1 on.
    ///
    /// - Parameter path: The path where it was registered with other parts; nil for a new one.
    @discardableResult
    package static func register(
        _ parts: [KeptDatabase], as path: String? = nil, isWritten: @escaping @Sendable (Int?) -> Bool = { _ in false }
    ) -> String {
        let path = path ?? "\(RemoteDatabase.prefix)\(Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue)"
        counts.withLock { $0[path] = parts.count }
        let remote = RemoteDatabase(
            parts: {
                parts.enumerated().map { index, part in
                    RemotePart(
                        number: index + 1,
                        source: KeptPageSource(part, isOutdated: { counts.withLock { $0[path] } != parts.count }))
                }
            }, isWritten: isWritten)
        RemoteDatabase.register(remote, as: path)
        return path
    }

    /// The number of parts of each path.
    private static let counts = Mutex<[String: Int]>([:])
    private static let numbers = Atomic(1_000)

    fileprivate func begin() throws -> (snapshot: PageSnapshot, pages: [UInt32: [UInt8]]) {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            let version = (0..<16).map { UInt8(truncatingIfNeeded: $0 < 4 ? 7 : state.commits >> (8 * (15 - $0))) }
            return (
                PageSnapshot(pageCount: state.pageCount, pageSize: state.pageSize, version: version), state.pages
            )
        }
    }
}

/// One connection's place of the pages.
private final class KeptPageSource: PageSource {
    private let database: KeptDatabase
    private let onRead: @Sendable (UInt32, Int) -> Void
    private let hasOtherParts: @Sendable () -> Bool
    /// The pages of the open snapshot; nil if there is none.
    private var pages: [UInt32: [UInt8]]?
    private var snapshot: PageSnapshot?
    private var snapshots = 0

    private struct Misuse: Error {}

    init(
        _ database: KeptDatabase, _ onRead: @escaping @Sendable (UInt32, Int) -> Void = { _, _ in },
        isOutdated: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.database, self.onRead, hasOtherParts) = (database, onRead, isOutdated)
    }

    var isOutdated: Bool { hasOtherParts() }

    func begin() throws -> PageSnapshot {
        // Those that begin within another one are of its moment.
        if let snapshot, snapshots > 0 {
            snapshots += 1
            return snapshot
        }
        let (snapshot, pages) = try database.begin()
        (self.snapshot, self.pages, snapshots) = (snapshot, pages, 1)
        return snapshot
    }

    func pages(from first: UInt32, count: Int) throws -> [[UInt8]] {
        if let failure = database.failure { throw failure }
        guard let pages, first > 0, count > 0 else { throw Misuse() }
        onRead(first, count)
        return (first..<first + UInt32(count)).prefix { pages[$0] != nil }.compactMap { pages[$0] }
    }

    func end() {
        snapshots -= 1
        if snapshots == 0 { pages = nil }
    }
}

extension RemoteDatabase {
    /// A database of one part.
    ///
    /// - Parameter open: Returns the place of the pages, once for each connection.
    package init(
        name: String? = nil, open: @escaping @Sendable () throws -> any PageSource,
        isWritten: @escaping @Sendable () -> Bool
    ) {
        self.init(name: name, parts: { [RemotePart(number: 1, source: try open())] }, isWritten: { _ in isWritten() })
    }
}
