import Foundation
import GarnerModel
import GarnerSQLite
import TestSupport
import Testing

@testable import GarnerPersistence

/// The memory for pages of the database, which is larger while records come in no order.
@Suite(.timeLimit(.minutes(3)))
struct PageCacheTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static func json(_ ids: [Int]) -> String {
        let text = String(repeating: ids.count == 1 ? "y" : "x", count: 2_000)
        return "[\(ids.map { #"{"id":\#($0),"a":"\#(text)"}"# }.joined(separator: ","))]"
    }

    private func isLarge(after pages: [[Int]]) async throws -> [Bool] {
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        var found: [Bool] = []
        for (index, ids) in pages.enumerated() {
            let page = try PageCommit.page(Self.json(ids), index + 1, .next("page=\(index + 2)"))
            _ = try await fixture.writer.commit(page, to: run)
            found.append(await fixture.writer.keepsManyPages)
        }
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        return found
    }

    @Test func `it grows while keys come in no order, and shrinks when no run is left`() async throws {
        let isLarge = try await isLarge(after: (0..<12).map(Fixture.shuffledKeys))
        #expect(isLarge.first == false)
        #expect(isLarge.last == true)
        #expect(await !fixture.writer.keepsManyPages)
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["2400"])
    }

    @Test func `while it is large, 64 pages share a transaction, whose commit waits for the disk`() async throws {
        let run = try await fixture.writer.beginReading(.animals(key: ["id"]), identity: "page=1")
        var (stored, waits): ([Int], [Bool?]) = ([], [])
        for number in 1...80 {
            let isFollowed = number > 12
            let ids = isFollowed ? [20_000 + number] : Fixture.shuffledKeys(onPage: number - 1)
            var page = try PageCommit.page(Self.json(ids), number, .next("page=\(number + 1)"))
            page.slice = run.slice.id
            stored.append(
                try await fixture.writer.commit(page, to: run.id, successor: { isFollowed ? .arrived : .separate })
                    .counts.pages)
            waits.append(await fixture.writer.waitsForDisk)
        }
        #expect(stored[11] == 12)
        #expect(stored[74] == 12)
        #expect(stored[75] == 76)
        #expect(waits[11] == nil)
        #expect(waits[74] == true)
        #expect(waits[79] == true)
    }

    @Test func `it stays as it is while each page changes one record`() async throws {
        let ascending = (0..<12).map { page in (1...200).map { page * 200 + $0 } }
        let single = (0..<8).flatMap(Fixture.shuffledKeys).map { [$0 % 2_400 + 1] }
        #expect(try await !isLarge(after: ascending + single).contains(true))
    }

    @Test func `it stays as it is while keys ascend`() async throws {
        let pages = (0..<12).map { page in (1...200).map { page * 200 + $0 } }
        #expect(try await !isLarge(after: pages).contains(true))
        // Nor does a second read, which changes nothing.
        #expect(try await !isLarge(after: pages).contains(true))
    }
}

extension DatabaseWriter {
    fileprivate var keepsManyPages: Bool { cache.isLarge }
    /// True if the commit of the open transaction waits for the disk; nil if none is open.
    fileprivate var waitsForDisk: Bool? { group?.waitsForDisk }
}
