import GarnerYAML

/// Reads the text of a connector's file, which is YAML or JSON, as the programs that it is made for read it.
package struct ManifestReader {
    /// The nodes of the document, where an alias counts as all that it stands for.
    private var count = 0
    /// The nodes that were made: an alias is what its anchor's node became.
    private(set) var built = 0
    /// Lists and mappings by their identity.
    private var collections: [Int: (node: ManifestNode, size: Int, height: Int)] = [:]

    init() {}

    /// Returns the only document of a text.
    package static func node(of text: String) throws(ManifestError) -> ManifestNode {
        var reader = ManifestReader()
        return try reader.read(text)
    }

    mutating func read(_ text: String) throws(ManifestError) -> ManifestNode {
        guard text.utf8.count <= ManifestLimit.bytes else {
            throw ManifestError(
                "the file has more than 4 MiB", advice: "make a smaller file of the streams that you need")
        }
        var text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        if text.prefixMatch(of: /\s*<[!?A-Za-z]/) != nil {
            throw ManifestError(
                "the file is a page of HTML or XML", line: 1,
                advice:
                    "download the file itself; a page of GitHub or GitLab leads to it with 'Raw', or with /raw/ in place of /blob/"
            )
        }
        if let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[" {
            text = Self.withoutSurrogates(text)
        }
        do {
            guard let root = try YAMLComposer.root(of: text, allowsDuplicateKeys: true) else {
                throw ManifestError("the file is empty", advice: "name a connector's file, such as manifest.yaml")
            }
            return try node(root, depth: 0).node
        } catch let error as YAMLError {
            throw ManifestError(error)
        } catch let error as ManifestError {
            throw error
        } catch {
            throw ManifestError("the file cannot be read", advice: "name a connector's file, such as manifest.yaml")
        }
    }

    private mutating func node(
        _ node: YAMLNode, depth: Int
    ) throws(ManifestError) -> (node: ManifestNode, height: Int) {
        let line = node.mark.line
        if let known = collections[node.identity] {
            try spend(known.size, line: line)
            try check(depth: depth + known.height, line: line)
            return (known.node, known.height)
        }
        let before = count
        try spend(1, line: line)
        try check(depth: depth, line: line)
        built += 1
        var (content, height): (ManifestNode.Content, Int)
        switch node.content {
        case .scalar(let scalar):
            return (ManifestNode(try self.content(of: scalar, tag: node.tag, line: line), line: line), 0)
        case .sequence(let nodes):
            var list: [ManifestNode] = []
            height = 1
            for element in nodes {
                let part = try self.node(element, depth: depth + 1)
                list.append(part.node)
                height = max(height, part.height + 1)
            }
            content = .list(list)
        case .mapping(let pairs):
            let (members, inner) = try members(of: pairs, depth: depth)
            (content, height) = (.mapping(members), inner + 1)
        }
        let made = ManifestNode(content, line: line)
        collections[node.identity] = (made, count - before, height)
        return (made, height)
    }

    /// Counts nodes before they are made.
    private mutating func spend(_ nodes: Int, line: Int) throws(ManifestError) {
        count += nodes
        guard count <= ManifestLimit.writtenNodes else { throw .unreadable("aliases make too many values", line) }
    }

    private func check(depth: Int, line: Int) throws(ManifestError) {
        guard depth <= YAMLComposer.maximumDepth else { throw .unreadable("nested too deeply", line) }
    }

    /// Returns the members of a mapping: of those with the same name the last one counts, and before those of a merge key.
    private mutating func members(
        of pairs: YAMLNode.Mapping, depth: Int
    ) throws(ManifestError) -> (members: [ManifestNode.Member], height: Int) {
        var members = OrderedMembers()
        var merged: [ManifestNode] = []
        var height = 0
        for (key, value) in pairs {
            guard let scalar = key.scalar else {
                throw ManifestError("a key is no text", line: key.mark.line, advice: "write a name before the colon")
            }
            if scalar.string == "$options" { throw .tooOld(line: key.mark.line) }
            let (node, inner) = try node(value, depth: depth + 1)
            height = max(height, inner)
            if scalar.isMergeKey {
                merged += node.isList ? node.list : [node]
            } else {
                members.set(node, for: scalar.string)
            }
        }
        for node in merged {
            try spend(node.members.count, line: node.line ?? 1)
            for member in node.members where !members.contains(member.name) {
                members.set(member.value, for: member.name)
            }
        }
        return (members.members, height)
    }

    private func content(
        of scalar: YAMLNode.Scalar, tag: String?, line: Int
    ) throws(ManifestError) -> ManifestNode.Content {
        let text = scalar.string
        if text.hasPrefix("*ref(") { throw .tooOld(line: line) }
        guard scalar.isPlain, tag != "tag:yaml.org,2002:str" else { return .text(text) }
        return Self.content(ofPlain: text)
    }

    /// Returns what YAML 1.1 takes a text without quotes for. A date stays a text, as no connector counts with it.
    static func content(ofPlain text: String) -> ManifestNode.Content {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON": return .bool(true)
        case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF": return .bool(false)
        default: break
        }
        let digits = text.utf8.prefix(64).filter { $0 != UInt8(ascii: "_") }
        guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first), text.utf8.count <= 64 else {
            return .text(text)
        }
        return number(String(decoding: digits, as: UTF8.self), text)
    }

    /// Returns the number that a text is in YAML 1.1, which is `written` with `_` in it. A pattern would take longer.
    private static func number(_ number: String, _ written: String) -> ManifestNode.Content {
        let sign = number.prefix { "+-".contains($0) }
        let rest = number.dropFirst(sign.count)
        guard sign.count <= 1 else { return .text(written) }
        func isDigits(_ part: Substring, _ radix: Int = 10) -> Bool {
            !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.hexDigitValue ?? 16) < radix }
        }
        if isDigits(rest), rest == "0" || !rest.hasPrefix("0") {
            return Int(number).map { .integer($0) } ?? .number(number)
        }
        if rest.hasPrefix("0") {
            let body = rest.dropFirst()
            let (radix, value) =
                body.hasPrefix("x") ? (16, body.dropFirst()) : body.hasPrefix("b") ? (2, body.dropFirst()) : (8, body)
            if isDigits(value, radix) { return Int(sign + value, radix: radix).map { .integer($0) } ?? .text(written) }
        }
        let parts = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isMantissa =
            mantissa.count == 2
            ? isDigits(mantissa[0]) && (mantissa[1].isEmpty || isDigits(mantissa[1]))
                || mantissa[0].isEmpty && isDigits(mantissa[1])
            : parts.count == 2 && isDigits(parts[0])
        let exponent = parts.count == 2 ? parts[1] : "0"
        let isNumber =
            isMantissa && isDigits(exponent.hasPrefix("+") || exponent.hasPrefix("-") ? exponent.dropFirst() : exponent)
        return isNumber ? .number(number) : .text(written)
    }

    /// Writes JSON's pairs of escapes `\ud83e\udd92` as the one character that they are, which YAML has no pairs for.
    private static func withoutSurrogates(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        let bytes = Array(text.utf8)
        func unit(at index: Int) -> UInt32? {
            guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
            else { return nil }
            return UInt32(String(decoding: bytes[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
        }
        var written: [UInt8] = []
        written.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let high = unit(at: index), (0xD800..<0xDC00).contains(high), let low = unit(at: index + 6),
                (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
            {
                written += String(scalar).utf8
                index += 12
            } else {
                let length = bytes[index] == UInt8(ascii: "\\") ? min(2, bytes.count - index) : 1
                written += bytes[index..<(index + length)]
                index += length
            }
        }
        return String(decoding: written, as: UTF8.self)
    }
}

extension ManifestError {
    static func tooOld(line: Int) -> ManifestError {
        ManifestError(
            "the file is written for Airbyte's programs before 2023, which is too old to be read", line: line,
            advice: "take the connector's newer manifest.yaml")
    }

    fileprivate static func unreadable(_ problem: String, _ line: Int) -> ManifestError {
        ManifestError(problem, line: line, advice: "write less of it, or split the file")
    }

    fileprivate init(_ error: YAMLError) {
        switch error {
        case .malformed(let problem, let mark, let context):
            let begin = context.map { " (\($0.text) from line \($0.mark.line))" } ?? ""
            self.init(
                "not valid YAML or JSON: \(problem)\(begin)", line: mark.line,
                advice: "look at the indentation, quotes and colons near this line")
        case .forbiddenCharacter(let problem, let mark):
            self.init("not valid YAML or JSON: \(problem)", line: mark.line, advice: "remove the character")
        case .duplicateKey(let key, let mark, _):
            self.init("duplicate key '\(key.prefix(60))'", line: mark.line, advice: "keep one of them")
        case .nestedTooDeeply(let mark):
            self.init("nested too deeply", line: mark.line, advice: "write less of it, or split the file")
        case .outOfMemory: self.init("there is not enough memory to read the file", advice: "split the file")
        }
    }
}
