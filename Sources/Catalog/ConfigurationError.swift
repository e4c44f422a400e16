package import GarnerModel

/// A place in a configuration file; lines and columns begin at 1.
package struct ConfigurationPlace: Sendable, Equatable, CustomStringConvertible {
    package var file: String
    package var line: Int?
    package var column: Int?

    package init(file: String, line: Int? = nil, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `garner.yaml:7:5`
    package var description: String {
        [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":")
    }
}

/// One mistake in a configuration, with its place and a hint.
package struct ConfigurationIssue: Sendable, Equatable {
    package var place: ConfigurationPlace
    package var message: String
    package var hint: String?
}

extension [ConfigurationIssue] {
    /// The hint of the first issue; one line that exports all of them if each is a variable that is not set.
    package var hint: String? {
        let names = compactMap { $0.hint?.wholeMatch(of: /export (\w+)=…/).map { String($0.1) } }
        guard count > 1, names.count == count else { return first?.hint }
        let each = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }
        return "export " + each.map { "\($0.element)=…" }.joined(separator: " ")
    }
}

/// The variables and files that a stream or its hooks need and that are missing.
package struct MissingValuesError: Error, Equatable, FailureConvertible {
    package let issues: [ConfigurationIssue]

    /// Returns nil if nothing is missing.
    package init?(_ issues: [ConfigurationIssue]) {
        guard !issues.isEmpty else { return nil }
        self.issues = issues
    }

    package var failure: RunFailure {
        RunFailure(
            .misconfigured, kind: "configuration",
            message: issues.map { "\($0.message) (\($0.place))" }.joined(separator: "; "),
            hint: issues.hint.map(Hint.text), isPermanent: true)
    }
}

/// The reason why there is no valid configuration.
package enum ConfigurationError: Error, Sendable, Equatable {
    /// No file was found; `searched` lists the places in order.
    case notFound(searched: [String])
    case unreadable(path: String, reason: String)
    /// The issues, at least one, in the order of the file.
    case invalid([ConfigurationIssue])
}

/// The issues of one file, gathered while it is read. The files that it includes share its list.
final class IssueCollector {
    let file: String
    /// The text of the file, for what its nodes do not tell.
    var text = ""
    private lazy var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    private let list: List

    private final class List {
        /// The files in the order in which they are read.
        var files: [String] = []
        var warnings: [ConfigurationIssue] = []
        var errors: [ConfigurationIssue] = []
        var slip: Slip?
        /// The keys that others of their mappings stand for, which are not missing.
        var meant: [(key: String, place: ConfigurationPlace)] = []
        var entriesLeft = 50_000
        var isExhausted = false
    }

    /// - Parameter other: The collector of the including file.
    init(file: String, with other: IssueCollector? = nil) {
        self.file = file
        list = other?.list ?? List()
        list.files.append(file)
    }

    var errorCount: Int { list.errors.count }
    var isOfIncludedFile: Bool { list.files.first != file }
    /// The first mistake of the first file that a slip may have made.
    var slip: Slip? { list.slip }
    var sortedErrors: [ConfigurationIssue] { sorted(list.errors) }
    var sortedWarnings: [ConfigurationIssue] { sorted(list.warnings) }

    func fail(at place: ConfigurationPlace, _ message: String, hint: String?) {
        fail(ConfigurationIssue(place: place, message: message, hint: hint))
    }

    /// Notes an issue, and returns nil in the place of the value.
    func failed<Value>(at place: ConfigurationPlace, _ message: String, hint: String?) -> Value? {
        fail(at: place, message, hint: hint)
        return nil
    }

    /// Returns true if a comment that begins like a part of it follows a text without quotes, as in `pa #ss`.
    func isCut(_ text: String, at place: ConfigurationPlace) -> Bool {
        guard let line = place.line, let column = place.column, (1...300).contains(column),
            lines.indices.contains(line - 1)
        else { return false }
        let rest = lines[line - 1].unicodeScalars.dropFirst(column - 1)
        guard rest.starts(with: text.unicodeScalars) else { return false }
        let behind = rest.dropFirst(text.unicodeScalars.count)
        let comment = behind.drop { $0 == " " || $0 == "\t" }
        return comment.count < behind.count && comment.first == "#"
            && comment.dropFirst().first.map { !$0.properties.isWhitespace && $0 != "#" } == true
    }

    func note(_ slip: Slip) {
        guard list.files.first == file, list.slip.map({ $0.isEmpty && !slip.isEmpty }) ?? true else { return }
        list.slip = slip
    }

    /// Notes that a key that is not known stands for one of the mapping at this place.
    func noteMeant(_ key: String, at place: ConfigurationPlace) { list.meant.append((key, place)) }

    func isMeant(_ key: String, at place: ConfigurationPlace) -> Bool {
        list.meant.contains { $0.key == key && $0.place == place }
    }

    func fail(_ issue: ConfigurationIssue) {
        // What was warned of at the same place is likely to be the cause.
        var issue = issue
        if let cause = list.warnings.first(where: { $0.place == issue.place }) {
            (issue.message, issue.hint) = (issue.message + "; " + cause.message, cause.hint)
        }
        // A value that several aliases repeat counts as one mistake.
        if !list.errors.contains(issue) { list.errors.append(issue) }
    }

    func warn(at place: ConfigurationPlace, _ message: String, hint: String?) {
        let issue = ConfigurationIssue(place: place, message: message, hint: hint)
        if !list.warnings.contains(issue) { list.warnings.append(issue) }
    }

    /// Returns true if `count` more entries may be read. Without this limit, aliases of aliases could make billions of
    /// entries from a few lines.
    func mayRead(_ count: Int, at place: ConfigurationPlace) -> Bool {
        if list.entriesLeft >= count {
            list.entriesLeft -= count
            return true
        }
        if !list.isExhausted { fail(at: place, "the file has too many entries", hint: "use fewer aliases ('*name')") }
        list.isExhausted = true
        list.entriesLeft = 0
        return false
    }

    /// Returns the issues in the order of the files. Issues at one place stay in the order in which they were found.
    private func sorted(_ issues: [ConfigurationIssue]) -> [ConfigurationIssue] {
        let files = list.files
        let positions = issues.enumerated().map { index, issue in
            (files.firstIndex(of: issue.place.file) ?? 0, issue.place.line ?? 0, issue.place.column ?? 0, index)
        }
        return positions.sorted { $0 < $1 }.map { issues[$0.3] }
    }
}

/// The search for the word that someone may have meant to type.
package enum Suggestion {
    /// Returns the candidate nearest to `word`; nil if none is near enough.
    ///
    /// Case, `_` and `-` do not count. A transposition counts once. About a third of the letters may be wrong. If none is near,
    /// the only one that begins with the word counts, or else the only one with it between `_` or `-`.
    package static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let folded = fold(word)
        guard (1...64).contains(folded.count) else { return nil }
        let tolerance = max(1, folded.count / 3)
        var best: (candidate: String, distance: Int)?
        var beginnings: [String] = []
        var wholes: [String] = []
        for candidate in candidates {
            let other = fold(candidate)
            if folded.count >= 3, other.starts(with: folded) { beginnings.append(candidate) }
            if folded.count >= 3,
                candidate.split(whereSeparator: { "_-".contains($0) }).contains(where: { fold(String($0)) == folded })
            {
                wholes.append(candidate)
            }
            guard other.count > 1 || other == folded, abs(other.count - folded.count) <= tolerance else { continue }
            let distance = distance(folded, other)
            guard distance <= tolerance, distance < folded.count else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        if let best { return best.candidate }
        let fitting = beginnings.isEmpty ? wholes : beginnings
        return fitting.count == 1 ? fitting.first : nil
    }

    /// Returns the candidate that may be meant by a name which nothing has: one or two letters differ, by the length of the name.
    ///
    /// Names that differ in digits alone, such as `phone2` and `phone1`, are two.
    package static func misspelt(_ name: String, among candidates: some Sequence<String>) -> String? {
        let folded = fold(name)
        guard (3...64).contains(folded.count) else { return nil }
        let tolerance = folded.count < 6 ? 1 : 2
        let near = candidates.compactMap { candidate -> (name: String, distance: Int)? in
            let other = fold(candidate)
            guard other.count >= 3, abs(other.count - folded.count) <= tolerance else { return nil }
            let isNumbered = other != folded && other.filter { !$0.isNumber } == folded.filter { !$0.isNumber }
            let distance = isNumbered ? .max : distance(folded, other)
            return distance <= tolerance ? (candidate, distance) : nil
        }
        return near.min { $0.distance < $1.distance }?.name
    }

    private static func fold(_ word: String) -> [Character] {
        word.lowercased().filter { $0 != "_" && $0 != "-" }.map { $0 }
    }

    /// Returns the optimal string alignment distance; O(n·m) time, O(m) space.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for i in left.indices {
            var current = [i + 1]
            for j in right.indices {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforePrevious[j - 1] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
