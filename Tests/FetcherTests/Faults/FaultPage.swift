import Fetcher
import Foundation

/// The table of faults in `docs/faults.md`.
struct FaultPage: Sendable {
    struct Row: Sendable {
        let name: String
        let outcome: String
        let exitCode: Int
        let isRetried: Bool
        /// The message, with `…` for the parts that differ from case to case; empty if there is none.
        let says: String

        /// Returns nil unless the line is a row with five cells, of which the third is a number.
        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, let exitCode = Int(cells[3]) else { return nil }
            name = cells[1].replacing("`", with: "")
            outcome = cells[2].replacing("`", with: "")
            self.exitCode = exitCode
            isRetried = cells[4] == "yes"
            says = cells[5].replacing("`", with: "")
        }

        /// Returns true if a text matches the row's message.
        func says(_ text: String) -> Bool {
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

    let rows: [Row]

    static let page: FaultPage = {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let text = try? String(contentsOf: root.appending(path: "docs/faults.md"), encoding: .utf8)
        return FaultPage(rows: (text ?? "").split(separator: "\n").compactMap(Row.init))
    }()

    /// Returns the fault's row; nil if the page has none.
    static func row(of fault: Fault) -> Row? { page.rows.first { $0.name == fault.name } }
}

extension FetchError.Kind.Category {
    /// The exit code of `garner`.
    var exitCode: Int {
        switch self {
        case .misconfigured: 78
        case .badContent: 65
        case .unavailable: 69
        case .unauthorized: 77
        }
    }
}
