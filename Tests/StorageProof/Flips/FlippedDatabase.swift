import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import GarnerSync
import TestSupport

/// A database with a bit of everything, copies of which are damaged.
struct FlippedDatabase: Sendable {
    private let binary: String
    private let configuration: String
    private let bytes: [UInt8]
    /// The pages that hold the schema.
    private let schemaPages: Set<Int>

    struct Result: Sendable {
        var problems: [String] = []
        /// True if `garner doctor` has found the damage.
        var isFound = false
    }

    private struct Unfit: Error {
        let reason: String
    }

    /// Two reads of each stream, one after the other, so that the same pages of the file hold the same each time.
    init(of url: String, binary: String, setEdition: (Int) -> Void) async throws {
        self.binary = binary
        configuration = Self.configuration(url)
        let folder = try TemporaryFolder()
        try configuration.write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
        for edition in 1...2 {
            setEdition(edition)
            for stream in ["zoo.animals", "zoo.sightings"] {
                let code = try await Victim(binary, ["sync", stream], in: folder.url).end()
                guard code == 0 else { throw Unfit(reason: "the sync of \(stream) ended with \(code)") }
            }
        }
        // Those of the copies have something to change.
        setEdition(3)
        let path = folder.path("garner.db")
        let connection = try Connection(path: path, mode: .readOnly)
        schemaPages = Set(
            try connection.rows("SELECT pageno FROM dbstat WHERE name IN ('sqlite_schema', 'sqlite_master')") {
                Int($0.integer(at: 0))
            })
        connection.close()
        bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        guard !schemaPages.isEmpty, bytes.count > 40 * DatabaseWriter.pageSize else {
            throw Unfit(reason: "it is too small")
        }
        let sound = try await examine(bytes) { $0 == 0 }
        guard sound.problems.isEmpty else { throw Unfit(reason: "undamaged, \(sound.problems)") }
    }

    /// Changes one to eight bytes of a copy, half of them where a page says what is on it, and runs the commands there.
    func tryCopy(_ generator: inout SplitMix64) async throws -> Result {
        var copy = bytes
        var pages: Set<Int> = []
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let page = Int.random(in: 0..<copy.count / DatabaseWriter.pageSize, using: &generator)
            let length = Bool.random(using: &generator) ? 128 : DatabaseWriter.pageSize
            let place = page * DatabaseWriter.pageSize + Int.random(in: 0..<length, using: &generator)
            copy[place] ^= UInt8.random(in: 1...255, using: &generator)
            pages.insert(page + 1)
        }
        // A declaration that has become another sound one is not told from ours: what it fails looks like our mistake.
        let mayLookLikeBug = !pages.isDisjoint(with: schemaPages)
        return try await examine(copy) { Self.ends.contains($0) || mayLookLikeBug && $0 == ErrorCategory.bug.rawValue }
    }

    private static let commands = [
        ["rows", "animals"], ["get", "animals", "16", "--history"], ["export", "animals"],
        ["query", "SELECT name, sum(length(text)), max(weight) FROM animals GROUP BY name ORDER BY 2"],
        ["search", "animals", "animal"], ["changes"], ["schema", "--diff"], ["runs", "show", "1"],
        ["doctor", "--full"], ["backup", "copy.db", "--verify"], ["sync"],
    ]
    private static let limit = Duration.seconds(30)

    /// The documented exit codes, except those for a bug in Garner and for signals.
    private static let ends = Set(
        [
            ErrorCategory.failed, .usage, .badContent, .missing, .unavailable, .cannotCreate, .inputOutput, .busy,
            .noPermission, .misconfigured,
        ].map(\.rawValue) + [0, partial])
    /// The exit code of a sync of which only a part failed.
    private static let partial: Int32 = 2

    private func examine(_ copy: [UInt8], _ isGood: (Int32) -> Bool) async throws -> Result {
        let folder = try TemporaryFolder()
        try configuration.write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
        try Data(copy).write(to: folder.url.appending(path: "garner.db"))
        var result = Result()
        for command in Self.commands {
            guard let code = try await end(of: command, in: folder.url) else {
                result.problems.append("\(command) has not ended within \(Self.limit)")
                continue
            }
            if !isGood(code) { result.problems.append("\(command) ended with \(code)") }
            if command.first == "doctor", code == ErrorCategory.failed.rawValue { result.isFound = true }
        }
        return result
    }

    /// Runs the command and returns its exit code; nil if it had to be killed.
    private func end(of command: [String], in folder: URL) async throws -> Int32? {
        let victim = try Victim(binary, command, in: folder)
        let isLate = Watched(false)
        let watch = Task {
            try await Task.sleep(for: Self.limit)
            isLate.value = true
            victim.kill()
        }
        let code = await victim.end()
        watch.cancel()
        return isLate.value ? nil : code
    }

    static func reply(to request: LoopbackRequest, edition: Int) -> LoopbackReply {
        let (pages, size) = (12, 8)
        let page = Ledger.page(of: request)
        let records = (0..<size).map { index in
            let id = page * size + index
            let name = id.isMultiple(of: 3) ? "animal \(id) of \(edition)" : "animal \(id)"
            // Some texts need pages of their own.
            let text = String(repeating: "worms ", count: index == 0 ? 3000 : 3)
            let toys = #"[{"n":1},{"n":\#(edition)}]"#
            return #"{"id":\#(id),"name":"\#(name)","weight":\#(id).5,"text":"\#(text)","toys":\#(toys)}"#
        }
        let next = page < pages ? #""?page=\#(page + 1)""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
    }

    private static func configuration(_ url: String) -> String {
        let kept = "child_tables: true, history: true, search: [name]"
        return """
            version: 1
            database: garner.db
            sources:
              zoo:
                base_url: \(url)
                retry: { max_attempts: 1 }
                streams:
                  animals: { path: animals, primary_key: id, delete_missing: hard, \(kept) }
                  sightings: { path: sightings, write_disposition: append }
            """
    }
}
