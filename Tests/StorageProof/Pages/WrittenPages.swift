import FaultyStorage
import GarnerPersistence
import Synchronization

/// The numbers of the database's pages that were written, into the log or into the file.
final class WrittenPages: Sendable {
    private static let pageSize = DatabaseWriter.pageSize
    private static let frameHeaderSize = 24

    private let pages = Mutex<Set<Int>>([])

    var all: Set<Int> { pages.withLock { $0 } }

    func note(_ call: Storage.Call) {
        guard call.succeeded, call.kind == GARNER_CALL_WRITE, let page = Self.page(of: call) else { return }
        pages.withLock { _ = $0.insert(page) }
    }

    /// "Each frame consists of a 24-byte frame-header followed by a page-size bytes of page data", and the header begins
    /// with the page number (sqlite.org/fileformat2.html#walformat). SQLite writes both by calls of their own.
    private static func page(of call: Storage.Call) -> Int? {
        switch call.file {
        case GARNER_FILE_DATABASE: call.offset / pageSize + 1
        case GARNER_FILE_LOG where call.length == frameHeaderSize: call.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        default: nil
        }
    }
}
