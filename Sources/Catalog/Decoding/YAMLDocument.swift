internal import Yams

/// The only document of a file.
enum YAMLDocument {
    /// Returns the root. Notes an issue and returns nil if the text is no YAML or is empty.
    static func root(of text: String, issues: IssueCollector) -> YAMLValue? {
        // Editors of some systems begin a file with a byte order mark.
        var text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        text.makeContiguousUTF8()
        do {
            guard !nestsTooDeeply(text) else {
                issues.fail(at: ConfigurationPlace(file: issues.file), "nested too deeply", hint: "nest less deeply")
                return nil
            }
            guard !text.isEmpty, let node = try compose(yaml: text, resolver(for: text), Constructor([:], [:], [:]))
            else { return failEmpty(issues) }
            let root = YAMLValue(node, name: "", issues: issues)
            return root.isNull ? failEmpty(issues) : root
        } catch let error as YamlError {
            note(error, in: text, issues)
        } catch {
            issues.fail(at: ConfigurationPlace(file: issues.file), "not valid YAML", hint: nil)
        }
        return nil
    }

    /// Returns the resolver that tells the kinds of keys; the parser asks for no other kinds. The full one needs
    /// regular expressions that take 2 ms to make, so it is used only if a key may be an anchor.
    private static func resolver(for text: String) -> Resolver {
        text.utf8.contains(UInt8(ascii: "&")) ? .default : .basic
    }

    /// Returns true if the text would make the parser recurse too deeply. The thread's stack may be half a megabyte,
    /// and no configuration needs a tenth of it. Brackets in texts and comments count too until they are closed.
    private static func nestsTooDeeply(_ text: String) -> Bool {
        var depth = 0
        var indentation: Int? = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
            default: break
            }
            // Each block inside a block begins further to the right, even on one line: "- - - x".
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): indentation = 0
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
                indentation = indentation.map { $0 + 1 }
            default: indentation = nil
            }
            if depth > 64 || (indentation ?? 0) > 256 { return true }
        }
        return false
    }

    private static func failEmpty(_ issues: IssueCollector) -> YAMLValue? {
        issues.fail(
            at: ConfigurationPlace(file: issues.file, line: 1, column: 1), "the file is empty",
            hint: "write 'version: 1', or let 'garner init' write a file to begin with")
        return nil
    }

    private static func note(_ error: YamlError, in text: String, _ issues: IssueCollector) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let begin = context.map { " (\($0.text) from line \($0.mark.line))" } ?? ""
            issues.fail(
                at: place(mark.line, mark.column, issues), "not valid YAML: \(problem)\(begin)",
                hint: hint(problem: problem, line: line(mark.line, of: text)))
        case .reader(let problem, let offset, _, _):
            let end = offset.flatMap { text.index(text.startIndex, offsetBy: $0, limitedBy: text.endIndex) }
            let (line, column) = position(of: end ?? text.startIndex, in: text)
            issues.fail(
                at: place(line, column, issues), "not valid YAML: \(problem)",
                hint: "remove the character, or write it as an escape in double quotes")
        case .duplicatedKeysInMapping(let names, let context):
            // The context's text is the whole file, which must not be shown.
            let name = names.first ?? ""
            let second = secondPlace(of: name, line: context.mark.line, column: context.mark.column, in: text)
            let hint =
                second == nil ? "keep one of them" : "it is already on line \(context.mark.line): keep one of them"
            issues.fail(
                at: place(second ?? context.mark.line, context.mark.column, issues),
                "duplicate key '\(name.prefix(60))'", hint: hint)
        case .memory:
            issues.fail(
                at: ConfigurationPlace(file: issues.file), "not valid YAML: nested too deeply", hint: "nest less deeply"
            )
        default:
            issues.fail(at: ConfigurationPlace(file: issues.file), "not valid YAML", hint: nil)
        }
    }

    private static func hint(problem: String, line: String) -> String {
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") { return "indent with spaces, not with tabs" }
        if problem.contains("undefined alias") { return "define the anchor ('&name') above its use" }
        if problem.contains("another document") { return "remove what follows '---'" }
        if line.contains("${"), !line.contains("\"") { return "put the text with ${…} in double quotes" }
        if problem.contains("expected ',' or") {
            return "close the bracket, and put texts with '{', '}', '[', ']' or ',' in quotes"
        }
        if problem.contains("cannot start any token") { return "put the text in quotes" }
        if problem.contains("mapping values") {
            return "put a text with ': ' in quotes; keys of one mapping begin in the same column"
        }
        return "look at the indentation, quotes, brackets and colons near this line"
    }

    /// Returns the line of the second key in a block mapping. It has the same column as the first one.
    private static func secondPlace(of key: String, line first: Int, column: Int, in text: String) -> Int? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard first > 0, first < lines.count else { return nil }
        for (index, line) in lines.enumerated().dropFirst(first) {
            let content = line.drop { $0 == " " }
            if content.isEmpty || content.first == "#" { continue }
            let indentation = line.count - content.count
            if indentation < column - 1 { return nil }
            guard indentation == column - 1 else { continue }
            if [key, "\"\(key)\"", "'\(key)'"].contains(where: {
                content.hasPrefix($0 + ":") || content.hasPrefix($0 + " :")
            }) {
                return index + 1
            }
        }
        return nil
    }

    private static func line(_ number: Int, of text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.indices.contains(number - 1) ? String(lines[number - 1]) : ""
    }

    private static func position(of index: String.Index, in text: String) -> (line: Int, column: Int) {
        let before = text[..<index]
        let line = before.count { $0.isNewline } + 1
        let column = before.reversed().prefix { !$0.isNewline }.count + 1
        return (line, column)
    }

    private static func place(_ line: Int, _ column: Int, _ issues: IssueCollector) -> ConfigurationPlace {
        ConfigurationPlace(file: issues.file, line: line, column: column)
    }
}

internal import LibC

/// A text file, read whole up to a limit.
struct TextFile {
    enum ReadError: Error {
        case missing
        /// The reason for people, without the path.
        case unreadable(reason: String)
    }

    let text: String

    /// Reads the file.
    ///
    /// - Parameter isOnDisk: true if a pipe or a device, which may never end, is refused.
    init(path: String, maximumBytes: Int, isOnDisk: Bool = false) throws(ReadError) {
        // A NUL would end the C string early and open another file.
        guard !path.utf8.contains(0) else { throw .missing }
        // Without O_NONBLOCK, opening a pipe waits until somebody writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isOnDisk ? O_NONBLOCK : 0))
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(reason: String(cString: strerror(errno)))
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard !isOnDisk || (fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG) else {
            throw .unreadable(reason: "it is a pipe, a device or the like instead of a file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(reason: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= maximumBytes else {
                throw .unreadable(reason: "it is larger than \(ByteSize.format(maximumBytes))")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(reason: "it is not UTF-8 text")
        }
        self.text = text
    }
}
