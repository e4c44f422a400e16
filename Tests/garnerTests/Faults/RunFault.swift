import Foundation
import TestSupport
import Testing

/// A fault of a server or a program, played by a run of `garner sync`. `docs/faults.md` has a row for each.
struct RunFault: Sendable, CustomTestStringConvertible {
    /// The name that `docs/faults.md` uses.
    let name: String
    /// The word of the error; `page` if there is none.
    let outcome: String
    /// True if the same page is requested, or the same program run, again.
    var isRetried = false
    /// The pages, counted from 1, that can have the fault.
    var pages = [1, 2]
    /// The stream that has the fault.
    var stream = "animals"
    /// The stream that is read before it, without a fault; nil if there is none.
    var parent: String?
    /// The lines of its source, `URL` stands for the address of the server.
    let source: String
    /// The files beside the configuration, for a fault on this page.
    var files: @Sendable (_ page: Int) -> [String: String] = { _ in [:] }
    /// The files that are programs.
    var programs: @Sendable (_ page: Int) -> [String: String] = { _ in [:] }
    /// The files of a good program.
    var repair: [String: String] = [:]
    /// The lines of a good source; nil if they are not at fault.
    var repairedSource: String?
    /// Returns true if a request is the one that a fault on this page is about.
    var isFaulty: @Sendable (LoopbackRequest, _ page: Int) -> Bool = { $0.page == $1 }
    /// The answer of the server that has the fault, with the number of earlier requests for the same; nil stands for the
    /// answer of a good one.
    var reply: @Sendable (LoopbackRequest, _ asked: Int) -> LoopbackReply? = { _, _ in nil }
    /// The answer of a good server.
    var goodReply: @Sendable (LoopbackRequest) -> LoopbackReply = { .page($0.page, of: 3) }
    /// Further arguments of the run that has the fault.
    var arguments: [String] = []
    /// The rows that are stored by a run with a fault on this page, and by a run after it without one.
    var rows: @Sendable (_ page: Int) -> Int = { ($0 - 1) * 2 }
    var allRows = 6
    /// The rows that a run with the fault stores if that is no error; nil for all.
    var readRows: Int?

    var testDescription: String { name }

    static let all = commands + runs + endlessPages + deletions + ranges + partitionSources

    func with(_ change: (inout RunFault) -> Void) -> RunFault {
        var fault = self
        change(&fault)
        return fault
    }
}

/// A run of `garner sync` with a fault on one page, and what it left.
struct FaultyRun: Sendable {
    /// The line of `garner sync --json` for the stream.
    struct Report: Decodable, Sendable {
        struct Failure: Decodable, Sendable {
            let kind: String
            let message: String
            let hint: String?
        }

        let stream: String
        let status: String
        let error: Failure?
        let warning: String?
    }

    let code: Int32
    let report: Report
    let rows: Int64
    /// The greatest number of requests for the same page with the fault, or of runs of the program that has it.
    let attempts: Int
    /// The processes of the program.
    let processes: [pid_t]
    /// The run after it, without the fault.
    let repaired: Report
    let repairedRows: Int64

    /// The message without the URL at its end.
    var message: String {
        let message = report.error?.message ?? ""
        return message.range(of: " (http").map { String(message[..<$0.lowerBound]) } ?? message
    }

    init(_ fault: RunFault, on page: Int) async throws {
        let isBroken = Watched(true)
        let asked = Watched<[String: Int]>([:])
        self = try await LoopbackServer.serve({ request in
            guard isBroken.value, fault.isFaulty(request, page) else { return fault.goodReply(request) }
            let before = asked.change { asked in
                defer { asked[request.target, default: 0] += 1 }
                return asked[request.target] ?? 0
            }
            return fault.reply(request, before) ?? fault.goodReply(request)
        }) { server in
            let place = try Self.workplace(fault, on: page, server.url)
            if let parent = fault.parent { try await place.garner("sync", parent) }
            let sync = try await place.start(["sync", fault.stream, "--json"] + fault.arguments).end()
            let rows = try Self.rows(of: fault, in: place)
            let processes = (try? place.text(of: "processes").split(separator: "\n").compactMap { pid_t($0) }) ?? []
            isBroken.value = false
            for (name, text) in fault.repair {
                try? FileManager.default.removeItem(atPath: place.folder.path(name))
                try place.writeProgram(text, to: name)
            }
            if let source = fault.repairedSource {
                try place.write(Self.configuration(source, server.url), to: "garner.yaml")
            }
            let again = try await place.garner("sync", fault.stream, "--json")
            return FaultyRun(
                code: sync.code, report: try Self.report(of: fault, sync), rows: rows,
                attempts: processes.isEmpty ? asked.value.values.max() ?? 0 : processes.count - (page - 1),
                processes: processes, repaired: try Self.report(of: fault, again),
                repairedRows: try Self.rows(of: fault, in: place))
        }
    }

    private init(
        code: Int32, report: Report, rows: Int64, attempts: Int, processes: [pid_t], repaired: Report,
        repairedRows: Int64
    ) {
        self.code = code
        self.report = report
        self.rows = rows
        self.attempts = attempts
        self.processes = processes
        self.repaired = repaired
        self.repairedRows = repairedRows
    }

    private static func workplace(_ fault: RunFault, on page: Int, _ url: String) throws -> Workplace {
        let place = try Workplace(configuration(fault.source, url))
        for (name, text) in fault.files(page) { try place.write(text, to: name) }
        for (name, text) in fault.programs(page) { try place.writeProgram(text, to: name) }
        return place
    }

    private static func configuration(_ source: String, _ url: String) -> String {
        """
        version: 1
        defaults: { retry: { max_attempts: 2, base_delay: 1ms, max_delay: 20ms } }
        sources:
          zoo:
            base_url: \(url)/
        \(source.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n"))

        """
    }

    private static func rows(of fault: RunFault, in place: Workplace) throws -> Int64 {
        let tables = try place.integers("SELECT count(*) FROM sqlite_schema WHERE name = '\(fault.stream)'")
        return tables == [1] ? try place.integers("SELECT count(*) FROM \(fault.stream)").first ?? -1 : 0
    }

    private static func report(of fault: RunFault, _ ending: GarnerProcess.Ending) throws -> Report {
        let reports = ending.output.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Report.self, from: Data($0.utf8))
        }
        return try #require(
            reports.first { $0.stream == "zoo.\(fault.stream)" }, "\(ending.code) \(ending.output) \(ending.errors)")
    }
}
