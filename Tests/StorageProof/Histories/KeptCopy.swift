import Foundation
import GarnerLibC
import GarnerPersistence
import GarnerSQLite
import TestSupport

/// Stands for a server that keeps the file: it has nothing but the pages of each commit.
struct KeptCopy: CommitReceiver {
    private let pages = KeptDatabase()
    private let path: String

    init(of path: String) { self.path = path }

    func committed(_ pages: CommittedPages?) { self.pages.receive(pages) }

    func safe() async throws {}

    /// Takes the file as it is, with what is in its log: a process that was killed has written it.
    func takeFile() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let pageSize = try checkpoint()
        pages.take(try bytes(), pageSize: pageSize)
    }

    /// Returns what is wrong with the pages; nil if they are the file.
    func problem() throws -> HistoryProblem? {
        guard pages.commits > 0 else { return nil }
        guard pages.failures == 0 else { return HistoryProblem("copied", "the pages of a commit are not known") }
        _ = try checkpoint()
        return pages.difference(from: try bytes()).map { HistoryProblem("copied", "the copy of the file: \($0)") }
    }

    /// Puts the copy in the place of the file, which is closed: as another machine would go on.
    func replaceFile() throws {
        guard pages.commits > 0, let copy = pages.file else { return }
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try Data(copy).write(to: URL(filePath: path))
    }

    /// Copies the log into the file. Returns the size of its pages.
    private func checkpoint() throws -> Int {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        _ = try connection.checkpoint(waiting: .seconds(5))
        return connection.pageSize
    }

    private func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }
}
