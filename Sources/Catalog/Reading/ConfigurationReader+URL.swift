extension ConfigurationReader {
    func baseURL(_ value: YAMLValue) -> String? {
        let example = "write a URL such as https://api.example.com/v1/"
        let userHint = "use auth: { type: http_basic, … } instead"
        return value.text(hint: example).flatMap {
            absoluteURL($0, of: value, example: example, userHint: userHint)?.text
        }
    }

    /// Messages never show the URL: it may hold a password.
    func absoluteURL(
        _ text: String, of value: YAMLValue, example: String, userHint: String, mayHoldQuery: Bool = false
    ) -> BaseURL? {
        do {
            return try BaseURL(text, mayHoldQuery: mayHoldQuery)
        } catch {
            let (problem, hint) = Self.description(of: error, example: example, userHint: userHint)
            value.fail("'\(value.name)' \(problem)", hint: hint)
            return nil
        }
    }

    private static func description(
        of problem: BaseURL.Problem, example: String, userHint: String
    ) -> (problem: String, hint: String) {
        switch problem {
        case .notAbsolute: ("is not an absolute URL", example)
        case .otherScheme: ("is neither http nor https", example)
        case .holdsUser: ("holds a user or a password", userHint)
        case .holdsQuery: ("holds a query", "put it into 'params' or into the stream's 'path'")
        case .holdsFragment: ("holds a fragment ('#…')", "remove it; it is never sent")
        case .noHost: ("names no host", example)
        case .badHost: ("names a host that cannot be", "use letters, digits, '-' and '.', or an address")
        case .badPort: ("has a port that cannot be", "write a port from 1 to 65535")
        case .badCharacter:
            ("holds a space or another character that no URL has", "write %20 for a space")
        }
    }

    func path(_ value: YAMLValue) -> String? {
        guard let text = value.text(hint: "write a path such as /animals"), !holdsUnknownPlaceholder(text, of: value)
        else { return nil }
        let written = Template(text).filled { _ in "" } ?? text
        let problem: (message: String, hint: String)? =
            if URLReference(text).authority != nil {
                ("names a host of its own", "write the path only; the host is in 'base_url'")
            } else if text.unicodeScalars.contains("#") {
                ("holds a fragment ('#…')", "remove it, or write %23; a fragment is never sent")
            } else if written.unicodeScalars.contains(where: {
                $0.value <= 0x20 || $0.value == 0x7F || "{}\\".unicodeScalars.contains($0)
            }) {
                ("holds a space or another character that no URL has", "write %20 for a space, %7B and %7D for braces")
            } else {
                nil
            }
        guard let problem else {
            warnOfSecrets(inQueryOf: text, value)
            return text
        }
        value.fail("'path' \(problem.message)", hint: problem.hint)
        return nil
    }

    /// A path is shown and stored as it stands.
    private func warnOfSecrets(inQueryOf path: String, _ value: YAMLValue) {
        guard let mark = path.firstIndex(of: "?") else { return }
        for item in path[mark...].dropFirst().split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1).map { PercentEncoding.decoded($0) }
            guard pair.count == 2, SensitiveName.isParameter(pair[0], value: pair[1]) else { continue }
            issues.warn(
                at: value.place, "'path' holds a secret in plain text, the parameter '\(pair[0])'",
                hint: "move it into params: { \(pair[0]): \"${NAME}\" } and export NAME=…")
        }
    }
}
