import Foundation
import Testing

/// A page of the documentation with one configuration, the commands around it, and the transcript of what it does.
struct Recipe: Sendable {
    let page: DocumentationPage
    let configuration: String
    /// Each block of commands, with the output that the page shows below it.
    let commands: [(script: String, output: String?)]
    let transcript: Transcript

    /// - Parameters:
    ///   - page: its path, relative to the root of the repository.
    ///   - transcript: the name of its file.
    init(page path: String, transcript name: String) throws {
        page = DocumentationPage(path)
        configuration = try #require(page.blocks(in: "yaml").first).text
        let blocks = page.blocks
        commands = blocks.indices.filter { blocks[$0].language == "sh" }.map { index in
            let next = index + 1 < blocks.count && blocks[index + 1].language == "text" ? blocks[index + 1].text : nil
            return (blocks[index].text, next)
        }
        transcript = try Transcript("\(Self.transcripts)/\(name).txt")
    }

    static let transcripts = "Tests/garnerTests/Examples/Recipes"

    /// The variables that the page tells people to set, and those that the configuration needs.
    var variables: (set: Set<String>, needed: Set<String>) {
        let script = commands.map(\.script).joined()
        return (
            Set(script.matches(of: /(?m)^export ([A-Z_]+)=/).map { String($0.1) }),
            Set(configuration.matches(of: /\$\{([A-Z_]+)\}/).map { String($0.1) })
        )
    }

    /// The commands within sentences of the page that show what is stored.
    private var questions: [String] {
        page.text.matches(of: /`(garner (?:changes|get|rows|search) [^`]+)`/).map { String($0.1) }
    }

    /// Plays the transcript, and then runs what the page shows beyond it. A block of the page that begins with the command of
    /// a round is run in its place.
    func run() async throws {
        var rounds = transcript.rounds
        var played: Set<Int> = []
        var rest: [(script: String, output: String?)] = []
        for command in commands {
            let lines = command.script.split(separator: "\n").filter { !$0.hasPrefix("export ") }
            let script = lines.joined(separator: "\n")
            if let index = rounds.indices.first(where: {
                rounds[$0].command == lines.first.map(String.init) && !played.contains($0)
            }) {
                played.insert(index)
                rounds[index].command = script
                rounds[index].output = command.output
            } else {
                rest.append((script, command.output))
            }
        }
        let (remaining, questions) = (rest, questions)
        try await Example(rounds).run(configuration) { place, environment in
            for command in remaining {
                let ending = try await place.shell(command.script, environment: environment)
                #expect(ending.code == 0, "\(command.script): \(ending.errors)")
                let output = try #require(command.output, "\(command.script) has no output on the page")
                Example.expect(ending.output, toBe: output)
            }
            for question in questions {
                let ending = try await place.shell(question, environment: environment)
                #expect(ending.code == 0 && !ending.output.isEmpty, "\(question): \(ending.errors)")
            }
        }
    }
}
