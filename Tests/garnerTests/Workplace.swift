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
    ///
    /// - Parameter lines: further lines of the source.
    init(
        api url: String, source lines: [String] = [], streams: [String] = ["animals"],
        _ settings: String = "primary_key: id"
    ) throws {
        let lines = lines.map { "    \($0)\n" }.joined()
        let streams = streams.map { "      \($0): { path: \($0), \(settings) }\n" }.joined()
        try self.init(
            """
            version: 1
            sources:
              zoo:
                base_url: \(url)
                retry: { max_attempts: 1 }
            \(lines)    streams:
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

    private static let stored = Watched<[String: Task<Data, any Error>]>([:])

    /// Stores the records of a list of animals, as a sync does, which is made once for each list: its server is gone.
    func store(_ records: String = #"[{"id":1,"name":"animal 1"},{"id":2,"name":"animal 2"}]"#) async throws {
        let sync = Self.stored.change { stored in
            let sync =
                stored[records]
                ?? Task {
                    try await LoopbackServer.serve({ _ in .json(records) }) { server in
                        let place = try Workplace(api: server.url)
                        let ending = try await place.garner("sync")
                        try #require(ending.code == 0, "\(ending.errors)")
                        return try Data(contentsOf: URL(filePath: place.database))
                    }
                }
            stored[records] = sync
            return sync
        }
        let (content, attributes) = (try await sync.value, [FileAttributeKey.posixPermissions: 0o600])
        try #require(FileManager.default.createFile(atPath: database, contents: content, attributes: attributes))
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    /// Writes another text in the place of one that the configuration has.
    func replace(_ old: String, with new: String) throws {
        try write(text(of: "garner.yaml").replacing(old, with: new), to: "garner.yaml")
    }

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

    /// Changes the database as another program does.
    func alter(_ script: String) throws {
        let connection = try Connection(path: database, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(script)
    }

    func integers(_ sql: String) throws -> [Int64] { try rows(sql) { $0.integer(at: 0) } }
    func texts(_ sql: String) throws -> [String] { try rows(sql) { $0.text(at: 0) } }
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
