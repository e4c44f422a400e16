import FaultyStorage
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import GarnerSync
import TestSupport

/// Lets the files of a database have 4 MiB in all, and no more.
struct FullDiskHarness {
    let options: ProofOptions
    let tally: Tally

    private static let limit: Int64 = 4 << 20
    private static let records = 16

    func run() async throws {
        try Storage.install()
        for size in [4, 16, 64, 256, 1024] {
            let name = "pages of \(size) KiB"
            guard tally.begin(name) else { continue }
            if let problem = await problem(withPagesOf: size << 10) { tally.fail(name, problem) }
        }
        Storage.uninstall()
        if tally.begin("mount") {
            switch try await MountedDisk(binary: options.garner, unshare: options.unshare).outcome() {
            case .sound: break
            case .failed(let problem): tally.fail("mount", problem)
            // A sample goes without; a proof has to be made where it can be.
            case .impossible where options.size == .full:
                tally.fail("mount", "no file system could be mounted: it needs root, or namespaces for users")
            case .impossible: tally.note("no file system could be mounted")
            }
        }
    }

    /// Fills the disk and returns the problem; nil if there is none.
    private func problem(withPagesOf size: Int) async -> String? {
        do {
            let folder = try TemporaryFolder()
            let path = folder.path("garner.db")
            // More than fits.
            let read = Self.read(pages: 6 << 20 / size, of: size)
            garner_storage_reset()
            garner_storage_limit(Self.limit)
            let (committed, failure) = try await fill(path, with: read)
            guard let failure else { return "\(committed) pages did not fill the disk" }
            guard RunFailure(failure).category == .inputOutput else { return "the error is \(failure)" }
            if committed == 0 { return "not even one page was stored" }
            if let problem = try rows(at: path, pages: committed) { return "on the full disk, \(problem)" }
            // Another sync on the full disk may fail, but leaves what is there.
            let (_, second) = try await fill(path, with: read)
            guard let second else { return "there is room after all" }
            guard RunFailure(second).category == .inputOutput else { return "the second error is \(second)" }
            garner_storage_reset()
            let (_, third) = try await fill(path, with: read)
            if let third { return "with space again: \(third)" }
            return try rows(at: path, pages: read.pages.count)
        } catch {
            return "\(error)"
        }
    }

    /// Reads on until the end or an error; gives how many pages are stored, and the error.
    private func fill(_ path: String, with read: Scenario.Read) async throws -> (committed: Int, (any Error)?) {
        var committed = 0
        do {
            let writer = try ScenarioRun.open(path)
            do {
                let run = try await writer.begin(read.stream, identity: ScenarioRun.identity)
                _ = try await writer.openRead(of: run)
                guard let slice = try await writer.slices(of: run, limit: 1).first else { return (0, nil) }
                committed = (slice.nextPosition.flatMap { Int($0.dropFirst("page=".count)) } ?? 1) - 1
                while committed < read.pages.count {
                    _ = try await writer.commit(read.commit(committed + 1, to: slice), to: run)
                    committed += 1
                }
                await writer.close()
            } catch {
                await writer.close()
                throw error
            }
        } catch {
            return (committed, error)
        }
        return (committed, nil)
    }

    /// Returns what a reader finds other than the given number of whole pages; nil if there is nothing.
    private func rows(at path: String, pages: Int) throws -> String? {
        let connection = try Connection(path: path, mode: .readOnly)
        if let problem = try Reference.damage(connection) { return problem }
        let rows = try connection.integer("SELECT count(*) FROM animals") ?? 0
        return rows == pages * Self.records ? nil : "\(rows) rows are stored, and \(pages) pages were"
    }

    private static func read(pages: Int, of size: Int) -> Scenario.Read {
        let text = String(repeating: "x", count: size / records)
        return Scenario.Read(
            stream: Scenario.animals, ordinal: 1,
            pages: (0..<pages).map { page in
                let records = (0..<records).map { #"{"id":\#(page * Self.records + $0),"text":"\#(text)"}"# }
                return .records("[\(records.joined(separator: ","))]")
            })
    }
}
