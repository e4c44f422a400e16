/// The words of cmd.exe on Windows: first cmd's own `^` and quotes, then what the program does with the rest.
struct CommandPromptWords {
    private var rest: ArraySlice<Unicode.Scalar>

    init(_ text: String) { rest = Array(text.unicodeScalars)[...] }

    mutating func split() throws(CurlError) -> WordsRead {
        var line = commandLine()[...]
        var read = WordsRead()
        var isQuoted = false
        while let scalar = line.popFirst() {
            switch scalar {
            case "\\":
                let count = line.prefix { $0 == "\\" }.count + 1
                line = line.dropFirst(count - 1)
                // The program halves backslashes before a quote only. Browsers double all of them.
                for _ in 0..<(line.first == "\"" ? count / 2 : (count + 1) / 2) { read.append("\\") }
                if count % 2 == 1, line.first == "\"" {
                    line.removeFirst()
                    read.append("\"")
                }
            case "\"" where isQuoted && line.first == "\"":
                line.removeFirst()
                read.append(scalar)
            case "\"":
                read.open()
                isQuoted.toggle()
            case " ", "\t": if isQuoted { read.append(scalar) } else { read.end() }
            default: read.append(scalar)
            }
        }
        guard !isQuoted else { throw CurlText.unclosed("\"") }
        read.end(before: rest)
        return read
    }

    /// Returns what cmd passes to the program.
    private mutating func commandLine() -> [Unicode.Scalar] {
        var line: [Unicode.Scalar] = []
        var isQuoted = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "^" where !isQuoted:
                // A caret continues the line, and makes a character that follows literal: two line breaks are one.
                if rest.isAtLineEnd {
                    rest.takeLineBreak()
                    guard rest.isAtLineEnd else { continue }
                    rest.takeLineBreak()
                    line.append("\n")
                } else if let next = rest.popFirst() {
                    line.append(next)
                }
            case "\"":
                isQuoted.toggle()
                line.append(scalar)
            case "&", "|", "<", ">":
                guard isQuoted else {
                    rest = [scalar] + rest
                    return line
                }
                line.append(scalar)
            case "\n", "\r":
                if line.contains(where: { !$0.properties.isWhitespace }) { return line }
            default: line.append(scalar)
            }
        }
        return line
    }
}

/// The words of PowerShell, for curl.exe.
struct PowerShellWords {
    private var rest: ArraySlice<Unicode.Scalar>
    private var read = WordsRead()

    init(_ text: String) { rest = Array(text.unicodeScalars)[...] }

    mutating func split() throws(CurlError) -> WordsRead {
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t": read.end()
            case "\n", "\r":
                read.end(before: rest)
                if !read.isEmpty { return read }
            case "`": takeEscaped()
            case "'", "\"": try takeQuoted(scalar)
            case "$": read.append(takeVariable())
            case ">" where read.isInWord: read.append(scalar)
            case "|", ";", ">":
                read.end(before: [scalar] + rest)
                return read
            default: read.append(scalar)
            }
        }
        read.end()
        return read
    }

    private mutating func takeEscaped() {
        if rest.isAtLineEnd { return rest.takeLineBreak() }
        switch rest.popFirst() {
        case "n": read.append("\n")
        case "r": read.append("\r")
        case "t": read.append("\t")
        case let next?: read.append(next)
        case nil: break
        }
    }

    private mutating func takeQuoted(_ quote: Unicode.Scalar) throws(CurlError) {
        read.open()
        while let scalar = rest.popFirst() {
            switch scalar {
            case quote:
                guard rest.first == quote else { return }
                read.append(quote)
                rest.removeFirst()
            // PowerShell hands quotes on without an escape of their own, so people add one.
            case "\\" where rest.starts(with: "`\"".unicodeScalars):
                rest = rest.dropFirst(2)
                read.append("\"")
            case "\\" where rest.first == "\"":
                rest.removeFirst()
                read.append("\"")
            case "`" where quote == "\"": takeEscaped()
            case "$" where quote == "\"": read.append(takeVariable())
            default: read.append(scalar)
            }
        }
        throw CurlText.unclosed(String(quote))
    }

    private mutating func takeVariable() -> String {
        if rest.starts(with: "env:".unicodeScalars) { rest = rest.dropFirst(4) }
        return rest.takeName().map { "${\($0)}" } ?? "$"
    }
}
