import Foundation
import Testing

@testable import Catalog

struct AnnouncedKeyTests {
    private static let examples: [String: String] = [
    ]

    @Test(arguments: examples.sorted { $0.key < $1.key })
    func `a key that nothing honours yet is refused by name, where it stands`(name: String, lines: String) throws {
        let text = Fixture.streamText(lines)
        _ = try Fixture.parse(text, environment: ["S": "s"])
        let error = #expect(throws: ConfigurationError.self) {
            try Fixture.parse(text, environment: ["S": "s"], announced: ConfigurationReader.announced)
        }
        guard case .invalid(let issues) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(issues.map(\.message) == ["'\(name)' is not yet supported"])
        #expect(issues.first?.place.line == 6 + lines.split(separator: "\n").count)
    }

    @Test func `what a source says for all is refused once`() throws {
        let text = Fixture.sourceText("proxy: none")
        let error = #expect(throws: ConfigurationError.self) { try Fixture.parse(text, announced: ["proxy"]) }
        guard case .invalid(let issues) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(issues.map(\.message) == ["'proxy' is not yet supported"])
    }

    @Test func `the documentation lists them`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configuration.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.split(separator: "## Not yet supported\n").last)
        let listed = section.matches(of: /`([^`]+)`/).map { String($0.1) }
        #expect(Set(listed) == ConfigurationReader.announced)
    }
}
