/// What is wrong in one file, gathered while it is read.
final class IssueCollector {
    let file: String
    private var warnings: [ConfigurationIssue] = []
    private var errors: [ConfigurationIssue] = []
    private var entriesLeft = 50_000
    private var isExhausted = false

    init(file: String) {
        self.file = file
    }

    var errorCount: Int { errors.count }
    var sortedErrors: [ConfigurationIssue] { sorted(errors) }
    var sortedWarnings: [ConfigurationIssue] { sorted(warnings) }

    func fail(at place: ConfigurationPlace, _ message: String, hint: String?) {
        let issue = ConfigurationIssue(place: place, message: message, hint: hint)
        // What is reached through several aliases is wrong once.
        if !errors.contains(issue) { errors.append(issue) }
    }

    func warn(at place: ConfigurationPlace, _ message: String, hint: String?) {
        let issue = ConfigurationIssue(place: place, message: message, hint: hint)
        if !warnings.contains(issue) { warnings.append(issue) }
    }

    /// Whether `count` more entries may be read; aliases of aliases can make billions from a few lines.
    func mayRead(_ count: Int, at place: ConfigurationPlace) -> Bool {
        if entriesLeft >= count {
            entriesLeft -= count
            return true
        }
        if !isExhausted { fail(at: place, "the file has too many entries", hint: "use fewer aliases ('*name')") }
        isExhausted = true
        entriesLeft = 0
        return false
    }

    /// In the order of the file, and of being found where places are the same.
    private func sorted(_ issues: [ConfigurationIssue]) -> [ConfigurationIssue] {
        let positions = issues.enumerated().map { ($1.place.line ?? 0, $1.place.column ?? 0, $0) }
        return positions.sorted { $0 < $1 }.map { issues[$0.2] }
    }
}
