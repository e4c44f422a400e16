package import GarnerModel

/// The text of a configuration file, to which a stream can be added without changes to the rest.
package struct ConfigurationText {
    private var lines: [Substring]
    /// The line break of the file. In Swift, CR LF is one character, and differs from LF.
    private let lineBreak: Character

    package init(_ text: String) {
        lineBreak = text.contains("\r\n") && !text.contains("\n") ? "\r\n" : "\n"
        lines = text.split(separator: lineBreak, omittingEmptySubsequences: false)
        // The last line break ends a line. No line follows it.
        if lines.last == "" { lines.removeLast() }
    }

    package var text: String { lines.joined(separator: String(lineBreak)) + String(lineBreak) }

    /// Adds a stream after those of a source.
    ///
    /// - Parameter stream: the lines of the stream. The first one is its name.
    /// - Returns: false if the source or its streams are not written as blocks.
    package mutating func add(_ stream: String, to source: String) -> Bool {
        guard let own = block(ofSource: source) else { return false }
        switch line(of: "streams", in: own) {
        case nil: insert("streams:", into: own)
        case let (place, value)? where Self.nothing.contains(value):
            lines[place] = Substring(String(repeating: " ", count: indent(of: place)) + "streams:")
        default: break
        }
        guard let grown = block(ofSource: source),
            let streams = block(of: "streams", in: grown.body, below: grown.indent)
        else { return false }
        insert(stream, into: streams)
        return true
    }

    /// YAML writes a mapping without members like this.
    private static let nothing: Set = ["{}", "~", "null"]

    /// Returns the sources without streams, with their base URLs.
    package var emptySources: [(name: String, base: String)] {
        guard let sources = block(of: "sources", in: lines.indices, below: -1),
            let level = sources.body.first(where: { isContent($0) }).map({ indent(of: $0) })
        else { return [] }
        return sources.body.filter { isContent($0) && indent(of: $0) == level }.compactMap {
            place -> (name: String, base: String)? in
            let name = String(lines[place].dropFirst(level).prefix { $0 != ":" }.trimming { "\"' ".contains($0) })
            guard let own = block(ofSource: name), let base = line(of: "base_url", in: own)?.value else { return nil }
            let streams = block(of: "streams", in: own.body, below: own.indent)
            let isOpen = streams.map { !$0.body.contains { isContent($0) } } ?? (line(of: "streams", in: own) == nil)
            let isNothing = line(of: "streams", in: own).map { Self.nothing.contains($0.value) } ?? false
            return isOpen || isNothing ? (name: name, base: base) : nil
        }
    }

    /// Returns the place of a key of a block, with the text behind it without quotes and a comment; nil if the block has no such key.
    private func line(of key: String, in block: Block) -> (place: Int, value: String)? {
        guard let level = block.body.first(where: { isContent($0) }).map({ indent(of: $0) }), level > block.indent
        else { return nil }
        let line = block.body.first { indent(of: $0) == level && lines[$0].dropFirst(level).hasPrefix("\(key):") }
        guard let line else { return nil }
        let text = lines[line].dropFirst(level + key.count + 1).trimming { $0 == " " }
        let written = text.hasPrefix("#") ? "" : text.firstRange(of: " #").map { text[..<$0.lowerBound] } ?? text
        return (line, String(written.trimming { "\"' ".contains($0) }))
    }

    private func block(ofSource name: String) -> Block? {
        block(of: "sources", in: lines.indices, below: -1)
            .flatMap { block(of: name, in: $0.body, below: $0.indent) }
    }

    /// Returns the lines of a source above and below its streams, without their indent.
    package func lines(of source: String) -> Set<String> {
        guard let sources = block(of: "sources", in: lines.indices, below: -1),
            let own = block(of: source, in: sources.body, below: sources.indent),
            let streams = block(of: "streams", in: own.body, below: own.indent)
        else { return [] }
        let others = own.body.filter { !streams.body.contains($0) && isContent($0) }
        return Set(others.map { String(lines[$0].dropFirst(streams.indent)) })
    }

    /// Adds a source with its streams after the others.
    ///
    /// - Returns: false if the sources are not written as a block.
    package mutating func add(source: String) -> Bool {
        let top = lines.filter { !$0.hasPrefix(" ") && !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
        let isBlock = !top.isEmpty && top.allSatisfy { $0.prefixMatch(of: /["']?\w+["']?:/) != nil }
        if isBlock, !top.contains(where: { $0.drop { "\"'".contains($0) }.hasPrefix("sources") }) {
            lines.append("sources:")
        }
        guard let sources = block(of: "sources", in: lines.indices, below: -1) else { return false }
        insert(source, into: sources)
        return true
    }

    /// Adds lines after those of a stream. One of the same key that the stream has already is left out, with the comment that was written with it.
    ///
    /// - Returns: false if the stream, or what it has at one of the keys, is not written line by line.
    package mutating func extend(_ stream: StreamName, with added: [String]) -> Bool {
        guard let sources = block(of: "sources", in: lines.indices, below: -1),
            let source = block(of: stream.source, in: sources.body, below: sources.indent),
            let streams = block(of: "streams", in: source.body, below: source.indent),
            let own = block(of: stream.stream, in: streams.body, below: streams.indent)
        else { return false }
        let level = own.body.first { isContent($0) }.map { indent(of: $0) }
        var old: [Int] = []
        for line in added where !line.hasPrefix("#") {
            let key = line.prefix { $0 != ":" }
            let place = own.body.first {
                indent(of: $0) == level && lines[$0].dropFirst(level ?? 0).hasPrefix("\(key):")
            }
            guard let place else { continue }
            let next = own.body.first { $0 > place && isContent($0) }
            guard next.map({ indent(of: $0) <= indent(of: place) }) ?? true else { return false }
            old.append(place)
            // Comments of others stay.
            let comment = added.firstIndex(of: line).flatMap {
                $0 > 0 ? added[$0 - 1].prefix { $0 != "," && $0 != ":" } : nil
            }
            let above = own.body.contains(place - 1) ? lines[place - 1].drop { $0 == " " } : ""
            if let comment, comment.hasPrefix("#"), above.hasPrefix(comment) { old.append(place - 1) }
        }
        for place in old.sorted().reversed() { lines.remove(at: place) }
        if !old.isEmpty { return extend(stream, with: added) }
        insert(added.joined(separator: "\n"), into: own)
        return true
    }

    private struct Block {
        let indent: Int
        /// The lines after the key that belong to it.
        let body: Range<Int>
    }

    /// Returns the block below a key that stands alone on its line.
    private func block(of key: String, in range: Range<Int>, below indent: Int) -> Block? {
        let level = range.lazy.filter { isContent($0) }.map { self.indent(of: $0) }.first
        guard let level, level > indent else { return nil }
        let spellings = [key, "\"\(key)\"", "'\(key)'"]
        let place = range.first { index in
            guard isContent(index), self.indent(of: index) == level else { return false }
            let line = lines[index].dropFirst(level)
            return spellings.contains { spelling in
                guard line.hasPrefix("\(spelling):") else { return false }
                let rest = line.dropFirst(spelling.count + 1).drop { $0 == " " }
                return rest.isEmpty || rest.hasPrefix("#")
            }
        }
        guard let place else { return nil }
        let end = (place + 1..<range.upperBound).first { isContent($0) && self.indent(of: $0) <= level }
        return Block(indent: level, body: place + 1..<(end ?? range.upperBound))
    }

    private mutating func insert(_ text: String, into block: Block) {
        let children = block.body.first { isContent($0) }
        let indent = children.map { self.indent(of: $0) } ?? block.indent + 2
        let last = block.body.last { isContent($0) || self.indent(of: $0) >= indent && !isBlank($0) }
        let added = text.split(separator: "\n", omittingEmptySubsequences: true)
        let own = added.first.map { $0.prefix { $0 == " " }.count } ?? 0
        let moved = added.map { line in
            Substring(repeating: " ", count: indent) + line.dropFirst(min(own, line.prefix { $0 == " " }.count))
        }
        lines.insert(contentsOf: moved, at: last.map { $0 + 1 } ?? block.body.lowerBound)
    }

    private func isBlank(_ index: Int) -> Bool { lines[index].allSatisfy(\.isWhitespace) }

    private func isContent(_ index: Int) -> Bool {
        !isBlank(index) && lines[index].first { $0 != " " } != "#"
    }

    private func indent(of index: Int) -> Int { lines[index].prefix { $0 == " " }.count }
}

package enum YAMLText {
    /// The words that YAML may not read as texts.
    package static let words: Set = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// Returns a plain scalar if every YAML parser reads it as a text, else one in double quotes.
    package static func scalar(_ text: String) -> String {
        let begins = text.first.map { !$0.isNumber && $0 != "." && $0 != "/" } ?? false
        let isPlain = begins && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "_.$/".contains($0) }
        return isPlain && !words.contains(text.lowercased()) ? text : quoted(text)
    }

    /// Returns a text in double quotes, with escapes for all but ASCII and letters (YAML 1.2, 5.7).
    package static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case " "..."~": String(scalar)
            case _ where scalar.properties.isAlphabetic && scalar.value < 0xFFF0: String(scalar)
            case _ where scalar.value <= 0xFF: "\\x" + hexadecimal(scalar, 2)
            case _ where scalar.value <= 0xFFFF: "\\u" + hexadecimal(scalar, 4)
            default: "\\U" + hexadecimal(scalar, 8)
            }
        }
        return "\"\(scalars.joined())\""
    }

    /// Returns a comment on one line, without characters that would end the comment or the file.
    package static func comment(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            (" "..."~").contains(scalar) || scalar.properties.isAlphabetic && scalar.value < 0xFFF0
                ? String(scalar) : "?"
        }
        return "# \(scalars.joined())"
    }

    /// Returns a mapping such as `{ name: value, name: value }`.
    static func mapping(_ members: [(name: String, value: String)]) -> String {
        "{ " + members.map { "\(scalar($0.name)): \($0.value)" }.joined(separator: ", ") + " }"
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar, _ width: Int) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension String {
    /// The text with each dollar twice, since one would begin a variable. It is compared by scalars, since a dollar with a
    /// combining mark is a single character.
    package var doublingDollars: String {
        unicodeScalars.map { $0 == "$" ? "$$" : String($0) }.joined()
    }
}
