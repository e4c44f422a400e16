import GarnerCatalog
import GarnerModel
import GarnerSync
import TestSupport
import Testing

@testable import garner

/// The checks of several streams, without a program of their own.
@Suite(.timeLimit(.minutes(2)))
struct StreamCheckTests {
    @Test func `every failing stream has its check, in the order of the file`() async {
        let streams = (0..<9).map { (number: Int) in
            StreamConfiguration(
                name: StreamName(source: "zoo", stream: "s\(number)"), table: "s\(number)",
                place: ConfigurationPlace(file: "garner.yaml", line: number),
                request: RequestTemplate(baseURL: "https://zoo.example/", path: ""))
        }
        let underWay = Watched((now: 0, most: 0))
        let checks = await StreamCheck.all(streams) { stream in
            underWay.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            underWay.change { $0.now -= 1 }
            guard stream.table < "s7" else { return .init(records: 1, hasMore: false) }
            throw CommandError(.misconfigured, kind: "misconfigured", message: "no")
        }
        #expect(checks.map(\.stream.table) == streams.map(\.table))
        #expect(checks.map { $0.failure?.stream } == streams.prefix(7).map(\.name.description) + [nil, nil])
        #expect(checks.first?.failure?.place == "garner.yaml:0")
        #expect(underWay.value.most <= 4)
        #expect(SyncSession.code(forFailures: checks.map { $0.failure?.category }) == ExitCode.partial)
    }

    @Test(
        arguments: [
            ([nil, nil], nil), ([.usage, .usage], 64), ([.usage, .bug], 1), ([nil, .usage], 2), ([], nil),
        ] as [([ErrorCategory?], Int32?)])
    func `the code tells what became of all`(categories: [ErrorCategory?], code: Int32?) {
        #expect(SyncSession.code(forFailures: categories) == code)
    }
}
