import GarnerJSON
import Synchronization
import TestSupport

/// A run as somebody was told of it: it has ended, and stays as it is.
struct ToldRun: Sendable, Equatable, CustomStringConvertible {
    let run: Int64
    let stream: String
    let status: String
    let pages: Int64
    let inserted: Int64
    let updated: Int64
    let deleted: Int64

    var description: String {
        "run \(run) of \(stream), \(status), \(pages) pages, \(inserted) inserted, \(updated) updated, \(deleted) deleted"
    }
}

extension ToldRun {
    /// Reads the object of a run, of `garner runs --json` or of a hook; nil unless the run succeeded or failed.
    init?(_ node: Node) {
        func number(_ name: String) -> Int64? { node[name].flatMap { Int64($0.text) } }
        guard let run = number("run_id"), let stream = node["stream"]?.string, let status = node["status"]?.string,
            ["succeeded", "failed"].contains(status), let pages = number("pages"), let inserted = number("inserted"),
            let updated = number("updated"), let deleted = number("deleted")
        else { return nil }
        self.init(
            run: run, stream: stream, status: status, pages: pages, inserted: inserted, updated: updated,
            deleted: deleted)
    }
}

/// The API of the workers. Its lists are others with each request, its logs have each page once, and its vault gives a new refresh token with
/// each access token. It also hears what the workers' hooks are told.
final class WorkersServer: Sendable {
    static let lists = (1...4).map { "list\($0)" }
    static let logs = (1...4).map { "log\($0)" }
    /// A log that is read on request.
    static let slots = "slots"
    static let vaults = ["gold", "silver"]
    /// The sources with their streams. Each has a host of its own, so that it may be in another shard than the others; only the two vaults have
    /// one login.
    static let sources: [(name: String, streams: [String])] =
        [
            ("zoo", ["list1", "log1", slots]), ("park", ["list2", "log2"]), ("farm", ["list3", "log3"]),
            ("sea", ["list4", "log4"]), ("bank", ["gold"]), ("mint", ["silver"]),
        ]
    /// The number of groups.
    static let shards = 5

    /// The full name of a stream.
    static func name(of stream: String) -> String {
        "\(sources.first { $0.streams.contains(stream) }?.name ?? "").\(stream)"
    }
    static let pages = 3
    static let recordsPerPage = 4

    private struct State {
        /// The number of the last answer, by stream.
        var answers: [String: Int] = [:]
        var requests = 0
        var told: [Int64: (run: ToldRun, words: String)] = [:]
        var problems: [String] = []
        var lastToken = 0
        /// The last token that is known to have come to the client.
        var usedToken = 0
        var sentTokens: Set<Int> = []
        var repeatedTokens = 0
    }

    private let state = Mutex(State())

    /// The requests for records that were answered.
    var requests: Int { state.withLock(\.requests) }
    /// The runs of which somebody was told that they have ended.
    var told: [Int64: (run: ToldRun, words: String)] {
        get { state.withLock(\.told) }
        set { state.withLock { $0.told = newValue } }
    }
    /// What should not have been sent.
    var problems: [String] { state.withLock(\.problems) }
    /// The refresh tokens that were given, and those that came again since no answer had come to the client.
    var tokens: (given: Int, repeated: Int) { state.withLock { ($0.lastToken, $0.repeatedTokens) } }

    func lastAnswer(of stream: String) -> Int { state.withLock { $0.answers[stream] ?? 0 } }

    /// Notes what somebody was told.
    ///
    /// - Parameter words: Who told it, for the text of a problem.
    func note(_ run: ToldRun, by words: String) {
        state.withLock { state in
            if let before = state.told[run.run], before.run != run {
                state.problems.append("\(before.words) told \(before.run), and then \(words) told \(run)")
            }
            state.told[run.run] = (run, words)
        }
    }

    /// The keys of an answer of a list, which has one page.
    static func keys(ofAnswer number: Int) -> [Int] { (1...24).filter { ($0 * 7 + number * 13) % 5 != 0 } }

    func reply(to request: LoopbackRequest) async -> LoopbackReply {
        let parts = request.target.dropFirst().split(separator: "?", maxSplits: 1)
        let name = parts.first.map(String.init) ?? ""
        let query = parts.count > 1 ? String(parts[1]) : ""
        switch name {
        case "told": return heard(request.body)
        case "token": return renew(request.body)
        default: break
        }
        // So that what goes wrong meets runs in the middle of a read.
        try? await Task.sleep(for: .milliseconds(request.number % 11 * 8))
        if Self.vaults.contains(name) {
            guard let token = request["Authorization"].flatMap({ Int($0.drop { !$0.isNumber }) }) else {
                return .status(401)
            }
            state.withLock { $0.usedToken = max($0.usedToken, token) }
        }
        let (answer, page) = place(query, of: name)
        state.withLock { $0.requests += 1 }
        guard Self.logs.contains(name) || name == Self.slots else {
            let records = Self.keys(ofAnswer: answer).map { #"{"id":\#($0),"answer":\#(answer)}"# }
            return .json(#"{"data":[\#(records.joined(separator: ","))],"total":\#(records.count),"next":null}"#)
        }
        let records = (1...Self.recordsPerPage).map { #"{"answer":\#(answer),"page":\#(page),"place":\#($0)}"# }
        let next = page < Self.pages ? #""?answer=\#(answer)&page=\#(page + 1)""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
    }

    /// The answer and the page that a request asks for; a new answer where it names none.
    private func place(_ query: String, of stream: String) -> (answer: Int, page: Int) {
        let numbers = query.split { !$0.isNumber }.compactMap { Int($0) }
        if numbers.count == 2 { return (numbers[0], numbers[1]) }
        return state.withLock { state in
            state.answers[stream, default: 0] += 1
            return (state.answers[stream] ?? 0, 1)
        }
    }

    private func heard(_ body: String) -> LoopbackReply {
        let found = try? Document(parsing: Bytes(Array(body.utf8))).withRoot { root in
            (ToldRun(root), root["ended_at"]?.string ?? "")
        }
        if case (let run?, let end)? = found { note(run, by: "a hook at \(end)") }
        return .status(200)
    }

    /// Gives a token for the one before it. A token that comes again after a newer one was used is a thief's.
    private func renew(_ body: String) -> LoopbackReply {
        let field = body.split(separator: "&").first { $0.hasPrefix("refresh_token=") }
        guard let token = field.flatMap({ Int($0.drop { !$0.isNumber }) }) else { return .status(400) }
        let next = state.withLock { state in
            if token < state.usedToken {
                state.problems.append("the refresh token \(token) was sent after \(state.usedToken) was used")
            }
            if !state.sentTokens.insert(token).inserted { state.repeatedTokens += 1 }
            state.usedToken = max(state.usedToken, token)
            state.lastToken += 1
            return state.lastToken
        }
        return .json(#"{"access_token":"a\#(next)","refresh_token":"r\#(next)","expires_in":1}"#)
    }
}
