import Foundation
import TestSupport

/// The conversation of garner with an API, as text. The first character of a line says what it is:
///
/// - `#` a comment
/// - `$` a command; what follows belongs to it
/// - `>` a line of a request: method and URL, then headers, then an empty line and the body; a header without a value must be missing
/// - `<` a line of its answer: the status, then the same
/// - `=` the end of a run, as in `zoo.animals: complete, 2 inserted, 0 updated, 1 unchanged, 0 deleted`
/// - `?` a query after the command, and `|` each of its rows
struct Transcript: Sendable {
    struct Mistake: Error {
        let line: String
    }

    let rounds: [Example.Round]

    /// - Parameter path: relative to the root of the repository.
    init(_ path: String) throws {
        let text = try String(contentsOf: DocumentationPage.root.appending(path: path), encoding: .utf8)
        var drafts: [Draft] = []
        for line in Example.withoutTLS(text).split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("$ ") {
                drafts.append(Draft(command: String(line.dropFirst(2))))
            } else if let last = drafts.indices.last {
                try drafts[last].add(String(line))
            } else {
                throw Mistake(line: String(line))
            }
        }
        rounds = try drafts.map { try $0.round() }
    }

    private struct Draft {
        let command: String
        private var exchanges: [RequestAttempt] = []
        private var request: [String] = []
        private var answer: [String] = []
        private var endings: [String] = []
        private var query = ""
        private var stored: [String: [String]] = [:]

        init(command: String) { self.command = command }

        mutating func add(_ line: String) throws {
            let text = String(line.dropFirst(2))
            switch line.first {
            case ">":
                if !answer.isEmpty { try endExchange() }
                request.append(text)
            case "<": answer.append(text)
            case "=": endings.append(text)
            case "?":
                query = text
                stored[query] = []
            case "|" where !query.isEmpty: stored[query]?.append(text)
            default: throw Mistake(line: line)
            }
        }

        func round() throws -> Example.Round {
            var draft = self
            if !request.isEmpty { try draft.endExchange() }
            var round = Example.Round(draft.exchanges, stored: stored)
            round.command = command
            round.endings = endings
            round.assumes = false
            return round
        }

        private mutating func endExchange() throws {
            let (asked, answered) = (Message(request), Message(answer))
            let line = asked.start.split(separator: " ", maxSplits: 1)
            guard line.count == 2, line[1].hasPrefix("http://"), let status = Int(answered.start) else {
                throw Mistake(line: "\(asked.start) \(answered.start)")
            }
            let isTyped = answered.headers.contains { $0.0 == "Content-Type" }
            let reply = LoopbackReply.response(
                status: status,
                headers: answered.headers + (isTyped || status == 304 ? [] : [("Content-Type", "application/json")]),
                body: answered.body)
            let headers = asked.headers.map { ($0.0, $0.1.isEmpty ? nil : $0.1) }
            exchanges.append(
                RequestAttempt(
                    request: "\(line[0]) \(line[1].dropFirst("http://".count))",
                    headers: Dictionary(headers) { _, last in last }, body: asked.body, reply: reply))
            (request, answer) = ([], [])
        }
    }

    /// The lines of a request or a response.
    private struct Message {
        let start: String
        let headers: [(String, String)]
        let body: String

        init(_ lines: [String]) {
            start = lines.first ?? ""
            let head = lines.dropFirst().prefix { !$0.isEmpty }
            headers = head.map { line in
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                return (parts[0], parts.count == 2 ? parts[1] : "")
            }
            body = lines[min(head.endIndex + 1, lines.count)...].joined(separator: "\n")
        }
    }
}
