import Foundation

/// The fenced blocks of a page of the documentation.
struct DocumentationPage: Sendable {
    struct Block: Sendable, CustomStringConvertible {
        /// The heading that it stands under; with a number from the second one of its language on.
        let name: String
        let language: String
        /// The nearest line above it that is not empty, such as `<!-- runs -->`.
        let lineBefore: String
        let text: String

        var description: String { "\(name) (\(language))" }
    }

    let text: String
    let blocks: [Block]

    /// - Parameter path: relative to the root of the repository.
    init(_ path: String) {
        text = (try? String(contentsOf: Self.root.appending(path: path), encoding: .utf8)) ?? ""
        var blocks: [Block] = []
        var counts: [String: Int] = [:]
        var open: (heading: String, language: String, before: String, lines: [String])?
        var (heading, before) = ("", "")
        for line in text.components(separatedBy: "\n") {
            if let block = open, line == "```" {
                let count = counts["\(block.language) \(block.heading)", default: 0] + 1
                counts["\(block.language) \(block.heading)"] = count
                let name = count == 1 ? block.heading : "\(block.heading) \(count)"
                blocks.append(
                    Block(
                        name: name, language: block.language, lineBefore: block.before,
                        text: block.lines.map { $0 + "\n" }.joined()))
                open = nil
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("```") {
                open = (heading, String(line.dropFirst(3)), before, [])
            } else if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" || $0 == " " })
            }
            if !line.isEmpty { before = line }
        }
        self.blocks = blocks
    }

    func blocks(in language: String) -> [Block] { blocks.filter { $0.language == language } }

    /// The root of the repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL
}
