import GarnerLibC
import TestSupport
import Testing

/// Faults that need a whole run: those of programs, and those that lie between several lists of a read.
@Suite(.timeLimit(.minutes(5)))
struct RunFaultTests {
    @Test(arguments: RunFault.all)
    func `a run with a fault ends as the page of faults says, and the next one without it stores everything`(
        fault: RunFault
    ) async throws {
        for page in fault.pages {
            let run = try await FaultyRun(fault, on: page)
            let told = Comment(rawValue: "page \(page): \(run.report) \(run.attempts) attempts")
            #expect(run.report.error?.kind ?? "page" == fault.outcome, told)
            #expect((run.report.status == "succeeded") == (fault.outcome == "page"), told)
            let rows = fault.outcome == "page" ? fault.readRows ?? fault.allRows : fault.rows(page)
            #expect(run.rows == rows, told)
            #expect((run.attempts > 1) == fault.isRetried, told)
            #expect(run.processes.allSatisfy { kill($0, 0) != 0 }, told)
            #expect(run.repaired.status == "succeeded" && run.repairedRows == fault.allRows, "\(run.repaired)")
            // Bad news comes with advice.
            #expect(run.report.error == nil || run.report.error?.hint?.isEmpty == false, told)
            guard let row = FaultPage.row(named: fault.name) else { continue }
            #expect(row.exitCode == run.code, told)
            #expect(row.says(run.message), told)
        }
    }

    @Test func `the page of faults tells of every fault that runs can have, and of nothing else`() {
        let told = FaultPage.rows(ofRuns: true).map { [$0.name, $0.outcome, $0.isRetried ? "again" : "once"] }
        let known = RunFault.all.map { [$0.name, $0.outcome, $0.isRetried ? "again" : "once"] }
        #expect(Set(told) == Set(known))
        #expect(told.count == known.count)
    }
}
