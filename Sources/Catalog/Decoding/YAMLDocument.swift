import GarnerModel
import GarnerYAML

/// The only document of a file.
enum YAMLDocument {
    /// Returns the root. Notes an issue and returns nil if the text is no YAML or is empty.
    static func root(of text: String, issues: IssueCollector) -> YAMLValue? {
        // Editors of some systems begin a file with a byte order mark.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        issues.text = text
        if let mark = ForeignLine.mark(in: text) {
            fail(of: mark, issues)
            return nil
        }
        do {
            guard let node = try YAMLComposer.root(of: text) else { return failEmpty(issues) }
            let root = YAMLValue(node, name: "", issues: issues)
            if node.scalar != nil, !root.isNull, failsOfForeignLines(in: text, issues) { return nil }
            return root.isNull ? failEmpty(issues) : root
        } catch {
            if !failsOfForeignLines(in: text, issues) { note(error, in: text, issues) }
            return nil
        }
    }

    /// Notes an issue for lines that are left of something else. Returns false if there are none.
    private static func failsOfForeignLines(in text: String, _ issues: IssueCollector) -> Bool {
        guard let found = ForeignLine.first(in: text) else { return false }
        fail(of: found, issues)
        return true
    }

    private static func fail(of found: ForeignLine, _ issues: IssueCollector) {
        issues.fail(
            at: ConfigurationPlace(file: issues.file, line: found.line, column: 1), "not valid YAML: \(found.problem)",
            hint: found.hint)
    }

    private static func failEmpty(_ issues: IssueCollector) -> YAMLValue? {
        return issues.failed(
            at: ConfigurationPlace(file: issues.file, line: 1, column: 1), "the file is empty",
            hint: issues.isOfIncludedFile
                ? "write 'sources:' with a source below it, or take the file out of 'include'"
                : issues.text.allSatisfy(\.isWhitespace)
                    ? "'garner init URL' writes a file to begin with in its place"
                    : "write 'version: 1' below its comments; then 'garner add URL' adds a stream")
    }

    private static func note(_ error: YAMLError, in text: String, _ issues: IssueCollector) {
        switch error {
        case .malformed(let problem, let mark, _) where problem.contains("another document"):
            issues.fail(
                at: issues.place(mark), "not valid YAML: the file holds two documents, of which the second begins here",
                hint: "remove line \(mark.line) ('---') if they are one, else what follows it")
        case .malformed(let problem, let mark, let context):
            let begin = context.map { " (\($0.text) from line \($0.mark.line))" } ?? ""
            let line = line(mark.line, of: text)
            let alias = problem.contains("undefined alias") ? alias(in: line, mark) : nil
            let hint = alias.map { anchoring($0, issues) } ?? hint(problem: problem, line: line)
            let words =
                alias.map { "no anchor '&\($0)' stands above '*\($0)'" }
                ?? (hint == quoting ? plainWords(for: line, context?.mark ?? mark) : problem + begin)
            issues.fail(at: issues.place(mark), "not valid YAML: \(words)", hint: hint)
            if !isIndentedByTab(line) {
                issues.note(Slip(line: mark.line, context: context?.mark.line, isYAML: true))
            }
        case .forbiddenCharacter(let problem, let mark):
            issues.fail(
                at: issues.place(mark), "not valid YAML: \(problem)",
                hint: "remove the character, or write it as an escape in double quotes")
        case .duplicateKey(let key, let mark, let firstLine):
            if key.hasPrefix("-") { issues.note(Slip(line: mark.line, isYAML: true)) }
            issues.fail(
                at: issues.place(mark), "duplicate key '\(key.prefix(60))'",
                hint: firstLine == mark.line
                    ? "keep one of them" : "it is already on line \(firstLine): keep one of them")
        case .nestedTooDeeply(let mark):
            issues.fail(at: issues.place(mark), "nested too deeply", hint: "nest less deeply")
        case .outOfMemory:
            issues.fail(
                at: ConfigurationPlace(file: issues.file), "not read: there is not enough memory", hint: nil)
        }
    }

    /// The hint for a text that begins as something else of YAML does.
    private static let quoting = "put the text in quotes"

    /// Returns the problem of a line whose text needs quotes.
    private static func plainWords(for line: String, _ mark: YAMLMark) -> String {
        let start = beginsAsIndicator(line) ? value(in: line) : line.dropFirst(max(0, mark.column - 1))
        return "a text that begins with '\(start.prefix(1))' needs quotes"
    }

    /// Returns the name of the alias at a place; nil if a path is meant there.
    private static func alias(in line: String, _ mark: YAMLMark) -> Substring? {
        guard !line.contains(/record_selector: +\*[A-Za-z_]/) else { return nil }
        return line.dropFirst(max(0, mark.column - 1)).prefixMatch(of: /\*([\w-]{1,60})/)?.1
    }

    private static func anchoring(_ name: Substring, _ issues: IssueCollector) -> String {
        "define the anchor ('&\(name)') above its use"
            + (issues.isOfIncludedFile ? " in this file: it knows none of the other files" : "")
    }

    private static func hint(problem: String, line: String) -> String {
        if isIndentedByTab(line) { return "indent with spaces, not with tabs" }
        if let match = line.firstMatch(of: /record_selector: +\*([A-Za-z_]\w*)/), problem.contains("undefined alias") {
            return "write record_selector: \"$.\(match.1)[*]\""
        }
        if line.contains("${"), !line.contains("\"") { return "put the text with ${…} in double quotes" }
        if problem.contains("expected ',' or") {
            return "close the bracket, and put texts with '{', '}', '[', ']' or ',' in quotes"
        }
        if problem.contains("cannot start any token") || problem.contains("alphabetic or numeric") {
            return quoting
        }
        if problem.contains("mapping values") {
            return "put a text with ': ' in quotes; keys of one mapping begin in the same column"
        }
        if problem.contains("unknown escape character") {
            return "write '\\\\' for a backslash, or put the text in single quotes"
        }
        if beginsAsIndicator(line) { return quoting }
        if problem.contains("expected key"), line.last(where: { $0 != " " }) == "," {
            return "remove the comma at the end of each line: only what stands in brackets has commas"
        }
        return "look at the indentation, quotes, brackets and colons near this line"
    }

    /// Returns true if the value on a line begins with a character that means something to YAML, as in `path: {id}/notes`.
    private static func beginsAsIndicator(_ line: String) -> Bool {
        let value = value(in: line)
        guard value.first == "{", let end = value.firstIndex(of: "}") else {
            return value.first.map { "*&!%@`".contains($0) } ?? false
        }
        return value[value.index(after: end)...].first.map { !$0.isWhitespace && $0 != "," && $0 != "}" } ?? false
    }

    private static func value(in line: String) -> Substring {
        let content = line.drop { $0 == " " || $0 == "-" }
        return content.firstRange(of: ": ").map { content[$0.upperBound...].drop { $0 == " " } } ?? content
    }

    private static func isIndentedByTab(_ line: String) -> Bool {
        line.prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }

    private static func line(_ number: Int, of text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.indices.contains(number - 1) ? String(lines[number - 1]) : ""
    }
}

extension IssueCollector {
    func place(_ mark: YAMLMark) -> ConfigurationPlace {
        ConfigurationPlace(file: file, line: mark.line, column: mark.column)
    }
}
