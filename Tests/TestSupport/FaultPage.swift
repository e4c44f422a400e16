import Foundation

/// The tables of faults in `docs/faults.md`.
package struct FaultPage: Sendable {
    package struct Row: Sendable {
        package let name: String
        package let outcome: String
        package let exitCode: Int
        package let isRetried: Bool
        /// The message, with `…` for the parts that differ from case to case; empty if there is none.
        package let says: String
        /// The heading above the row's table.
        package let section: String

        /// Returns nil unless the line is a row with five cells, of which the third is a number.
        fileprivate init?(_ line: Substring, in section: String) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, let exitCode = Int(cells[3]) else { return nil }
            name = cells[1].replacing("`", with: "")
            outcome = cells[2].replacing("`", with: "")
            self.exitCode = exitCode
            isRetried = cells[4] == "yes"
            says = cells[5].replacing("`", with: "")
            self.section = section
        }

        /// Returns true if a text matches the row's message.
        package func says(_ text: String) -> Bool {
            let pieces = says.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
            guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first), text.hasSuffix(last) else {
                return false
            }
            var rest = text.dropFirst(first.count)
            for piece in pieces.dropFirst() where !piece.isEmpty {
                guard let range = rest.range(of: piece) else { return false }
                rest = rest[range.upperBound...]
            }
            return pieces.count > 1 || text == says
        }
    }

    /// The headings of the tables that are played by whole runs of `garner`. All others are played by reads of pages.
    package static let sectionsOfRuns: Set = ["Programs that print tokens", "Runs", "Values of partitions"]

    private static let page: [Row] = {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let text = try? String(contentsOf: root.appending(path: "docs/faults.md"), encoding: .utf8)
        var section = ""
        return (text ?? "").split(separator: "\n").compactMap { line in
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            return Row(line, in: section)
        }
    }()

    /// The rows that are played by whole runs, or those that are played by reads of pages.
    package static func rows(ofRuns: Bool) -> [Row] {
        page.filter { sectionsOfRuns.contains($0.section) == ofRuns }
    }

    /// Returns the row of a fault; nil if the page has none.
    package static func row(named name: String) -> Row? { page.first { $0.name == name } }
}
