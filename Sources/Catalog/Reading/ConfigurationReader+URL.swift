extension ConfigurationReader {
    /// Messages never show the URL: it may hold a password.
    func baseURL(_ value: YAMLValue) -> BaseURL? {
        let example = "write a URL such as https://api.example.com/v1/"
        guard let text = value.text(hint: example) else { return nil }
        do {
            return try BaseURL(text)
        } catch {
            switch error {
            case .notAbsolute: value.fail("'base_url' is not an absolute URL", hint: example)
            case .otherScheme: value.fail("'base_url' is neither http nor https", hint: example)
            case .holdsUser:
                value.fail("'base_url' holds a user or a password", hint: "use auth: { type: http_basic, … } instead")
            case .holdsQuery:
                value.fail("'base_url' holds a query", hint: "put it into 'params' or into the stream's 'path'")
            case .holdsFragment: value.fail("'base_url' holds a fragment ('#…')", hint: "remove it; it is never sent")
            case .noHost: value.fail("'base_url' names no host", hint: example)
            case .badHost:
                value.fail(
                    "'base_url' names a host that cannot be", hint: "use letters, digits, '-' and '.', or an address")
            case .badPort: value.fail("'base_url' has a port that cannot be", hint: "write a port from 1 to 65535")
            case .badCharacter:
                value.fail(
                    "'base_url' holds a space or another character that no URL has", hint: "write %20 for a space")
            }
            return nil
        }
    }

    func path(_ value: YAMLValue) -> String? {
        guard let text = value.text(hint: "write a path such as /animals"), !refusesPlaceholder(in: text, of: value)
        else {
            return nil
        }
        let problem: (message: String, hint: String)? =
            if text.hasPrefix("//") || text.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\//) != nil {
                ("names a host of its own", "write the path only; the host is in 'base_url'")
            } else if text.contains("#") {
                ("holds a fragment ('#…')", "remove it, or write %23; a fragment is never sent")
            } else if text.unicodeScalars.contains(where: {
                $0.value <= 0x20 || $0.value == 0x7F || "{}\\".unicodeScalars.contains($0)
            }) {
                ("holds a space or another character that no URL has", "write %20 for a space, %7B and %7D for braces")
            } else {
                nil
            }
        guard let problem else { return text }
        value.fail("'path' \(problem.message)", hint: problem.hint)
        return nil
    }
}
