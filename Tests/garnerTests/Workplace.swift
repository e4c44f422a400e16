import GarnerDatabase
import Foundation
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// A folder with a configuration, and garner run in it: nothing of the user's own takes part.
struct Workplace: Sendable {
    let folder: TemporaryFolder

    init(_ configuration: String? = nil) throws {
        folder = try TemporaryFolder()
        if let configuration { try write(configuration, to: "garner.yaml") }
    }

    /// The streams of an API at `url`, all from paths of their own name.
    init(api url: String, streams: [String] = ["animals"], _ settings: String = "primary_key: id") throws {
        let streams = streams.map { "      \($0): { path: \($0), \(settings) }\n" }.joined()
        try self.init(
            """
            version: 1
            sources:
              zoo:
                base_url: \(url)
                retry: { max_attempts: 1 }
                streams:
            \(streams)
            """)
    }

    var path: String { folder.url.path }
    var database: String { folder.path("garner.db") }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
    }

    /// Writes a program that can be started at once.
    ///
    /// Another process copies it: a child of a test beside this one may still have a file open that we wrote, and the
    /// system starts no program that is open for writing.
    func writeProgram(_ text: String, to name: String) throws {
        try write(text, to: name + ".text")
        let copying = try Process.run(
            URL(filePath: "/bin/sh"),
            arguments: ["-c", "cp \"$0.text\" \"$0\" && chmod 755 \"$0\" && rm \"$0.text\"", folder.path(name)])
        copying.waitUntilExit()
        try #require(copying.terminationStatus == 0)
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    func start(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        output: GarnerProcess.Output = .read, deadline: TimeInterval = 150
    ) throws -> GarnerProcess {
        let basic = ["HOME": path, "PATH": "/usr/bin:/bin"]
        return try GarnerProcess(
            arguments, in: folder, environment: basic.merging(environment) { _, new in new }, input: input,
            output: output, deadline: deadline
        )
    }

    @discardableResult
    func garner(
        _ arguments: String..., environment: [String: String] = [:], input: String = "",
        output: GarnerProcess.Output = .read
    ) async throws -> GarnerProcess.Ending {
        try await start(arguments, environment: environment, input: input, output: output).end()
    }

    /// Runs a script with garner on its path, up to the first command that fails.
    func shell(_ script: String, environment: [String: String] = [:]) async throws -> GarnerProcess.Ending {
        let folder = URL(filePath: GarnerProcess.binary).deletingLastPathComponent().path
        let basic = ["HOME": path, "PATH": "\(folder):/usr/bin:/bin"]
        return try await GarnerProcess(
            ["-euc", script], of: "/bin/sh", in: self.folder,
            environment: basic.merging(environment) { _, new in new }
        ).end()
    }

    func rows<R>(_ sql: String, decode: (Statement) throws -> R) throws -> [R] {
        try Connection(path: database, mode: .readOnly).rows(sql, decode: decode)
    }

    func integers(_ sql: String) throws -> [Int64] { try rows(sql) { $0.integer(at: 0) } }
    func texts(_ sql: String) throws -> [String] { try rows(sql) { $0.text(at: 0) } }
}

extension LoopbackRequest {
    /// The number in `?page=`; 1 without.
    var page: Int { target.firstRange(of: "page=").flatMap { Int(target[$0.upperBound...]) } ?? 1 }
}

extension LoopbackReply {
    /// A page of two animals that links to the next one.
    static func page(_ number: Int, of count: Int) -> LoopbackReply {
        let records = [number * 2 - 1, number * 2].map { #"{"id":\#($0),"name":"animal \#($0)"}"# }
        let link = number < count ? #""?page=\#(number + 1)""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(link)}"#)
    }
}

/// The names of all members in a JSON text in their order; those of inner objects behind the outer one's and a dot.
func members(of json: some StringProtocol) -> [String] {
    var names: [String] = []
    var outer: [String] = []
    var key = ""
    var rest = Substring(json)
    while let character = rest.popFirst() {
        switch character {
        case "{", "[": outer.append(key)
        case "}", "]": key = outer.popLast() ?? ""
        case "\"":
            var text = ""
            while let next = rest.popFirst(), next != "\"" {
                text.append(next)
                if next == "\\", let escaped = rest.popFirst() { text.append(escaped) }
            }
            guard rest.first == ":" else { continue }
            key = text
            names.append([outer.last ?? "", text].filter { !$0.isEmpty }.joined(separator: "."))
        default: break
        }
    }
    return names
}
