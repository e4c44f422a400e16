import GarnerModel

/// The reason why a curl command cannot be taken. It repeats no value, which may be a secret.
package struct CurlError: Error, Equatable {
    package let message: String
    package let hint: String
}

extension CurlError {
    /// Returns the error on credentials without a value.
    ///
    /// - Parameter name: the option, or the header in words.
    static func lack(in name: String) -> CurlError {
        CurlError(
            message: "\(name) has no value; a shell puts nothing in the place of a variable that is not set",
            hint: "export the variable first; or let the file name it, in single quotes: "
                + "-H 'Authorization: Bearer ${API_TOKEN}'")
    }

    /// Returns the error on a header of credentials without a value, as in `Authorization: Bearer `; nil for any other one.
    package init?(lackingIn header: String) {
        guard let colon = header.dropFirst().firstIndex(of: ":") else { return nil }
        let name = String(header[..<colon].trimming(while: \.isWhitespace))
        let value = String(header[colon...].dropFirst().trimming(while: \.isWhitespace)).lowercased()
        // `Name:` asks curl to leave a field of its own out. What is left of a variable ends with a space.
        let isEmpty = value.isEmpty && header.last?.isWhitespace == true && SensitiveName.isHeader(name)
        let isScheme = ["bearer", "token", "basic", "apikey"].contains(value) && name.lowercased() == "authorization"
        guard isEmpty || isScheme else { return nil }
        self = .lack(in: "the header '\(name)'")
    }
}

/// The text of a command, which is split into words as the shell splits it for which it is written.
///
/// A variable that a shell would insert becomes `${NAME}`, and the file keeps it.
enum CurlText {
    static func read(_ text: String) throws(CurlError) -> WordsRead {
        switch shell(of: text) {
        case .sh:
            var words = POSIXWords(text)
            return try words.split()
        case .cmd:
            var words = CommandPromptWords(text)
            return try words.split()
        case .powerShell:
            var words = PowerShellWords(text)
            return try words.split()
        }
    }

    private enum Shell { case sh, cmd, powerShell }

    private static func shell(of text: String) -> Shell {
        let lines = text.split(whereSeparator: \.isNewline).dropLast()
        func someLine(endsWith mark: Character) -> Bool { lines.contains { $0.last { $0 != " " } == mark } }
        if text.firstMatch(of: /(^|\s)\^"/) != nil || someLine(endsWith: "^") { return .cmd }
        if someLine(endsWith: "`") || text.firstMatch(of: /^\s*(PS [^>]*> *)?curl\.exe\s/) != nil { return .powerShell }
        // No shell but cmd has a use for two quotes within a word.
        return !text.contains("'") && text.firstMatch(of: /[^\s\\]""[^\s]/) != nil ? .cmd : .sh
    }

    static func unclosed(_ quote: String) -> CurlError {
        CurlError(
            message: "the command ends within quotes (\(quote))",
            hint: "copy all of the command, to its last line")
    }
}

/// The words that have been read, and the one that is being read.
struct WordsRead {
    private(set) var words: [String] = []
    /// The sign and the program of a pipe or of a second command that follows; nil if nothing does.
    private(set) var left: String?
    /// True if the shell gives the command its standard input, as a here-document does.
    var hasInput = false
    private var bytes: [UInt8]?
    /// True if the next word is the file of a redirection.
    var isRedirection = false

    init(_ words: [String] = []) { self.words = words }

    var isInWord: Bool { bytes != nil }
    var isEmpty: Bool { words.isEmpty && bytes == nil }
    /// True if the word consists of digits, as the number before a redirection does.
    var isNumber: Bool { bytes?.allSatisfy(PercentEncoding.isDigit) ?? false }

    /// Begins a word, which may stay empty.
    mutating func open() { bytes = bytes ?? [] }

    mutating func append(_ scalar: Unicode.Scalar) { append(String(scalar)) }

    mutating func append(_ text: String) {
        open()
        bytes?.append(contentsOf: Array(text.utf8))
    }

    mutating func append(byte: UInt8) {
        open()
        bytes?.append(byte)
    }

    mutating func drop() { bytes = nil }

    mutating func end() {
        guard let bytes else { return }
        if !isRedirection { words.append(String(decoding: bytes, as: UTF8.self)) }
        isRedirection = false
        self.bytes = nil
    }

    /// Ends the last word. What follows may hold secrets, so that only the name of its program is kept.
    mutating func end(before rest: ArraySlice<Unicode.Scalar>) {
        end()
        let isName = { (scalar: Unicode.Scalar) in
            scalar.properties.isAlphabetic || "0123456789._-/".unicodeScalars.contains(scalar)
        }
        let sign = rest.prefix { "|&;>".unicodeScalars.contains($0) }
        let name = rest.dropFirst(sign.count).drop(while: \.properties.isWhitespace).prefix(while: isName)
        guard !hasInput, !name.isEmpty else { return }
        left = ([sign, name].map { String(String.UnicodeScalarView($0)) }).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension ArraySlice<Unicode.Scalar> {
    var isAtLineEnd: Bool { first == "\n" || first == "\r" }

    /// Takes a line break, which may be CR LF.
    mutating func takeLineBreak() {
        if first == "\r" { removeFirst() }
        if first == "\n" { removeFirst() }
    }

    /// Takes the name of a variable, with or without braces; nil if there is none.
    mutating func takeName() -> String? {
        let isBraced = first == "{"
        let name = (isBraced ? dropFirst() : self).prefix {
            $0 == "_" || $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0)
        }
        guard let letter = name.first, !("0"..."9").contains(letter) else { return nil }
        if isBraced, self[name.endIndex...].first != "}" { return nil }
        self = self[name.endIndex...].dropFirst(isBraced ? 1 : 0)
        return String(String.UnicodeScalarView(name))
    }
}

/// The words of a POSIX shell, with the `$'…'` of bash and zsh.
private struct POSIXWords {
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
            case "\\": takeEscaped()
            case "'", "\"": try takeQuoted(scalar)
            case "$": try takeDollar(isQuoted: false)
            case "`": throw Self.substitution
            case "#" where !read.isInWord: rest = rest.drop { $0 != "\n" }
            case ">", "<": redirect(scalar)
            case "&" where read.isInWord && !(rest.first.map { " \t\n\r&".unicodeScalars.contains($0) } ?? true):
                throw CurlError(
                    message: "the command has '&' outside quotes, where a shell would end it",
                    hint: "put the URL into quotes")
            case "|", ";", "&":
                read.end(before: [scalar] + rest)
                return read
            default: read.append(scalar)
            }
        }
        read.end()
        return read
    }

    private mutating func takeEscaped() {
        // A space behind the backslash of a line's end is a slip of those who copy.
        let behind = rest.drop { $0 == " " || $0 == "\t" }
        if behind.isAtLineEnd || behind.isEmpty {
            rest = behind
            rest.takeLineBreak()
        } else if let next = rest.popFirst() {
            read.append(next)
        }
    }

    private mutating func takeQuoted(_ quote: Unicode.Scalar) throws(CurlError) {
        read.open()
        while let scalar = rest.popFirst() {
            switch scalar {
            case quote: return
            case _ where quote == "'": read.append(scalar)
            case "`": throw Self.substitution
            case "$": try takeDollar(isQuoted: true)
            case "\\":
                if rest.isAtLineEnd {
                    rest.takeLineBreak()
                } else if let next = rest.first, "$`\"\\".unicodeScalars.contains(next) {
                    read.append(next)
                    rest.removeFirst()
                } else {
                    read.append(scalar)
                }
            default: read.append(scalar)
            }
        }
        throw CurlText.unclosed(String(quote))
    }

    private mutating func takeDollar(isQuoted: Bool) throws(CurlError) {
        if rest.first == "(" { throw Self.substitution }
        if !isQuoted, rest.first == "'" {
            rest.removeFirst()
            return try takeEscapes()
        }
        if !isQuoted, rest.first == "\"" { return }
        read.append(rest.takeName().map { "${\($0)}" } ?? "$")
    }

    private static let substitution = CurlError(
        message: "the command has a part that only a shell can run, such as $(…)",
        hint: "write a variable such as ${TOKEN} in its place, and export it")

    private mutating func redirect(_ sign: Unicode.Scalar) {
        if sign == "<" { read.hasInput = true }
        if read.isNumber { read.drop() }
        read.end()
        while let next = rest.first, ">&<".unicodeScalars.contains(next) { rest.removeFirst() }
        read.isRedirection = true
    }

    /// Takes the text of `$'…'`.
    private mutating func takeEscapes() throws(CurlError) {
        read.open()
        while let scalar = rest.popFirst() {
            if scalar == "'" { return }
            guard scalar == "\\", let escape = rest.popFirst() else {
                read.append(scalar)
                continue
            }
            switch escape {
            case "n": read.append("\n")
            case "t": read.append("\t")
            case "r": read.append("\r")
            case "a": read.append(byte: 7)
            case "b": read.append(byte: 8)
            case "e", "E": read.append(byte: 27)
            case "f": read.append(byte: 12)
            case "v": read.append(byte: 11)
            case "x":
                if let byte = takeNumber(radix: 16, digits: 2) { read.append(byte: UInt8(truncatingIfNeeded: byte)) }
            case "u": takeUnit()
            case "U":
                if let scalar = takeNumber(radix: 16, digits: 8).flatMap(Unicode.Scalar.init) { read.append(scalar) }
            case "0"..."7":
                rest = [escape] + rest
                if let byte = takeNumber(radix: 8, digits: 3) { read.append(byte: UInt8(truncatingIfNeeded: byte)) }
            case "\\", "'", "\"", "?": read.append(escape)
            default:
                read.append(scalar)
                read.append(escape)
            }
        }
        throw CurlText.unclosed("$'")
    }

    /// Takes the digits of `\uXXXX`. Browsers write a character beyond the first 65,536 as two of them.
    private mutating func takeUnit() {
        guard let unit = takeNumber(radix: 16, digits: 4) else { return }
        if let scalar = Unicode.Scalar(unit) { return read.append(scalar) }
        var behind = self
        guard behind.rest.popFirst() == "\\", behind.rest.popFirst() == "u",
            let low = behind.takeNumber(radix: 16, digits: 4), unit < 0xDC00, (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return read.append("\u{FFFD}") }
        rest = behind.rest
        read.append(scalar)
    }

    private mutating func takeNumber(radix: Int, digits: Int) -> UInt32? {
        let text = rest.prefix(digits).prefix { UInt32(String($0), radix: radix) != nil }
        rest = rest[text.endIndex...]
        return UInt32(String(String.UnicodeScalarView(text)), radix: radix)
    }
}
