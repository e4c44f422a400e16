import ArgumentParser
import TestSupport
import Testing

@testable import garner

@Suite(.serialized, .timeLimit(.minutes(2)))
struct HelpTests {
    static let commands = [
        "demo", "init", "add", "preview", "plan", "sync", "check", "fetch", "tables", "schema", "rows", "get", "search",
        "changes",
        "query", "browse", "export",
        "serve", "trigger", "pause", "resume",
        "schedule",
        "status",
        "runs", "quarantine",
        "config", "completions",
        "backup", "doctor", "prune", "migrate", "state", "workers",
        // It removes what the examples of the others show.
        "drop",
    ]

    /// A name that is made from the type's costs every start a sixth of a millisecond.
    @Test func `every command says its name`() {
        var commands: [any ParsableCommand.Type] = [Garner.self]
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            commands += command.configuration.subcommands
        }
    }

    @Test(arguments: commands)
    func `every command's help has an example, and fits a terminal as it was written`(command: String) async throws {
        let help = try await Workplace().garner(command, "--help")
        #expect(help.code == 0)
        #expect(help.errors == "")
        #expect(help.output.split(separator: "\n").contains { $0.hasPrefix("  garner \(command)") })
        let usage = try #require(help.output.firstRange(of: "\nUSAGE: garner \(command)"))
        let description = help.output[..<usage.lowerBound]
        for line in description.split(separator: "\n") { #expect(line.count <= 80) }
        // A line that was broken by its length ends far before the line that follows it would have.
        let prose = description.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        for (line, next) in zip(prose, prose.dropFirst()) where !line.hasSuffix(".") {
            let first = next.split(separator: " ").first ?? ""
            #expect(line.count + first.count > 70, "\(line) / \(next)")
        }
    }

    @Test(arguments: [["--help"], ["-h"], ["help"], [], ["--json"], ["-q"]])
    func `the short help names every command`(arguments: [String]) async throws {
        let help = try await Workplace().start(arguments).end()
        #expect(help.code == 0)
        #expect(help.errors == "")
        for command in Self.commands { #expect(help.output.contains("\n  \(command) "), "\(command)") }
    }

    @Test(arguments: [("environment", "GARNER_CONFIG "), ("exit-codes", " 75 "), ("formats", "ndjson ")])
    func `topics have their help`(topic: String, word: String) async throws {
        let help = try await Workplace().garner("help", topic)
        #expect(help.code == 0)
        #expect(help.errors == "")
        #expect(help.output.contains(word))
        for line in help.output.split(separator: "\n") { #expect(line.count <= 80) }
    }

    @Test func `the version is one line`() async throws {
        let version = try await Workplace().garner("--version")
        #expect(version.code == 0)
        #expect(version.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    }

    @Test(arguments: [["--version", "--json"], ["--json", "--version"]])
    func `the version as JSON says what the program was built of`(arguments: [String]) async throws {
        let version = try await Workplace().start(arguments).end()
        #expect(version.code == 0 && version.errors == "")
        // Nothing is claimed of the commit: only a package says it.
        let known =
            /{"version":"\d+\.\d+\.\d+","commit":null,"target":"\w+-\w+","swift":"[\d.]+( or newer)?","sqlite":"3[\d.]+","libyaml":"\d+\.\d+\.\d+","simdjson":"\d+\.\d+\.\d+","xxhash":"\d+\.\d+\.\d+"}\n/
        #expect(version.output.wholeMatch(of: known) != nil, "\(version.output)")
    }

    @Test func `the facts that a package holds are lines of names and values`() {
        let record = Array("commit=1f0c\nswift=6.3.1\nodd\n".utf8) + [0, 0x78]
        #expect(Version.packagedFacts(record) == ["commit": "1f0c", "swift": "6.3.1"])
        #expect(Version.packagedFacts([0, 0]) == [:])
    }

    /// A release that the changelog does not tell of, or that tells of another, is a mistake of the day of the release.
    @Test func `the changelog and the packages in the documents are of this version`() throws {
        let page = DocumentationPage("CHANGELOG.md").text
        let releases = page.matches(of: /(?m)^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/)
        #expect(releases.first.map { String($0.1) } == Version.current)
        #expect(page.contains("\n## [Unreleased]\n"))
        for page in ["README.md", "docs/operating.md"].map(DocumentationPage.init) {
            let packages = page.text.matches(of: /garner[-_](\d+\.\d+\.\d+)[-_]/).map { String($0.1) }
            #expect(Set(packages) == [Version.current])
        }
    }

    @Test(arguments: [("bash", 0), ("zsh", 0), ("fish", 0), ("csh", 64)] as [(String, Int32)])
    func `completions know the commands, and there are none for another shell`(shell: String, code: Int32) async throws
    {
        let script = try await Workplace().garner("completions", shell)
        #expect(script.code == code && script.errors.isEmpty == (code == 0))
        guard code == 0 else { return }
        for command in Self.commands { #expect(script.output.contains(command), "\(command)") }
    }
}
