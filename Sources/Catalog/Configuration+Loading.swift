extension Configuration {
    /// Reads and validates a file.
    ///
    /// - Parameters:
    ///   - environment: What `${NAME}` stands for.
    ///   - needsSecrets: false where nothing is sent: a variable or a file that is missing is no issue then, unless it names
    ///     the database.
    ///   - selectorProblem: Why a text is no valid JSONPath; nil: it is one.
    package static func load(
        contentsOf path: String, environment: [String: String], needsSecrets: Bool = true,
        selectorProblem: @escaping (String) -> String?
    ) throws(ConfigurationError) -> Configuration {
        let file: TextFile
        do {
            file = try TextFile(path: path, maximumBytes: 4 << 20)
        } catch {
            switch error {
            case .missing: throw .notFound(searched: [path])
            case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
            }
        }
        return try Configuration(
            parsing: file.text, file: path, environment: environment, needsSecrets: needsSecrets,
            selectorProblem: selectorProblem)
    }

    /// Validates the text of a file; paths in it are relative to the folder of `file`.
    ///
    /// - Throws: `ConfigurationError.invalid` with every issue, in the order of the file.
    package init(
        parsing text: String, file: String, environment: [String: String], needsSecrets: Bool = true,
        selectorProblem: @escaping (String) -> String?
    ) throws(ConfigurationError) {
        let issues = IssueCollector(file: file)
        let reader = ConfigurationReader(
            file: file, environment: environment, needsSecrets: needsSecrets, selectorProblem: selectorProblem,
            issues: issues)
        let configuration = YAMLDocument.root(of: text, issues: issues).flatMap(reader.configuration)
        guard let configuration, issues.sortedErrors.isEmpty else { throw .invalid(issues.sortedErrors) }
        self = configuration
        self.text = Secret(text)
        fileSecrets = reader.secretFiles.contents
    }
}
