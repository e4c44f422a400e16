import GarnerCatalog

/// The use of a text. It decides which characters are escaped.
enum TextUse {
    /// A parameter, a header or a member of a body, which may hold placeholders.
    case request
    /// A query of GraphQL, in which white space may follow each brace.
    case graphQL
    /// A URL, in which placeholders may stand beside secrets.
    case url
    /// A value that is the same for all requests.
    case open
}

extension StreamTranslation {
    /// Returns a value as the configuration has it; nil where nothing is sent.
    func written(_ value: JinjaValue) throws -> FileValue? { try written(value, for: .request) }

    func written(_ value: JinjaValue, for use: TextUse) throws -> FileValue? {
        let value = assuming(value, token: nil)
        switch value {
        case .missing, .null, .text(""): return nil
        case .bool(let bool): return .bool(bool)
        case .integer(let integer): return .int(integer)
        case .number: return .plain(Self.text(of: value))
        case .list(let values):
            let written = try values.compactMap { try self.written($0, for: use) }
            return written.isEmpty ? nil : .list(written)
        case .mapping: throw LossError(.requestOption, "an object in a text")
        default: return .text(try writtenText([value], for: use))
        }
    }

    /// Returns a text as the configuration has it; nil where nothing is sent.
    func text(_ node: ManifestNode?, of component: ManifestNode, for use: TextUse) throws -> String? {
        guard let node else { return nil }
        do {
            switch try written(try value(node, of: component), for: use) {
            case .text(let text)?, .plain(let text)?: return text
            case nil: return nil
            default: throw LossError(.requestOption, "a list in a text", at: node)
            }
        } catch let error as LossError {
            throw LossError(error.loss.code, error.loss.detail, at: node, effect: error.loss.effect)
        }
    }

    /// Puts a text together of what is known, of secrets and of placeholders.
    private func writtenText(_ values: [JinjaValue], for use: TextUse) throws -> String {
        var pieces: [Piece] = []
        try collect(values, into: &pieces)
        let placeholders = pieces.count { if case .placeholder = $0 { true } else { false } }
        let secrets = pieces.count { if case .secret = $0 { true } else { false } }
        if secrets > 0, placeholders > 0, use != .url {
            throw LossError(.secretInText, "a secret and a placeholder in one text")
        }
        if use == .open, placeholders > 0 { throw LossError(.authenticator, "a value that differs between requests") }
        // The literal pieces, with the others as they are written.
        var open = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): open += Self.spelled(text, for: use)
            case .placeholder(let text): open += text
            case .secret: open += "*"
            }
        }
        if use == .request || use == .graphQL {
            let names = Template.unknownNames(in: open)
            guard names.isEmpty, Template(open).placeholders.count == placeholders else {
                let detail = names.first.map { "'{\($0.prefix(40))}' is text and would be a placeholder" }
                throw LossError(.bodyTemplate, detail ?? "a dollar or a brace before a placeholder")
            }
        }
        // In a URL without variables, a dollar stands for itself.
        guard use != .url || secrets > 0 else { return open }
        let isDoubled = pieces.contains { if case .literal(let text) = $0 { Self.needsDollars(text) } else { false } }
        return pieces.map { piece in
            switch piece {
            case .literal(let text):
                let text = Self.spelled(text, for: use)
                return isDoubled || secrets > 0 ? text.doublingDollars : text
            case .placeholder(let text): return text
            case .secret(let name): return "${\(name)}"
            }
        }.joined()
    }

    private enum Piece {
        case literal(String)
        case placeholder(String)
        case secret(String)
    }

    private func collect(_ values: [JinjaValue], into pieces: inout [Piece]) throws {
        for value in values {
            switch value {
            case .missing, .null: break
            case .joined(let parts): try collect(parts, into: &pieces)
            case .secret(let name): pieces.append(.secret(name))
            case .operation(let name, let arguments) where arguments.contains(where: \.holdsSecret):
                let isPlain = ["string", "|string", "|safe"].contains(name)
                guard isPlain, let first = arguments.first else {
                    throw LossError(.secretInText, String(name.drop { "|.".contains($0) }))
                }
                try collect([first], into: &pieces)
            case .operation, .later, .now:
                if let bound = bound(value), !bound.format.contains("%") {
                    // A part of a time in which nothing changes.
                    pieces.append(.literal(bound.format))
                } else {
                    pieces.append(.placeholder(try pageText(value) ?? placeholder(value)))
                }
            default: pieces.append(.literal(Self.text(of: value)))
            }
        }
    }

    /// Returns true for a text with a dollar that would begin a variable, or that looks like one.
    private static func needsDollars(_ text: String) -> Bool {
        zip(text.utf8, Array(text.utf8.dropFirst()) + [0]).contains { byte, next in
            byte == UInt8(ascii: "$") && (next == 0 || "${".utf8.contains(next) || (65...90).contains(next))
        }
    }

    private static func spelled(_ text: String, for use: TextUse) -> String {
        switch use {
        case .request, .open: return text
        case .graphQL:
            var spelled = ""
            var last: Unicode.Scalar?
            for scalar in text.unicodeScalars {
                if last == "{", scalar.properties.isAlphabetic || scalar == "_" { spelled += " " }
                spelled.unicodeScalars.append(scalar)
                last = scalar
            }
            return spelled
        case .url:
            return text.unicodeScalars.map { scalar in
                if let escape = escapes[scalar] { return escape }
                return scalar.value < 0x20 || scalar.value == 0x7F ? "" : String(scalar)
            }.joined()
        }
    }

    private static let escapes: [Unicode.Scalar: String] = [
        " ": "%20", "{": "%7B", "}": "%7D", "\\": "%5C", "#": "%23",
    ]

    /// A known value as Python prints it.
    static func text(of value: JinjaValue) -> String {
        var text = PythonText(longest: 64 << 10)
        try? text.write(value)
        return text.text
    }
}

extension JinjaValue {
    /// True if a secret is in it.
    var holdsSecret: Bool { holds { if case .secret = $0 { true } else { false } } }

    /// True if the token of the next page is in it.
    var holdsPageToken: Bool { holds { $0.later?.root == .nextPageToken } }

    private func holds(_ isMeant: (JinjaValue) -> Bool) -> Bool {
        var rest = [self]
        while let value = rest.popLast() {
            if isMeant(value) { return true }
            switch value {
            case .operation(_, let values), .list(let values), .joined(let values): rest += values
            case .mapping(let members): rest += members.map(\.value)
            default: break
            }
        }
        return false
    }
}
