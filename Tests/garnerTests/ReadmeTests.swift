import Foundation
import Testing

struct ReadmeTests {
    @Test func `every command that the README names exists`() throws {
        let readme = try Self.text()
        let commands = Set(readme.matches(of: /garner ([a-z]+)/).map { String($0.1) })
        let sources = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Sources/garner/Commands").path)
        let known = Set(sources.map { $0.replacing("Command.swift", with: "").lowercased() })
        #expect(commands.count > 8)
        #expect(commands.subtracting(known).isEmpty)
    }

    static func text() throws -> String {
        try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
