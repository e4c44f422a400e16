/// Turns the nodes of one file into values; what is wrong goes to `issues`.
struct ConfigurationReader {
    let file: String
    let environment: [String: String]
    /// Nothing is sent where they are not needed.
    let needsSecrets: Bool
    /// Why a text is no JSONPath; nil: it is one.
    let selectorProblem: (String) -> String?
    let issues: IssueCollector
    let secretFiles = SecretFiles()

    /// Collects the contents of the files that secrets are read from.
    final class SecretFiles {
        /// All of them, in the order of the configuration; nil where there are none.
        fileprivate(set) var contents: Secret?

        func note(_ text: String) { contents = Secret((contents.map { $0.reveal() + "\0" } ?? "") + text) }
    }

    /// `path` as seen from the folder of the file.
    func resolve(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    func jsonPath(_ value: YAMLValue) -> String? {
        guard let text = value.text(hint: "write a JSONPath such as $.data[*]") else { return nil }
        guard let problem = selectorProblem(text) else { return text }
        value.fail("'\(value.name)' is not a valid JSONPath: \(problem)", hint: "write a JSONPath such as $.data[*]")
        return nil
    }

    /// A text with at least one character.
    func name(_ value: YAMLValue) -> String? {
        guard let text = value.text() else { return nil }
        if !text.isEmpty { return text }
        value.fail("'\(value.name)' is empty", hint: "write a name, or remove the line")
        return nil
    }
}
