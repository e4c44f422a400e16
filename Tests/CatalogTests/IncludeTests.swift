import GarnerCatalog
import Foundation
import GarnerModel
import TestSupport
import Testing

/// Configurations of several files.
struct IncludeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("sources"), withIntermediateDirectories: true)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
    }

    private static func source(_ name: String, _ lines: String = "") -> String {
        "sources:\n  \(name):\n    base_url: https://\(name).example/\n\(lines)    streams:\n      animals: { path: a, table: \(name) }\n"
    }

    private func load(_ include: String, _ rest: String = "") throws(ConfigurationError) -> Configuration {
        do {
            try write("version: 1\ninclude: \(include)\n\(rest)", to: "garner.yaml")
        } catch {
            throw .unreadable(path: "garner.yaml", reason: "\(error)")
        }
        return try Configuration.load(contentsOf: folder.path("garner.yaml"), environment: [:])
    }

    /// The issues, with paths relative to the folder.
    private func issues(_ include: String, _ rest: String = "") -> [String] {
        do {
            _ = try load(include, rest)
            return []
        } catch {
            guard case .invalid(let issues) = error else { return ["\(error)"] }
            return issues.map { "\($0.place): \($0.message)".replacing(folder.path("") + "/", with: "") }
        }
    }

    private func hints(_ include: String, _ rest: String = "") -> [String?] {
        do {
            _ = try load(include, rest)
            return []
        } catch {
            guard case .invalid(let issues) = error else { return ["\(error)"] }
            return issues.map(\.hint)
        }
    }

    @Test func `included sources follow those of the file, in the order of patterns and of names`() throws {
        try write(Self.source("b"), to: "sources/b.yaml")
        try write("version: 1\n" + Self.source("a"), to: "sources/a.yaml")
        try write(Self.source("z"), to: "z.yml")
        try write("no: [yaml", to: "sources/c.txt")
        let configuration = try load("[z.yml, 'sources/*.yaml']", Self.source("own"))
        #expect(
            configuration.streams.map(\.name.description) == ["own.animals", "z.animals", "a.animals", "b.animals"])
        #expect(configuration.streams.last?.place.file == folder.path("sources/b.yaml"))
        #expect(configuration.streams.last?.place.line == 5)
        #expect(
            configuration.effective.streams.map(\.file) == [
                nil, folder.path("z.yml"), folder.path("sources/a.yaml"), folder.path("sources/b.yaml"),
            ])
    }

    @Test func `included streams inherit the defaults, and their paths are relative to their own file`() throws {
        try write("abc\n", to: "sources/token.txt")
        try write(
            Self.source("a", "    ca: roots.pem\n    auth: { type: bearer, token: { file: token.txt } }\n"),
            to: "sources/a.yaml")
        let configuration = try load("sources/a.yaml", "defaults: { keep_runs: 7 }\n")
        let stream = try #require(configuration.streams.first)
        #expect(stream.keepRuns == 7)
        #expect(stream.certificateAuthority == folder.path("sources/roots.pem"))
        #expect(configuration.database == folder.path("garner.db"))
        #expect(configuration.fileSecrets != nil)
    }

    @Test func `an included file may include others`() throws {
        try write("include: b.yaml\n" + Self.source("a"), to: "sources/a.yaml")
        try write(Self.source("b"), to: "sources/b.yaml")
        let names = try load("sources/a.yaml").streams.map(\.name.source)
        #expect(names == ["a", "b"])
    }

    @Test func `a change of an included file is a change of the configuration`() throws {
        try write(Self.source("a"), to: "sources/a.yaml")
        let before = try load("sources/a.yaml")
        #expect(try load("sources/a.yaml").isSameText(as: before))
        try write(Self.source("a") + "# changed\n", to: "sources/a.yaml")
        #expect(try !load("sources/a.yaml").isSameText(as: before))
    }

    @Test func `mistakes are told with their file, and in the order of the files`() throws {
        try write("sources:\n  a:\n    base_url: https://a.example/\n    strems: {}\n", to: "sources/a.yaml")
        try write("sources: [\n", to: "sources/b.yaml")
        let told = issues("['sources/*.yaml']", "database: ''\n")
        #expect(
            told.map { $0.prefix { $0 != " " } } == ["garner.yaml:3:11:", "sources/a.yaml:4:5:", "sources/b.yaml:2:1:"])
        #expect(told[1].hasSuffix("unknown key 'strems'"))
    }

    @Test func `an included file has sources only`() throws {
        try write("version: 2\ndatabase: other.db\ndefaults: {}\nsuorces: {}\n", to: "sources/a.yaml")
        #expect(
            issues("sources/a.yaml") == [
                "sources/a.yaml:1:10: 'version' must be 1", "sources/a.yaml:2:1: 'database' does not belong here",
                "sources/a.yaml:3:1: 'defaults' does not belong here", "sources/a.yaml:4:1: unknown key 'suorces'",
            ])
    }

    @Test(arguments: [
        ("['sources/*.yaml']", "garner.yaml:2:11: no file matches 'sources/*.yaml'"),
        ("sources/a.yaml", "garner.yaml:2:10: the file 'sources/a.yaml' does not exist"),
        ("sources", "garner.yaml:2:10: 'sources' is a folder"),
        ("['']", "garner.yaml:2:11: 'include[0]' must be the path of a file, or a pattern"),
        ("{ a: b }", "garner.yaml:2:10: 'include' must be text, not a mapping"),
    ])
    func `an include of nothing is a mistake`(include: String, issue: String) {
        #expect(issues(include) == [issue])
    }

    /// The advice is followed.
    @Test(arguments: [
        ("'sources/*.yml'", "sources/*.yaml"), ("sources/pets.yml", "sources/pets.yaml"),
        ("'sources/p?ts'", "sources/p?ts.yaml"), ("sources/pest.yaml", "sources/pets.yaml"), ("zo.yaml", "zoo.yml"),
        ("zoo", "zoo.yml"),
    ])
    func `an include with another ending or nearly the name leads to what is there`(include: String, meant: String)
        throws
    {
        try write(Self.source("a"), to: "sources/pets.yaml")
        try write(Self.source("b"), to: "zoo.yml")
        #expect(hints(include) == ["did you mean '\(meant)'?"])
        #expect(try load("'\(meant)'").streams.count == 1)
        #expect(hints("nothing.yaml").first??.hasPrefix("paths are relative to the folder of ") == true)
    }

    @Test(arguments: ["sources", "sources/"])
    func `the advice for a folder includes its files`(include: String) throws {
        try write(Self.source("a"), to: "sources/a.yaml")
        #expect(hints(include) == ["write include: [\"sources/*.yaml\"]"])
        #expect(try load("[\"sources/*.yaml\"]").streams.map(\.name.source) == ["a"])
    }

    @Test func `an anchor of another file is told to be unknown`() throws {
        try write("sources: *all", to: "sources/a.yaml")
        let defaults = "defaults: &all { keep_runs: 7 }\n"
        #expect(
            issues("sources/a.yaml", defaults) == [
                "sources/a.yaml:1:10: not valid YAML: no anchor '&all' stands above '*all'"
            ])
        #expect(
            hints("sources/a.yaml", defaults) == [
                "define the anchor ('&all') above its use in this file: it knows none of the other files"
            ])
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["sources/pipe", "'sources/*'"])
    func `an include of a pipe, which may never end, is a mistake`(include: String) {
        #expect(mkfifo(folder.path("sources/pipe"), 0o600) == 0)
        #expect(
            issues(include)
                == [
                    "garner.yaml:2:10: \(folder.path("sources/pipe")) cannot be read: "
                        + "it is a pipe, a device or the like instead of a file"
                ].map { $0.replacing(folder.path("") + "/", with: "") })
    }

    @Test func `a source may be in one file only`() throws {
        try write(Self.source("a"), to: "sources/a.yaml")
        try write(Self.source("own"), to: "sources/b.yaml")
        #expect(
            issues("['sources/*.yaml']", Self.source("own"))
                == ["sources/b.yaml:2:3: the source 'own' is also in garner.yaml:4:3"])
    }

    @Test func `files that include each other, and a file that is included twice, are mistakes`() throws {
        try write("include: [b.yaml]\n", to: "sources/a.yaml")
        try write("include: [a.yaml]\n", to: "sources/b.yaml")
        #expect(
            issues("sources/a.yaml")
                == ["sources/b.yaml:1:11: 'include[0]' includes sources/a.yaml, which includes this file"])
        #expect(
            issues("['*.yaml']") == ["garner.yaml:2:11: 'include[0]' includes garner.yaml, which includes this file"])
        try write(Self.source("b"), to: "sources/b.yaml")
        #expect(
            issues("[sources/a.yaml, sources/b.yaml]")
                == ["garner.yaml:2:27: 'include[1]' includes sources/b.yaml a second time"])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.yaml"), withDestinationPath: folder.path("sources/b.yaml"))
        #expect(
            issues("[sources/b.yaml, link.yaml]")
                == ["garner.yaml:2:27: 'include[1]' includes link.yaml a second time"])
    }

    @Test func `a folder whose name looks like a pattern is none`() throws {
        let odd = folder.path("a[b]*")
        try FileManager.default.createDirectory(atPath: odd, withIntermediateDirectories: true)
        try write(Self.source("a"), to: "a[b]*/a.yml")
        try write("version: 1\ninclude: '*.yml'\n", to: "a[b]*/garner.yaml")
        let configuration = try Configuration.load(contentsOf: odd + "/garner.yaml", environment: [:])
        #expect(configuration.streams.map(\.name.source) == ["a"])
    }

    @Test func `a variable is judged across files`() throws {
        try write(Self.source("a", "    headers: { X-Key: \"${SHOP}\" }\n"), to: "sources/a.yaml")
        try write(
            "version: 1\ninclude: sources/a.yaml\nsources: { b: { base_url: \"https://${SHOP}.example/\", streams: {} } }\n",
            to: "garner.yaml")
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.load(contentsOf: folder.path("garner.yaml"), environment: ["SHOP": "x"])
        }
        guard case .invalid(let issues) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(issues.map(\.message) == ["'base_url' would show the variable 'SHOP', which is a secret elsewhere"])
    }
}
