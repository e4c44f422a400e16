import GarnerYAML

/// Reads the text of a connector's file, which is YAML or JSON, as the programs that it is made for read it.
package struct ManifestReader {
    private var count = 0

    private init() {}

    /// Returns the only document of a text.
    package static func node(of text: String) throws(ManifestError) -> ManifestNode {
        guard text.utf8.count <= ManifestLimit.bytes else {
            throw ManifestError(
                "the file has more than 4 MiB", advice: "make a smaller file of the streams that you need")
        }
        var text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        if let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[" {
            text = withoutSurrogates(text)
        }
        do {
            guard let root = try YAMLComposer.root(of: text, allowsDuplicateKeys: true) else {
                throw ManifestError("the file is empty", advice: "name a connector's file, such as manifest.yaml")
            }
            var reader = ManifestReader()
            return try reader.node(root, depth: 0)
        } catch let error as YAMLError {
            throw ManifestError(error)
        } catch let error as ManifestError {
            throw error
        } catch {
            throw ManifestError("the file cannot be read", advice: "name a connector's file, such as manifest.yaml")
        }
    }

    private mutating func node(_ node: YAMLNode, depth: Int) throws(ManifestError) -> ManifestNode {
        let line = node.mark.line
        count += 1
        guard count <= ManifestLimit.writtenNodes, depth <= YAMLComposer.maximumDepth else {
            throw ManifestError(
                count > ManifestLimit.writtenNodes ? "aliases make too many values" : "nested too deeply", line: line,
                advice: "write less of it, or split the file")
        }
        switch node.content {
        case .scalar(let scalar):
            return ManifestNode(try content(of: scalar, tag: node.tag, line: line), line: line)
        case .sequence(let nodes):
            var list: [ManifestNode] = []
            for element in nodes { list.append(try self.node(element, depth: depth + 1)) }
            return ManifestNode(.list(list), line: line)
        case .mapping(let pairs):
            return ManifestNode(.mapping(try members(of: pairs, depth: depth)), line: line)
        }
    }

    /// Returns the members of a mapping: of those with the same name the last one counts, and before those of a merge key.
    private mutating func members(
        of pairs: YAMLNode.Mapping, depth: Int
    ) throws(ManifestError) -> [ManifestNode.Member] {
        var members = OrderedMembers()
        var merged: [ManifestNode] = []
        for (key, value) in pairs {
            guard let scalar = key.scalar else {
                throw ManifestError("a key is no text", line: key.mark.line, advice: "write a name before the colon")
            }
            if scalar.string == "$options" { throw .tooOld(line: key.mark.line) }
            let node = try node(value, depth: depth + 1)
            if scalar.isMergeKey {
                merged += node.isList ? node.list : [node]
            } else {
                members.set(node, for: scalar.string)
            }
        }
        for member in merged.flatMap(\.members) where !members.contains(member.name) {
            count += 1
            members.set(member.value, for: member.name)
        }
        return members.members
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
        let number = String(decoding: digits, as: UTF8.self)
        if number.wholeMatch(of: /[-+]?(0|[1-9][0-9]*)/) != nil {
            return Int(number).map { .integer($0) } ?? .number(number)
        }
        if let match = number.wholeMatch(of: /([-+]?)0(?:x([0-9a-fA-F]+)|b([01]+)|([0-7]+))/) {
            let (radix, value) =
                if let digits = match.2 { (16, digits) } else if let digits = match.3 { (2, digits) } else {
                    (8, match.4 ?? "")
                }
            return Int("\(match.1)\(value)", radix: radix).map { .integer($0) } ?? .text(text)
        }
        if number.wholeMatch(of: /[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+/) != nil {
            return .number(number)
        }
        return .text(text)
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

/// Members of a mapping that is made, each name once, in the order in which they came.
struct OrderedMembers {
    private(set) var members: [ManifestNode.Member] = []
    /// Where members stand, once there are too many to look through.
    private var places: [String: Int] = [:]

    init(_ members: [ManifestNode.Member] = []) {
        for member in members { set(member.value, for: member.name) }
    }

    private func place(of name: String) -> Int? {
        places.isEmpty ? members.firstIndex { $0.name == name } : places[name]
    }

    func contains(_ name: String) -> Bool { place(of: name) != nil }

    subscript(name: String) -> ManifestNode? { place(of: name).map { members[$0].value } }

    mutating func set(_ value: ManifestNode, for name: String) {
        if let place = place(of: name) {
            members[place].value = value
            return
        }
        members.append(ManifestNode.Member(name: name, value: value))
        if !places.isEmpty {
            places[name] = members.count - 1
        } else if members.count > 16 {
            for (place, member) in members.enumerated() { places[member.name] = place }
        }
    }
}

extension ManifestError {
    static func tooOld(line: Int) -> ManifestError {
        ManifestError(
            "the file is written for Airbyte's programs before 2023, which is too old to be read", line: line,
            advice: "take the connector's newer manifest.yaml")
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
