/// A piece of a Jinja text.
enum JinjaToken: Hashable {
    /// Text outside of braces.
    case data(String)
    /// `{{` and `}}`.
    case outputBegins, outputEnds
    /// `{%` and `%}`.
    case statementBegins, statementEnds
    case name(String)
    case text(String)
    case integer(Int)
    case number(Double)
    case symbol(String)
    case end
}

/// Cuts a Jinja text into tokens. Comments, and the whitespace that `-` takes away, make none.
struct JinjaLexer {
    private let bytes: [UInt8]
    private var place = 0
    private var tokens: [JinjaToken] = []

    private init(_ text: String) { bytes = Array(text.utf8) }

    static func tokens(ofTemplate text: String) throws(JinjaError) -> [JinjaToken] {
        var lexer = JinjaLexer(text)
        try lexer.readTemplate()
        return lexer.tokens + [.end]
    }

    static func tokens(ofExpression text: String) throws(JinjaError) -> [JinjaToken] {
        var lexer = JinjaLexer(text)
        try lexer.readCode(upTo: nil)
        return lexer.tokens + [.end]
    }

    private func byte(_ offset: Int = 0) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

    private func isAt(_ text: StaticString, offset: Int = 0) -> Bool {
        text.withUTF8Buffer { text in
            text.indices.allSatisfy { byte(offset + $0) == text[$0] }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private mutating func skipSpace() {
        while let byte = byte(), Self.isSpace(byte) { place += 1 }
    }

    // MARK: Outside of braces

    private mutating func readTemplate() throws(JinjaError) {
        var data: [UInt8] = []
        while let next = byte() {
            let isOutput = isAt("{{")
            let isStatement = isAt("{%")
            guard isOutput || isStatement || isAt("{#") else {
                data.append(next)
                place += 1
                continue
            }
            place += 2
            if byte() == UInt8(ascii: "-") {
                while let last = data.last, Self.isSpace(last) { data.removeLast() }
                place += 1
            } else if !isOutput, byte() == UInt8(ascii: "+") {
                place += 1
            }
            if !data.isEmpty { tokens.append(.data(String(decoding: data, as: UTF8.self))) }
            data = []
            if isOutput {
                tokens.append(.outputBegins)
                try readCode(upTo: UInt8(ascii: "}"))
                tokens.append(.outputEnds)
            } else if isStatement {
                tokens.append(.statementBegins)
                try readCode(upTo: UInt8(ascii: "%"))
                tokens.append(.statementEnds)
            } else {
                try skipComment()
            }
        }
        if !data.isEmpty { tokens.append(.data(String(decoding: data, as: UTF8.self))) }
    }

    private mutating func skipComment() throws(JinjaError) {
        while !isAt("#}") {
            guard place < bytes.count else { throw .syntax("a comment has no end") }
            place += 1
        }
        let takesSpace = bytes[place - 1] == UInt8(ascii: "-")
        place += 2
        if takesSpace { skipSpace() }
    }

    // MARK: In braces

    /// Reads up to `}}` or `%}`, of which this is the first byte, or up to the end of the text.
    private mutating func readCode(upTo closing: UInt8?) throws(JinjaError) {
        var brackets: [UInt8] = []
        while true {
            skipSpace()
            guard let next = byte() else {
                guard closing == nil else { throw .syntax("the text ends within braces") }
                return
            }
            if let closing, brackets.isEmpty {
                let hasSign = next == UInt8(ascii: "-") || next == UInt8(ascii: "+") && closing == UInt8(ascii: "%")
                let sign = hasSign ? 1 : 0
                if byte(sign) == closing, byte(sign + 1) == UInt8(ascii: "}") {
                    place += sign + 2
                    if next == UInt8(ascii: "-") { skipSpace() }
                    return
                }
            }
            switch next {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): try readText(quote: next)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
            case _ where Self.isOfName(next): readName()
            default: try readSymbol(next, &brackets)
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte >= 128
    }

    private mutating func readName() {
        let start = place
        while let byte = byte(), Self.isOfName(byte) || Self.isDigit(byte) { place += 1 }
        tokens.append(.name(String(decoding: bytes[start..<place], as: UTF8.self)))
    }

    private mutating func readSymbol(_ first: UInt8, _ brackets: inout [UInt8]) throws(JinjaError) {
        for symbol in ["//", "**", "==", "!=", "<=", ">="] where symbol.utf8.elementsEqual(bytes[place...].prefix(2)) {
            tokens.append(.symbol(symbol))
            place += 2
            return
        }
        let symbol = String(decoding: [first], as: UTF8.self)
        guard "+-*/%~<>=()[]{},.:|".utf8.contains(first) else { throw .syntax("a sign that Jinja does not have") }
        switch first {
        case UInt8(ascii: "("): brackets.append(UInt8(ascii: ")"))
        case UInt8(ascii: "["): brackets.append(UInt8(ascii: "]"))
        case UInt8(ascii: "{"): brackets.append(UInt8(ascii: "}"))
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard brackets.popLast() == first else { throw .syntax("'\(symbol)' closes nothing") }
        default: break
        }
        tokens.append(.symbol(symbol))
        place += 1
    }

    private mutating func digits() -> String {
        var found: [UInt8] = []
        while let byte = byte() {
            if Self.isDigit(byte) {
                found.append(byte)
            } else if byte != 95 || !(self.byte(1).map(Self.isDigit) ?? false) {
                break
            }
            place += 1
        }
        return String(decoding: found, as: UTF8.self)
    }

    private mutating func readNumber() throws(JinjaError) {
        let isStep = tokens.last == .symbol(".")
        let whole = digits()
        var text = whole
        if !isStep, byte() == UInt8(ascii: "."), let next = byte(1), Self.isDigit(next) {
            place += 1
            text += "." + digits()
        }
        let sign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-") ? 1 : 0
        if !isStep, byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E"), let next = byte(1 + sign),
            Self.isDigit(next)
        {
            text += "e" + (byte(1) == UInt8(ascii: "-") ? "-" : "")
            place += 1 + sign
            text += digits()
        }
        guard text == whole else {
            guard let number = Double(text), number.isFinite else { throw .value("a number is out of range") }
            tokens.append(.number(number))
            return
        }
        guard whole.utf8.first != 48 || whole.utf8.allSatisfy({ $0 == 48 }) else {
            throw .syntax("a number begins with 0")
        }
        guard let integer = Int(whole) else { throw .value("a number is out of range") }
        tokens.append(.integer(integer))
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8,
        UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11, UInt8(ascii: "0"): 0, 39: 39, 34: 34, 92: 92,
    ]
    private static let codes: [UInt8: Int] = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8]

    private mutating func readText(quote: UInt8) throws(JinjaError) {
        var text: [UInt8] = []
        place += 1
        while let next = byte(), next != quote {
            place += 1
            guard next == UInt8(ascii: "\\"), let escaped = byte() else {
                text.append(next)
                continue
            }
            place += 1
            if let meant = Self.escapes[escaped] {
                text.append(meant)
            } else if let length = Self.codes[escaped] {
                let digits = bytes[place...].prefix(length)
                // A number may have a sign, a code may not.
                guard digits.count == length, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                    let scalar = Unicode.Scalar(code)
                else { throw .syntax("a code after a backslash") }
                text += String(Character(scalar)).utf8
                place += length
            } else if escaped != 10 {
                // Python keeps the backslash before other letters.
                text += [next, escaped]
            }
        }
        guard byte() == quote else { throw .syntax("a text has no end") }
        place += 1
        tokens.append(.text(String(decoding: text, as: UTF8.self)))
    }
}
