import CGarnerSQLite
import CGarnerVFS
import GarnerLibC

/// The pages of a database that is no file, or of a part of it, as one connection reads them.
final class RemoteFile {
    /// A part that is about to be opened, under the path of its database.
    ///
    /// `@unchecked Sendable` is safe because SQLite opens it on the thread that has set it.
    struct Place: @unchecked Sendable {
        let path: String
        let part: RemotePart
    }

    /// What the next file of this thread is; nil for nothing.
    @TaskLocal static var next: Place?

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String
    private let part: Int
    private let source: any PageSource
    private let kept: KeptPages
    private var snapshot = PageSnapshot(pageCount: 0, pageSize: 0, version: [])
    private var readAhead = ReadAhead()
    private var hasFailed = false

    fileprivate init(_ place: Place) {
        (path, part, source, kept) = (place.path, place.part.number, place.part.source, place.part.pages)
    }

    /// Begins a snapshot. Returns its size in bytes.
    fileprivate func begin() throws -> Int64 {
        let new = try source.begin()
        guard new.pageCount == 0 || (512...65_536).contains(new.pageSize) && new.pageSize & (new.pageSize - 1) == 0,
            new.version.count == 16
        else {
            source.end()
            throw Failure(description: "\(path) has pages of \(new.pageSize) bytes")
        }
        if new.version != snapshot.version { readAhead = ReadAhead() }
        kept.begin(new.version)
        snapshot = new
        if hasFailed { RemoteDatabase.note(failure: nil, at: path) }
        hasFailed = false
        let size = Int64(new.pageCount) * Int64(new.pageSize)
        RemoteDatabase.note(size: Int(size), of: part, at: path)
        return size
    }

    fileprivate func end() { source.end() }

    fileprivate func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < target.count {
            let (index, start) = (offset + Int64(done)).quotientAndRemainder(dividingBy: Int64(snapshot.pageSize))
            let page = try page(UInt32(clamping: index + 1))
            let count = min(page.count - Int(start), target.count - done)
            page.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: target[done...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(start)..<Int(start) + count]))
            }
            done += count
        }
    }

    private func page(_ number: UInt32) throws -> [UInt8] {
        if let page = kept[number] { return page }
        let count = min(readAhead.count(at: number), Int(snapshot.pageCount) - Int(number) + 1)
        let pages = try source.pages(from: number, count: count)
        guard let first = pages.first, pages.count <= count, pages.allSatisfy({ $0.count == snapshot.pageSize }) else {
            throw Failure(description: "page \(number) of \(path) is not there")
        }
        for (index, page) in pages.enumerated() {
            kept[number + UInt32(index)] = number == 1 && index == 0 ? shown(page) : page
        }
        return kept[number] ?? first
    }

    /// Returns the first page as SQLite is to see it: of a database with a rollback journal, and with the counter of this version.
    private func shown(_ page: [UInt8]) -> [UInt8] {
        var page = page
        page.replaceSubrange(18..<20, with: [1, 1])
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: kept.counter >> (24 - 8 * $0)) }
        page.replaceSubrange(24..<28, with: bytes)
        page.replaceSubrange(92..<96, with: bytes)
        return page
    }

    fileprivate func note(_ error: any Error) {
        hasFailed = true
        RemoteDatabase.note(failure: error, at: path)
    }
}

/// The pages of one version of a database, but for those that were used least lately. One thread at a time uses it.
final class KeptPages {
    private var version: [UInt8] = []
    /// The number that SQLite compares to find out if the pages that it keeps are still valid.
    private(set) var counter: UInt32 = 0
    private var young: [UInt32: [UInt8]] = [:]
    private var old: [UInt32: [UInt8]] = [:]
    private var youngBytes = 0
    /// Half of what is kept. SQLite keeps as much once more.
    private var limit = 4 << 20

    /// Keeps less if the database has several parts.
    func share(among parts: Int) { limit = (4 << 20) / max(1, parts) }

    /// Forgets the pages of another version.
    func begin(_ version: [UInt8]) {
        guard version != self.version else { return }
        self.version = version
        (young, old, youngBytes) = ([:], [:], 0)
        let number = version[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        // Two versions may begin alike.
        counter = number == counter ? number &+ 1 : number
    }

    subscript(_ number: UInt32) -> [UInt8]? {
        get {
            if let page = young[number] { return page }
            guard let page = old.removeValue(forKey: number) else { return nil }
            add(page, number)
            return page
        }
        set { if let newValue { add(newValue, number) } }
    }

    private func add(_ page: [UInt8], _ number: UInt32) {
        if youngBytes >= limit { (young, old, youngBytes) = ([:], young, 0) }
        if young.updateValue(page, forKey: number) == nil { youngBytes += page.count }
    }
}

/// How many pages are asked for at once: the more, the longer they have come in order.
private struct ReadAhead {
    /// The page behind those that were asked for in order.
    private var next: UInt32 = 0
    private var size = 1
    private var isAstray = false

    private static let largest = 256

    mutating func count(at page: UInt32) -> Int {
        if page >= next, page - next <= UInt32(size) {
            size = min(2 * size, Self.largest)
        } else if size > 1, !isAstray {
            // An interior page or one of another table, among those of a scan.
            isAstray = true
            return 1
        } else {
            size = 1
        }
        isAstray = false
        let (end, overflows) = page.addingReportingOverflow(UInt32(size))
        next = overflows ? .max : end
        return size
    }
}

/// The VFS of databases that are no files.
enum RemoteVFS {
    /// The VFS's name, for opening a connection. The first use registers the VFS with SQLite.
    static var name: UnsafePointer<CChar> {
        get throws(SQLiteError) {
            guard registration == SQLITE_OK else {
                throw SQLiteError(code: registration, message: String(cString: sqlite3_errstr(registration)))
            }
            return garner_pages_vfs
        }
    }

    private static let registration: Int32 = {
        var functions = garner_pages_functions(
            open: { _ in RemoteFile.next.map { Unmanaged.passRetained(RemoteFile($0)).toOpaque() } },
            close: { if let context = $0 { Unmanaged<RemoteFile>.fromOpaque(context).release() } },
            begin: { context, size in RemoteVFS.succeeds(context) { size?.pointee = try $0.begin() } },
            end: { context in _ = RemoteVFS.succeeds(context) { $0.end() } },
            read: { context, bytes, length, offset in
                RemoteVFS.succeeds(context) {
                    try $0.read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(length)), at: offset)
                }
            })
        return garner_pages_vfs_register(&functions)
    }()

    private static func succeeds(_ context: UnsafeMutableRawPointer?, _ body: (RemoteFile) throws -> Void) -> Bool {
        guard let context else { return false }
        let file = Unmanaged<RemoteFile>.fromOpaque(context).takeUnretainedValue()
        do {
            try body(file)
            return true
        } catch {
            file.note(error)
            return false
        }
    }
}
