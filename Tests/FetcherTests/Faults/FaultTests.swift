import TestSupport
import Testing
@testable import GarnerFetcher

/// Every fault has one outcome, wherever and however it comes; nothing hangs, and no part of a page is taken for the page.
@Suite(.timeLimit(.minutes(2)))
struct FaultTests {
    @Test(arguments: Fault.all)
    func `a fault has the one outcome that is told of it, on any page and in any framing`(fault: Fault) async throws {
        try await withThrowingTaskGroup { group in
            for page in fault.pages {
                for framing in fault.framings {
                    group.addTask {
                        let read = try await FaultyRead(fault, on: page, in: framing)
                        Self.check(read, fault, page, framing)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func check(_ read: FaultyRead, _ fault: Fault, _ page: Int, _ framing: GoodAnswer.Framing) {
        let told = Comment(
            rawValue: "page \(page), \(framing): \(read.error?.message ?? "no error"), \(read.requests) requests")
        let (pages, error): (Range<Int>, String?) =
            switch fault.outcome {
            case .page, .unchanged: (0..<FaultServer.pageCount, nil)
            case .end: (0..<page + 1, nil)
            case .error(let name): (0..<page, name)
            case .pageThenError(let name): (0..<page + 1, name)
            }
        #expect(read.error?.kind.name == error, told)
        // Where there never was a server, no page came before.
        let records = pages.flatMap { number -> [String] in
            if number == page, let records = fault.records { return records }
            return fault.outcome == .unchanged && number == page ? ["unchanged"] : FaultServer.records(number)
        }
        #expect(read.records == (fault.place.hasPages ? records : []), told)
        #expect((read.requests > 1) == fault.isRetried, told)
        guard let row = FaultPage.row(named: fault.name) else { return }
        #expect(row.exitCode == read.error?.kind.category.exitCode ?? 0, told)
        #expect(row.says(read.error?.kind.reason ?? ""), told)
    }

    @Test func `the page of faults tells of every fault that pages can have, and of nothing else`() {
        let told = FaultPage.rows(ofRuns: false).map { [$0.name, $0.outcome, $0.isRetried ? "again" : "once"] }
        let known = Fault.all.map { [$0.name, "\($0.outcome)", $0.isRetried ? "again" : "once"] }
        #expect(Set(told) == Set(known))
        #expect(told.count == known.count)
    }

    @Test func `every fault has a name of its own`() {
        let names = Fault.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}

extension FetchError.Kind.Category {
    /// The exit code of `garner`.
    fileprivate var exitCode: Int {
        switch self {
        case .misconfigured: 78
        case .badContent: 65
        case .unavailable: 69
        case .unauthorized: 77
        }
    }
}
