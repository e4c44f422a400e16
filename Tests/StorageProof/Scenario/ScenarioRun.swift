import Foundation
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite

/// One attempt at a scenario on one database.
final class ScenarioRun {
    private let scenario: Scenario
    private let path: String
    private let synchronous: Synchronous
    private let isPublished: Bool
    /// The token of the last process, if its changes are noted for a publisher.
    private(set) var token: String?
    private(set) var writer: DatabaseWriter?
    private var run: RunID?
    private var slice: Slice?
    /// The number of steps that have returned.
    private(set) var acknowledged = 0
    /// The number of steps that must be found. Those behind them share a transaction that was open.
    private(set) var committed = 0

    init(_ scenario: Scenario, at path: String, _ synchronous: Synchronous = .normal, isPublished: Bool = false) {
        self.scenario = scenario
        self.path = path
        self.synchronous = synchronous
        self.isPublished = isPublished
    }

    /// Performs all steps up to the first that throws.
    ///
    /// - Parameter acknowledge: called after each step.
    func perform(_ acknowledge: (Int) async throws -> Void = { _ in }) async throws {
        for step in scenario.steps {
            try await perform(step)
            acknowledged += 1
            note(step)
            try await acknowledge(acknowledged)
        }
    }

    /// Ends the run that failed, as far as that is possible; gives what that threw.
    func giveUp() async -> (any Error)? {
        guard let writer, let run else { return nil }
        do {
            _ = try await writer.end(run: run, as: .failed)
            return nil
        } catch {
            return error
        }
    }

    /// Lets go of the store as the end of a program does.
    func close() async {
        await writer?.close()
        writer = nil
        (run, slice) = (nil, nil)
    }

    private func note(_ step: Scenario.Step) {
        switch step {
        case .page(let number, let read) where scenario.isFollowed(number, of: read): return
        case .checkpoint where committed < acknowledged - 1: return
        default: committed = acknowledged
        }
    }

    private struct NotOpen: Error {}

    private func perform(_ step: Scenario.Step) async throws {
        switch step {
        case .open:
            token = isPublished ? UUID().uuidString.lowercased() : nil
            writer = try Self.open(path, synchronous, publishingAs: token)
        case .begin(let read):
            guard let writer else { throw NotOpen() }
            (run, slice) = (nil, nil)
            run = try await writer.begin(read.stream, identity: Self.identity)
        case .openRead:
            guard let writer, let run else { throw NotOpen() }
            _ = try await writer.openRead(of: run)
            slice = try await writer.slices(of: run, limit: 1).first
        case .page(let number, of: let read):
            guard let writer, let run, let slice else { throw NotOpen() }
            let isFollowed = scenario.isFollowed(number, of: read)
            _ = try await writer.commit(read.commit(number, to: slice), to: run) { isFollowed ? .arrived : .separate }
            if number == read.pages.count { self.run = nil }
        case .checkpoint: try checkpoint()
        case .close: await close()
        }
    }

    private func checkpoint() throws {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            try connection.executeScript("PRAGMA wal_checkpoint(PASSIVE)")
        } catch {
            throw PersistenceError(error, path: path)
        }
    }

    static let identity = "page=1"

    /// Time stands still, so that equal states are equal to the byte.
    static func open(
        _ path: String, _ synchronous: Synchronous = .normal, publishingAs token: String? = nil
    ) throws -> DatabaseWriter {
        try DatabaseWriter(path: path, busyTimeout: .zero, publishingAs: token, synchronous: synchronous) { instant }
    }

    static let instant = Timestamp(millisecondsSince1970: 1_769_846_700_000)
}

extension Scenario.Read {
    func commit(_ number: Int, to slice: Slice) throws -> PageCommit {
        let url = "https://api.example.org/\(stream.table)?page=\(number)"
        let content: PageCommit.Content =
            switch pages[number - 1] {
            case .unchanged: .unchanged
            case .records(let json):
                .records(try Selector(parsing: "$[*]").select(in: try Document(parsing: Bytes(json.utf8))))
            }
        return PageCommit(
            content: content, position: "page=\(number)", slice: slice.id,
            continuation: number < pages.count ? .next("page=\(number + 1)") : .complete, url: url,
            requests: [RequestRecord(sentAt: ScenarioRun.instant, url: url, status: 200)])
    }
}
