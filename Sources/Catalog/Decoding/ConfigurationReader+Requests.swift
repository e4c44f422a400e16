import GarnerModel
import GarnerYAML

extension ConfigurationReader {
    func baseURL(_ value: YAMLValue) -> HiddenURL? {
        let example = "write a URL such as https://api.example.com/v1/"
        let userHint = "use \(Self.basicHint) instead"
        guard let url = hiddenURL(value, hint: example),
            let base = absoluteURL(url.text, of: value, example: example, userHint: userHint)
        else { return nil }
        let written = value.plainOrQuotedText ?? ""
        if written.utf8.contains(UInt8(ascii: "{")),
            let name = written.firstMatch(of: /(?:^|[^$])\{+ ?([A-Za-z_][\w.]{0,39}) ?\}/)?.1
        {
            let variable = name.uppercased().replacing(".", with: "_")
            value.warn(
                "'base_url' holds '{\(name)}', which nothing fills in there, and is sent as it is",
                hint:
                    "write what belongs there, or ${\(variable)} and export \(variable)=…; a value of 'partitions' or of "
                    + "the parent goes into 'path'")
        }
        return HiddenURL(base.text, secrets: url.secrets)
    }

    /// The way to send a user and a password, with `USER` in the place of the name.
    static let basicHint = "auth: { type: http_basic, username: USER, password: \"${API_PASSWORD}\" }"

    /// Returns the user of a URL that has a password, too; a variable if the name may be a secret by its looks.
    private static func user(in text: String) -> String {
        text.firstMatch(of: /:\/\/([A-Za-z][A-Za-z._-]{0,19}[0-9]{0,4}):[^@\/?#]+@/).map { String($0.1) }
            ?? "\"${API_USER}\""
    }

    /// Reads an absolute URL. Messages never show it, since it may hold a password.
    func absoluteURL(
        _ text: String, of value: YAMLValue, example: String, userHint: String, mayHoldQuery: Bool = false
    ) -> BaseURL? {
        do {
            return try BaseURL(text, mayHoldQuery: mayHoldQuery)
        } catch {
            // A variable may hold a secret.
            let isWritten = value.plainOrQuotedText == text
            let usual = example.contains("https://") ? "https" : "http"
            let near =
                isWritten ? Self.serving(text) ?? NearURL.meant(by: text, usual: usual).map { "write \($0)" } : nil
            let (problem, hint) =
                Self.slip(in: text)
                ?? Self.description(
                    of: error, example: near ?? example,
                    userHint: userHint.replacing("USER", with: Self.user(in: text)))
            return value.failed("'\(value.name)' \(problem)", hint: hint)
        }
    }

    /// Returns how a file is read, which a server has to send; nil for what names no file.
    private static func serving(_ text: String) -> String? {
        guard let file = NearURL.file(in: text), file.wholeMatch(of: /[\w.\/-]{1,200}/) != nil else { return nil }
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        let folder = file.hasSuffix("/") ? file[...] : file.dropLast(name.count)
        return
            "Garner reads from servers: python3 -m http.server 8000 --bind 127.0.0.1 --directory \(folder.isEmpty ? "." : folder)"
            + ", and write http://127.0.0.1:8000/" + (file.hasSuffix("/") ? "" : ", with path: \(name) in the stream")
    }

    /// Returns what makes a text no URL where it is nearly one; nil for other mistakes. It shows nothing of it but a name in the braces of
    /// its host.
    private static func slip(in text: String) -> (problem: String, hint: String)? {
        if let blank = blank(around: text) { return blank }
        if text.hasPrefix("<"), text.hasSuffix(">") { return ("stands in '<' and '>'", "remove them") }
        let slashed = slashed(text)
        let problem = "holds '\\' in place of '/'"
        if let url = (slashed ?? text).wholeMatch(
            of: /(https?)(?::\/?|\/\/)([A-Za-z0-9][\w.-]*(?::[0-9]+)?(?:\/[\w.\/-]*)?)/)
        {
            return (
                slashed == nil ? "is no URL without '://' behind \(url.1)" : problem, "write \(url.1)://\(url.2)"
            )
        }
        if slashed != nil { return (problem, "write / in place of each \\") }
        let behind = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? ""
        let host = behind.prefix { !"/?#".contains($0) }
        if !host.contains("@"), let name = host.firstMatch(of: /\{([A-Za-z_]\w{0,39})\}/)?.1 {
            let variable = name.uppercased()
            return (
                "holds '{\(name)}', which stands for something else",
                "write what belongs there, or ${\(variable)} and export \(variable)=…"
            )
        }
        guard host.count(where: { $0 == ":" }) > 1, host.allSatisfy({ $0.isHexDigit || $0 == ":" }) else { return nil }
        return ("names an IPv6 address without brackets", "write it in brackets, as in http://[::1]:8080/")
    }

    /// Returns what is wrong with a text that has blanks around it alone; nil for others.
    private static func blank(around text: String) -> (problem: String, hint: String)? {
        let inside = text.trimming { $0.isWhitespace }
        guard inside.count < text.count, !inside.isEmpty, !inside.contains(where: \.isWhitespace) else { return nil }
        return text.contains(where: \.isNewline)
            ? ("ends with a line break", "write it in the line of its key, without > or | before it")
            : ("begins or ends with a space", "remove it")
    }

    /// Returns a text with the slashes that its backslashes stand for, as Windows and JSON have them; nil if it has none.
    private static func slashed(_ text: String) -> String? {
        text.utf8.contains(UInt8(ascii: "\\")) ? text.replacing(/[\/\\]+/, with: "/") : nil
    }

    /// Returns what is wrong with a path that has backslashes; nil for others.
    private static func backslash(in text: String) -> (problem: String, hint: String)? {
        guard let slashed = slashed(text) else { return nil }
        let isPlain = slashed.wholeMatch(of: /[\w.\/{}-]{1,80}/) != nil
        return ("holds '\\' in place of '/'", isPlain ? "write path: \"\(slashed)\"" : "write / in place of each \\")
    }

    /// Returns what is wrong with a path behind a method, as documentation has it; nil for others.
    private static func method(before text: String) -> (problem: String, hint: String)? {
        guard text.contains(" "),
            let match = text.wholeMatch(of: /(GET|POST|PUT|PATCH|DELETE|HEAD) +([^\s"\\]+)/)
        else { return nil }
        let path = "write path: \"\(match.2)\""
        let rest =
            switch match.1 {
            case "GET": ""
            case "POST", "PUT": ", and method: \(match.1) in the stream"
            default: "; Garner sends GET, POST and PUT alone"
            }
        return ("begins with a method", path + rest)
    }

    private static func description(
        of problem: BaseURL.ParseError, example: String, userHint: String
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

    func path(_ value: YAMLValue) -> HiddenURL? {
        guard let url = hiddenURL(value, hint: "write a path such as /animals", isPath: true),
            !holdsUnknownPlaceholder(url.text, of: value)
        else { return nil }
        let text = url.text
        let written = Template(text).filled { _ in "" } ?? text
        let problem: (message: String, hint: String)? =
            if URLReference(text).authority != nil {
                ("names a host of its own", "write the path only; the host is in 'base_url'")
            } else if text.unicodeScalars.contains("#") {
                ("holds a fragment ('#…')", "remove it, or write %23; a fragment is never sent")
            } else if let slip = Self.blank(around: written)
                ?? Self.method(before: value.plainOrQuotedText ?? "")
                ?? Self.backslash(in: value.plainOrQuotedText ?? "")
            {
                (slip.problem, slip.hint)
            } else if written.unicodeScalars.contains(where: {
                $0.value <= 0x20 || $0.value == 0x7F || "{}\\".unicodeScalars.contains($0)
            }) {
                (
                    "holds a space or another character that no URL has",
                    text.contains("{{") ? Self.noTemplates : "write %20 for a space, %7B and %7D for braces"
                )
            } else {
                nil
            }
        guard let problem else {
            warnOfSecrets(inQueryOf: url, value)
            if text.contains("&amp;") {
                value.warn(
                    "'path' holds '&amp;', as the text of a web page has it, so that the parameter behind it is sent under another name",
                    hint: "write & in the place of &amp;")
            }
            return url
        }
        return value.failed("'path' \(problem.message)", hint: problem.hint)
    }

    /// Warns of secrets in the query of a path, since paths are shown and stored.
    private func warnOfSecrets(inQueryOf url: HiddenURL, _ value: YAMLValue) {
        let path = url.text
        guard let mark = path.firstIndex(of: "?") else { return }
        for item in path[mark...].dropFirst().split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1).map { PercentEncoding.decoded($0) }
            guard pair.count == 2, SensitiveName.isParameter(pair[0], value: pair[1]),
                url.secrets.isEmpty || !pair[1].contains(HiddenURL.standIn(0))
            else { continue }
            value.warn(
                "'path' holds a secret in plain text, the parameter '\(pair[0])'",
                hint: "move it into params: { \(pair[0]): \"${NAME}\" } and export NAME=…")
        }
    }
}

/// An absolute `http` or `https` URL with a host, without user and fragment. It may have a query only if the reader
/// allows one.
struct BaseURL {
    enum ParseError: Error {
        case notAbsolute, otherScheme, holdsUser, holdsQuery, holdsFragment, noHost, badHost, badPort, badCharacter
    }

    let text: String
    /// The host in lower case, an IPv6 address without its brackets.
    let host: String

    init(_ text: String, mayHoldQuery: Bool = false) throws(ParseError) {
        guard !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F || $0 == "\\" }) else {
            throw .badCharacter
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { throw .notAbsolute }
        guard ["http", "https"].contains(text[..<colon].lowercased()) else { throw .otherScheme }
        let rest = text[colon...].dropFirst(3)
        // The text is split by scalars, since a delimiter with a combining mark is a single character.
        let authority = Substring(rest.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) })
        if authority.unicodeScalars.contains("@") { throw .holdsUser }
        if text.unicodeScalars.contains("#") { throw .holdsFragment }
        if !mayHoldQuery, text.unicodeScalars.contains("?") { throw .holdsQuery }
        // RFC 3986, 6.2.3: an empty path is the same as "/".
        self.text = authority.endIndex == text.endIndex ? text + "/" : text
        host = try Self.host(of: authority)
    }

    private static func host(of authority: Substring) throws(ParseError) -> String {
        let host: Substring
        var port: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .badHost }
            host = authority[..<end].dropFirst()
            port = authority[end...].dropFirst()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw .badHost
            }
        } else {
            host = authority.prefix { $0 != ":" }
            port = authority.dropFirst(host.count)
            guard host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }) else {
                throw .badHost
            }
        }
        guard !host.isEmpty else { throw .noHost }
        guard !port.isEmpty else { return host.lowercased() }
        guard port.removeFirst() == ":", port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(port),
            (1...65535).contains(number)
        else { throw .badPort }
        return host.lowercased()
    }
}

extension ConfigurationReader {
    func headers(_ mapping: YAMLMapping) -> [(YAMLMapping.Entry, ConfiguredText)] {
        var seen: Set<String> = []
        return mapping.entries.compactMap { entry in
            guard isHeaderName(entry.key, entry.keyPlace) else { return nil }
            guard seen.insert(entry.key.lowercased()).inserted else {
                return issues.failed(
                    at: entry.keyPlace, "duplicate header '\(entry.key)'",
                    hint: "upper and lower case do not count: keep one of them")
            }
            let isSecret = SensitiveName.isHeader(entry.key, value: entry.value.plainOrQuotedText)
            guard let text = templatedText(entry.value, isSecret: isSecret), isHeaderValue(text, of: entry.value)
            else { return nil }
            return (entry, text)
        }
    }

    func params(_ mapping: YAMLMapping) -> [(YAMLMapping.Entry, [ConfiguredText])] {
        mapping.entries.compactMap { entry in
            guard !entry.key.isEmpty else {
                return issues.failed(at: entry.keyPlace, "a parameter has no name", hint: "write 'name: value'")
            }
            guard !holdsVariable(entry) else { return nil }
            if entry.key.hasPrefix("amp;"), entry.key.count > 4 {
                issues.warn(
                    at: entry.keyPlace,
                    "the parameter '\(entry.key.prefix(60))' begins with 'amp;', as behind &amp; in the text of a web page",
                    hint: "write \(YAMLText.scalar(String(entry.key.dropFirst(4))))")
            }
            return templatedTexts(of: entry).map { (entry, $0) }
        }
    }

    /// Reads a text or a list of them, with placeholders. If one element is a secret, all are: what a server repeats
    /// under that name is removed from links, and put back as a whole.
    private func templatedTexts(of entry: YAMLMapping.Entry) -> [ConfiguredText]? {
        let value = entry.value
        guard value.node.sequence != nil else {
            let isSecret = SensitiveName.isParameter(entry.key, value: value.plainOrQuotedText)
            return templatedText(value, isSecret: isSecret).map { [$0] }
        }
        let texts = value.elements { element in
            let isSecret = SensitiveName.isParameter(entry.key, value: element.plainOrQuotedText)
            return templatedText(element, isSecret: isSecret)
        }
        guard let texts else { return nil }
        guard !texts.isEmpty else {
            return value.failed("'\(value.name)' is empty", hint: "write a text or a list of texts, or remove the line")
        }
        guard texts.contains(where: { $0.literal == nil }) else { return texts }
        if let placeholder = texts.compactMap(\.literal).flatMap({ Template($0).placeholders }).first {
            return value.failed(
                "'\(value.name)' holds a secret and the placeholder '\(placeholder)'",
                hint: "give them two names; secrets are never looked into")
        }
        return texts.map { text in text.literal.map { .secret(Secret($0)) } ?? text }
    }

    /// Returns true and notes an issue if a name holds `${…}`.
    func holdsVariable(_ entry: YAMLMapping.Entry) -> Bool {
        guard entry.key.contains("${") else { return false }
        issues.fail(at: entry.keyPlace, "a name cannot hold '${…}'", hint: YAMLValue.placesOfVariables)
        return true
    }

    /// Checks that a header's name is a token (RFC 9110, 5.1). The issue does not show the name, since it may be a
    /// misplaced value.
    func isHeaderName(_ name: String, _ place: ConfigurationPlace) -> Bool {
        if HeaderSyntax.isName(name) { return true }
        issues.fail(
            at: place, "this name of a header cannot be sent",
            hint: name.contains("/")
                ? "put the whole value into quotes if this is the part behind a comma, as in Accept: \"text/plain, text/html\""
                : "use letters, digits and '-', as in X-API-Key")
        return false
    }

    func headerName(_ value: YAMLValue) -> String? {
        name(value).flatMap { isHeaderName($0, value.place) ? $0 : nil }
    }
}

extension ConfigurationReader {
    /// The limit of nesting. Aliases may nest deeper than the file does.
    private static let maximumDepth = 64

    func body(_ value: YAMLValue) -> BodyValue? {
        if value.isNull {
            return value.failed("'\(value.name)' is empty", hint: "write json: { query: … }, or remove it")
        }
        return bodyValue(value, isSecret: false, depth: 0)
    }

    /// Reads a form: names with a text, or with a list of texts.
    func form(_ value: YAMLValue) -> BodyValue? {
        guard let mapping = value.mapping(hint: "write form: { name: value }") else { return nil }
        let members = mapping.entries.compactMap { entry -> BodyValue.Member? in
            guard !holdsVariable(entry), let texts = templatedTexts(of: entry) else { return nil }
            let values = texts.map { BodyValue.text($0) }
            return BodyValue.Member(name: entry.key, value: values.count == 1 ? values[0] : .array(values))
        }
        return members.count == mapping.entries.count ? .object(members) : nil
    }

    func rawBody(_ value: YAMLValue) -> BodyValue? {
        if let keys = value.writtenKeys, !keys.isEmpty, !keys.contains("file") {
            return value.failed(
                "'\(value.name)' must be text, not a mapping", hint: "write 'json:' or 'form:' in the place of 'body:'")
        }
        return templatedText(value, isSecret: false).map { .text($0) }
    }

    private func bodyValue(_ value: YAMLValue, isSecret: Bool, depth: Int) -> BodyValue? {
        guard depth < Self.maximumDepth else {
            return value.failed("'json' nests too deeply", hint: "nest less deeply")
        }
        switch value.node.content {
        case .mapping: return object(value, depth: depth)
        case .sequence:
            return value.elements { bodyValue($0, isSecret: isSecret, depth: depth + 1) }.map { .array($0) }
        case .scalar where value.isNull: return .null
        case .scalar: return scalar(value, isSecret: isSecret)
        }
    }

    private func object(_ value: YAMLValue, depth: Int) -> BodyValue? {
        guard let mapping = value.mapping(), depth == 0 || !failsAsBareBraces(value, mapping) else { return nil }
        let members = mapping.entries.compactMap { entry -> BodyValue.Member? in
            guard !holdsVariable(entry) else { return nil }
            let isSecret = SensitiveName.isParameter(entry.key, value: entry.value.plainOrQuotedText)
            return bodyValue(entry.value, isSecret: isSecret, depth: depth + 1).map {
                BodyValue.Member(name: entry.key, value: $0)
            }
        }
        return members.count == mapping.entries.count ? .object(members) : nil
    }

    private func scalar(_ value: YAMLValue, isSecret: Bool) -> BodyValue? {
        // "!!str 1" is a text. Without a tag, YAML's core schema tells numbers and booleans from texts.
        guard let text = value.plainText, !value.isTaggedAsText else {
            return templatedText(value, isSecret: isSecret).map { .text($0) }
        }
        if ["true", "True", "TRUE"].contains(text) { return .flag(true) }
        if ["false", "False", "FALSE"].contains(text) { return .flag(false) }
        // Most texts are none, and making the expressions takes a third of a millisecond.
        guard let first = text.utf8.first, PercentEncoding.isDigit(first) || "+-.".utf8.contains(first) else {
            return templatedText(value, isSecret: isSecret).map { .text($0) }
        }
        if text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil { return .number(text) }
        if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+/) != nil
            || text.wholeMatch(of: /[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)/) != nil
        {
            return value.failed(
                "'\(value.name)' is a number that JSON cannot spell", hint: "write it as 5 or 0.5, or in quotes")
        }
        return templatedText(value, isSecret: isSecret).map { .text($0) }
    }
}
