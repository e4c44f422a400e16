import GarnerDatabase
import Foundation
import GarnerModel
import GarnerPresentation
import GarnerSQLite
import TestSupport
import Testing

@testable import GarnerMaintenance
@testable import GarnerPersistence

@Suite(.timeLimit(.minutes(3)))
struct ReadingDuringLoadTests {
    private static let pageCount = 60
    private static let recordsPerPage = 40

    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// A task that runs repeatedly while pages are stored; it throws or records an issue if it sees half a page.
    typealias Reader = @Sendable (ReadOnlyDatabase) throws -> Void

    @Test func `sixteen readers, an export and a backup see whole pages while others are stored`() async throws {
        let readers = Array(repeating: Self.readsRowsAndRun, count: 16) + [Self.exports, Self.backsUp]
        let rounds = try await loading(beside: readers)
        // A reader that came too late would prove nothing.
        #expect(rounds.allSatisfy { $0 >= 2 }, "\(rounds)")
        try fixture.expectIntegrity()
    }

    /// Rows, and the counters of the run that stored them, are of one moment.
    private static let readsRowsAndRun: Reader = { reader in
        try reader.guarding(QueryGuard(limit: .seconds(60), clock: ContinuousClock())) {
            let rows = try reader.connection.firstRow("SELECT count(*), count(DISTINCT page), sum(id) FROM animals") {
                (count: $0.integer(at: 0), pages: $0.integer(at: 1), sum: $0.integer(at: 2))
            }
            let run = try reader.connection.firstRow("SELECT pages, inserted FROM _garner_runs") {
                (pages: $0.integer(at: 0), inserted: $0.integer(at: 1))
            }
            let (pages, size) = (try #require(rows).pages, Int64(recordsPerPage))
            #expect(rows?.count == pages * size)
            #expect(rows?.sum == pages * size * (pages * size - 1) / 2)
            #expect(run?.pages == pages)
            #expect(run?.inserted == pages * size)
        }
    }

    private static let exports: Reader = { reader in
        let lines = Counter()
        try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock()), limits: .none) {
            let rows = try reader.rows(for: RowRequest(table: "animals")).write(as: .csv) { bytes in
                lines.count += bytes.count { $0 == UInt8(ascii: "\n") }
            }
            #expect(lines.count == rows + 1)
            #expect(rows % recordsPerPage == 0)
            #expect(try reader.connection.integer("SELECT inserted FROM _garner_runs") == Int64(rows))
        }
    }

    /// A copy is checked, and then read as the database is.
    private static let backsUp: Reader = { reader in
        let copy = reader.connection.path + ".copy"
        let outcome = try DatabaseBackup(of: reader.connection.path, to: copy, replaces: true, verifies: true).run()
        #expect(outcome.verified.map { $0.rows >= recordsPerPage } == true)
        let copied = try ReadOnlyDatabase(path: copy)
        try readsRowsAndRun(copied)
        try exports(copied)
    }

    private final class Counter {
        var count = 0
    }

    /// Stores pages while each reader, on a thread and a connection of its own, reads again and again; returns how often
    /// each of them did.
    func loading(beside readers: [Reader]) async throws -> [Int] {
        let isLoading = Watched(true)
        let started = Watched(0)
        let run = try await fixture.writer.beginReading(.animals(), identity: "page=1", restarting: true)
        _ = try await fixture.writer.commit(page(1), to: run)
        return try await withThrowingTaskGroup(of: (index: Int, rounds: Int).self) { [path = fixture.path] group in
            for (index, reader) in readers.enumerated() {
                group.addTask {
                    // One that fails is not waited for either.
                    defer { started.change { $0 += readers.count } }
                    let rounds = try await Self.onThread {
                        let database = try ReadOnlyDatabase(path: path)
                        var rounds = 0
                        repeat {
                            try reader(database)
                            rounds += 1
                            if rounds == 1 { started.change { $0 += 1 } }
                        } while isLoading.value
                        return rounds
                    }
                    return (index, rounds)
                }
            }
            defer { isLoading.value = false }
            await started.until { $0 >= readers.count }
            for number in 2..<Self.pageCount { _ = try await fixture.writer.commit(page(number), to: run) }
            _ = try await fixture.writer.commitLast(page(Self.pageCount), to: run)
            isLoading.value = false
            return try await group.reduce(into: Array(repeating: 0, count: readers.count)) { $0[$1.index] = $1.rounds }
        }
    }

    private func page(_ number: Int) throws -> PageCommit {
        let first = (number - 1) * Self.recordsPerPage
        let records = (first..<first + Self.recordsPerPage).map { #"{"id":\#($0),"page":\#(number)}"# }
        return try .page(
            "[\(records.joined(separator: ","))]", number,
            number == Self.pageCount ? .complete : .next("page=\(number + 1)"))
    }

    private static func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}
