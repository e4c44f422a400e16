import Foundation
import TestSupport
import Testing

/// Checks of docs/operating.md and the files beside it against the binary.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OperatingTests {
    private static let page = DocumentationPage("docs/operating.md")

    /// A command line of garner's in the page: `garner runs show 42`.
    private struct Mention: Hashable, CustomStringConvertible {
        let words: [String]
        let options: [String]

        var description: String { (["garner"] + words + options).joined(separator: " ") }
    }

    private static func mentions() -> Set<Mention> {
        let spans = page.text.matches(of: /`(garner [^`\n]+)`/).map { String($0.1) }
        let lines = page.blocks(in: "sh").flatMap { $0.text.split(separator: "\n").map(String.init) }
        let commands = (spans + lines).flatMap { line in
            // Where a command begins: in other places `garner` is a name, of a unit or a container.
            line.prefix { $0 != "#" }
                .matches(of: /(?:^|[(;|&] *|sudo |exec garner )garner ((?:[^ |;>&]+ ?)+)/).map { String($0.1) }
        }
        return Set(
            commands.map { command in
                let parts = command.split(separator: " ").map(String.init)
                let words = parts.prefix { $0.wholeMatch(of: /[a-z-]+/) != nil && !$0.hasPrefix("-") }
                return Mention(words: Array(words), options: parts.filter { $0.hasPrefix("--") })
            }.filter { !$0.words.isEmpty || !$0.options.isEmpty })
    }

    @Test func `every command and option that it names exists`() async throws {
        let mentions = Self.mentions()
        #expect(mentions.count > 20)
        for mention in mentions where mention.words.first != "help" {
            let place = try Workplace()
            let help = try await place.start(mention.words + ["--help"]).end()
            #expect(help.code == 0, "\(mention): \(help.errors)")
            for option in mention.options where option != "--help" {
                #expect(help.output.contains("\(option)"), "\(mention)")
            }
        }
        for topic in mentions where topic.words.first == "help" {
            #expect(try await Workplace().start(topic.words).end().code == 0, "\(topic)")
        }
    }

    @Test func `its configurations are valid`() async throws {
        let examples = Self.page.blocks(in: "yaml")
        #expect(!examples.isEmpty)
        for example in examples {
            let check = try await Workplace(example.text).garner("check", environment: ["HEALTHCHECK_KEY": "key"])
            #expect(check.code == 0, "\(check.errors)")
        }
    }

    @Test func `its links lead to headings and files that are there`() throws {
        let headings = Set(
            Self.page.text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map {
                $0.dropFirst(3).lowercased().replacing(" ", with: "-")
            })
        for link in Self.page.text.matches(of: /\]\(#([^)]+)\)/) {
            #expect(headings.contains(String(link.1)), "\(link.1)")
        }
        for link in Self.page.text.matches(of: /\]\(([^)#]+)[^)]*\)/) {
            #expect(FileManager.default.fileExists(atPath: Self.docs.appending(path: String(link.1)).path), "\(link.1)")
        }
    }

    @Test func `the codes that it tells are those of the help`() async throws {
        let help = try await Workplace().garner("help", "exit-codes").output
        let section = try #require(Self.page.text.split(separator: "\n## ").first { $0.hasPrefix("Exit codes\n") })
        let codes = section.matches(of: /(?m)^\| (\d[^|]*)\|/).flatMap { row in
            row.1.matches(of: /\d+/).map { String($0.0) }
        }
        #expect(codes.count > 8)
        for code in codes { #expect(help.contains(" \(code)  "), "\(code)") }
    }

    // MARK: - Files

    @Test(.enabled(if: tool("systemd-analyze") != nil, "systemd-analyze is not installed"))
    func `systemd finds nothing wrong with the unit, and nothing much exposed`() async throws {
        let place = try Workplace()
        // It looks for the programs that a unit runs.
        let unit = try Self.text(of: "garner.service").replacing("/usr/bin/garner", with: GarnerProcess.binary)
        try place.write(unit, to: "garner.service")
        let analyze = try #require(Self.tool("systemd-analyze"))
        let verified = try await Self.run(analyze, ["verify", "--man=no", "./garner.service"], in: place)
        #expect((verified.code, verified.output + verified.errors) == (0, ""))
        let security = try await Self.run(
            analyze, ["security", "--offline=true", "--threshold=20", "--no-pager", "./garner.service"], in: place)
        #expect(security.code == 0, "\(security.output)\(security.errors)")
        #expect(security.output.contains("Overall exposure level for garner.service: 1."))
    }

    @Test func `the systemd unit allows time to stop, and does not restart what a restart cannot fix`() throws {
        let unit = try Self.text(of: "garner.service")
        let settings = Dictionary(
            unit.matches(of: /(?m)^([A-Za-z]+)=(.*)$/).map { (String($0.1), String($0.2)) }
        ) { first, _ in first }
        let stop = try #require(settings["TimeoutStopSec"]?.wholeMatch(of: /(\d+)s/)).1
        // Ten seconds for runs, five for hooks.
        #expect(try #require(Int(stop)) > 15)
        #expect(settings["Type"]?.hasPrefix("notify") == true)
        #expect(settings["WatchdogSec"] != nil)
        #expect(settings["RestartPreventExitStatus"] == "64 78")
        #expect(settings["CapabilityBoundingSet"] == "")
    }

    @Test(.enabled(if: tool("xmllint") != nil || tool("plutil") != nil, "there is no reader of property lists"))
    func `the property list is one`() async throws {
        let place = try Workplace()
        try place.write(Self.text(of: "com.garner.serve.plist"), to: "garner.plist")
        if let plutil = Self.tool("plutil") {
            #expect(try await Self.run(plutil, ["-lint", "garner.plist"], in: place).code == 0)
        } else {
            let lint = try #require(Self.tool("xmllint"))
            let read = try await Self.run(lint, ["--nonet", "--noout", "garner.plist"], in: place)
            #expect((read.code, read.errors) == (0, ""))
        }
    }

    @Test func `launchd is told what to run, and to run it again where it fails`() throws {
        let data = Data(try Self.text(of: "com.garner.serve.plist").utf8)
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(list["Label"] as? String == "com.garner.serve")
        #expect((list["ProgramArguments"] as? [String])?.prefix(2) == ["/usr/local/bin/garner", "serve"])
        #expect((list["KeepAlive"] as? [String: Bool]) == ["SuccessfulExit": false])
        #expect((list["ExitTimeOut"] as? Int ?? 0) > 15)
        #expect(list["Umask"] as? Int == 0o077)
    }

    @Test func `the unit runs as the user that its package makes, in the folder that its package makes`() throws {
        let unit = try Self.text(of: "garner.service")
        #expect(unit.contains("\nUser=garner\nGroup=garner\n") && unit.contains("\nStateDirectory=garner\n"))
        #expect(unit.contains("\nConditionPathExists=/etc/garner/garner.yaml\n"))
        #expect(try Self.text(of: "garner.sysusers").contains(/(?m)^u +garner +- +".*" +\/var\/lib\/garner$/))
        let mode = try #require(unit.firstMatch(of: /(?m)^StateDirectoryMode=(\d+)$/)).1
        #expect(
            try Self.text(of: "garner.tmpfiles").split(separator: "\n").last
                == "d     /var/lib/garner \(mode) garner garner -")
    }

    @Test func `the example of the package is valid, and its database is where the unit's is`() async throws {
        let example = try Self.text(of: "garner.yaml")
        let check = try await Workplace(example).garner("check", environment: ["EXAMPLE_TOKEN": "secret"])
        #expect(check.code == 0, "\(check.errors)")
        let database = try #require(example.firstMatch(of: /(?m)^database: (\S+)$/)).1
        #expect(try Self.text(of: "garner.service").contains("--database \(database)\n"))
    }

    @Test func `the image installs the package, and runs as nobody in particular`() throws {
        let lines = try Self.text(of: "Dockerfile").replacing("\\\n", with: " ").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        let instructions = lines.map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return (name: String(parts[0]), rest: parts.count > 1 ? String(parts[1]) : "")
        }
        let known: Set = [
            "FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "ENV", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD",
        ]
        for instruction in instructions { #expect(known.contains(instruction.name), "\(instruction)") }
        let bases = instructions.filter { $0.name == "FROM" }.map(\.rest).filter { !$0.hasPrefix("scratch ") }
        #expect(bases.count == 2)
        // hadolint: DL3006, DL3007 (tags that say a version), DL3009, DL3015 (nothing more than what is needed is left).
        for base in bases { #expect(base.contains(":") && !base.contains(":latest"), "\(base)") }
        for run in instructions where run.name == "RUN" && run.rest.contains("apt-get install") {
            #expect(run.rest.contains("--no-install-recommends") && run.rest.contains("rm -rf /var/lib/apt/lists/*"))
        }
        func last(_ name: String) -> String? { instructions.last { $0.name == name }?.rest }
        #expect(last("USER")?.wholeMatch(of: /[1-9]\d*:[1-9]\d*/) != nil)
        #expect(last("STOPSIGNAL") == "SIGTERM")
        #expect(last("HEALTHCHECK")?.contains(#"CMD ["garner", "status", "--check", "--quiet"]"#) == true)
        // DL3025: without a shell between, signals arrive.
        #expect(last("ENTRYPOINT") == #"["garner"]"#)
        #expect(last("CMD") == #"["serve"]"#)
        let copied = instructions.filter { $0.name == "COPY" && !$0.rest.hasPrefix("--from") }
        for source in copied.flatMap({ $0.rest.split(separator: " ").dropLast() }) {
            #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: source).path), "\(source)")
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL
    private static let docs = root.appending(path: "docs")

    /// The text of a file that is packed, or that the page tells how to use.
    private static func text(of name: String) throws -> String {
        let packaged = root.appending(path: "packaging/\(name)")
        let url =
            FileManager.default.fileExists(atPath: packaged.path)
            ? packaged : docs.appending(path: "operating/\(name)")
        return try String(contentsOf: url, encoding: .utf8)
    }

    private static func tool(_ name: String) -> String? {
        ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func run(
        _ tool: String, _ arguments: [String], in place: Workplace
    ) async throws -> GarnerProcess.Ending {
        try await GarnerProcess(
            arguments, of: tool, in: place.folder,
            environment: ["PATH": "/usr/bin:/bin", "SYSTEMD_COLORS": "0", "LC_ALL": "C.UTF-8"]
        ).end()
    }
}
