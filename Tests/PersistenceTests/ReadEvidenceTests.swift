import GarnerCatalog
import GarnerDigest
import GarnerModel
import Testing

@testable import GarnerPersistence

/// What a read has seen, by the pages and records that it is told of, without a database.
struct ReadEvidenceTests {
    /// A page: its records by the numbers of their keys, `+` for a new row and `*` for a changed one; `=` for a page that came unchanged.
    private struct Script {
        var pages: [String]
        var isNumbered = true
        var madeTable = false
        var isInferred = true
        var beginsRead = true

        func evidence() throws -> ReadEvidence {
            let key = try #require(HashKey((0..<HashKey.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
            var evidence = ReadEvidence(of: .animals(), beginsRead: beginsRead, pagesAreApart: false, hashKey: key)
            if madeTable { evidence.madeTable(isOneList: true) }
            for (number, text) in pages.enumerated() {
                var page = PageCommit(
                    content: .unchanged, position: "page=\(number)", slice: 1,
                    continuation: number < pages.count - 1 ? .next("") : .complete,
                    endsList: number == pages.count - 1, url: "", requests: [])
                page.isNumbered = isNumbered
                guard text != "=" else {
                    evidence.unchangedPage(page, records: 1)
                    continue
                }
                let records = text.split(separator: " ")
                evidence.beginPage(page, hasKey: true, isInferred: isInferred)
                var isApart = true
                for (place, record) in records.enumerated() {
                    let number = record.filter(\.isNumber)
                    let (isNew, isUpdate) = (record.hasSuffix("+"), record.hasSuffix("*"))
                    if !isNew { isApart = false }
                    let fingerprint = number.utf8.withContiguousStorageIfAvailable {
                        key.fingerprint(of: UnsafeRawBufferPointer($0))
                    }
                    let key = RecordKey(fingerprint: try #require(fingerprint), integer: Int64(number))
                    evidence.stored(key, at: place, isNew: isNew, isUpdate: isUpdate)
                }
                _ = evidence.endPage(records: records.count)
                evidence.finish(page, isApart: isApart)
            }
            return evidence
        }
    }

    @Test(arguments: [
        (["1 2", "3 4"], false), (["1 2", "2 3"], true), (["1+ 2+", "2 3+"], true), (["1", "=", "1"], true),
        (["1 1", "2"], false),
    ])
    func `a record on two numbered pages is seen`(pages: [String], isSeen: Bool) throws {
        #expect(try Script(pages: pages).evidence().repeatedKeys.crossesPages == isSeen)
        #expect(try (Script(pages: pages).evidence().crossing != nil) == isSeen)
    }

    @Test func `pages that are not numbered may repeat a record`() throws {
        #expect(try !Script(pages: ["1 2", "2 3"], isNumbered: false).evidence().repeatedKeys.crossesPages)
    }

    @Test(arguments: [(["1+ 2+", "=", "2 3+"], true), (["1+ 2+", "3+ 4+"], false), (["=", "1+ 2+"], false)])
    func `a record that moved beside a page that came unchanged may be on two pages`(pages: [String], mayBe: Bool)
        throws
    {
        let evidence = try Script(pages: pages, madeTable: false).evidence()
        #expect(evidence.repeatedKeys.mayCrossPages == mayBe || evidence.repeatedKeys.crossesPages)
    }

    @Test(arguments: [
        (["1 2", "3 4"], true), (["1 2", "2 3"], false), (["1 1"], false), (["1", "="], false),
    ])
    func `a read of all pages proves that they share no record`(pages: [String], isProved: Bool) throws {
        var evidence = try Script(pages: pages, isNumbered: false).evidence()
        var part = try Script(pages: pages, isNumbered: false, beginsRead: false).evidence()
        let proofs = [evidence.provesPagesApart(), evidence.provesPagesApart(), part.provesPagesApart()]
        #expect(proofs == [isProved, false, false], "a read ends once, and one that goes on has not seen all pages")
    }

    @Test(arguments: [
        ("1+ 2+ 1*", true, 1), ("1 2 1*", true, 1), ("1* 2*", true, 0), ("1* 2* 1*", false, 1), ("1+ 1 1*", true, 1),
    ])
    func `a record that changes what another one wrote is counted`(page: String, isInferred: Bool, count: Int) throws {
        #expect(try Script(pages: [page], isInferred: isInferred).evidence().repeatedKeys.count == count)
    }

    @Test(arguments: [
        (shared: 1, others: 8, isDoubtful: true, areMany: false), (1, 20, false, false), (9, 200, false, false),
        (10, 900, true, true), (10, 991, true, false),
    ])
    func `keys that come again make an inferred one doubtful by their number and their share`(
        shared: Int, others: Int, isDoubtful: Bool, areMany: Bool
    ) throws {
        let pairs = (0..<shared).map { "\($0)+ \($0)*" } + (0..<others).map { "\(10_000 + $0)+" }
        let evidence = try Script(pages: [pairs.joined(separator: " ")], madeTable: true).evidence()
        #expect(evidence.recordsRead == 2 * shared + others)
        #expect(evidence.inferredKeyIsDoubtful(after: []) == isDoubtful)
        #expect(evidence.manyShareKey == areMany)
        #expect(evidence.inferredKeyIsDoubtful(after: evidence.repeatedKeys.keys), "the same keys came again")
    }
}
