/// A JSONPath (RFC 9535) of names, indices and wildcards, such as `$.data[*]`, `$['odd key'][0].rows` or `$`.
package struct Selector: Sendable, Equatable, CustomStringConvertible {
    enum Segment: Sendable, Equatable {
        case name(String)
        /// An index from the start, or from the end if it is negative: -1 is the last.
        case index(Int)
        case wildcard
    }

    package let description: String
    let segments: [Segment]

    /// Parses a selector. Throws `SelectorError` if it is malformed, or uses a feature that Garner does not support.
    package init(parsing text: String) throws(SelectorError) {
        var reader = SelectorReader(text)
        segments = try reader.read()
        description = text
    }

    /// True if it can select at most one value.
    package var isSingular: Bool { !segments.contains(.wildcard) }

    /// True if it selects the whole document.
    package var isRoot: Bool { segments.isEmpty }

    /// Returns the values selected below `root`, in document order.
    package func elements(in root: Node) -> [Node] {
        segments.reduce([root]) { found, segment in found.flatMap { $0.children(segment) } }
    }

    /// Returns the first value selected; nil if there is none.
    package func first(in root: Node) -> Node? { elements(in: root).first }

    /// Returns the values from the root to the one that holds all that can be selected, each with its path. The list
    /// ends early if a value is missing.
    package func way(in root: Node) -> [(path: String, node: Node)] {
        var way = [(path: "$", node: root)]
        for segment in segments.prefix(while: { $0 != .wildcard }) {
            guard let last = way.last, let next = last.node.children(segment).first else { break }
            way.append((path: last.path + segment.text, node: next))
        }
        return way
    }

    /// True if it selects all values of one array or object, and nothing below them.
    package var selectsChildren: Bool { segments.firstIndex(of: .wildcard).map { $0 == segments.count - 1 } ?? false }

    /// Returns the values selected in `document`. A wildcard at the end selects an array's values without listing each
    /// one.
    package func select(in document: Document) -> Selection {
        document.withRoot { root in
            if segments.last == .wildcard, !segments.dropLast().contains(.wildcard) {
                let container = segments.dropLast().reduce([root]) { found, segment in
                    found.flatMap { $0.children(segment) }
                }.first
                if let container, container.kind == .array { return Selection(valuesOf: container, in: document) }
            }
            return Selection(elements(in: root), in: document)
        }
    }
}

extension Node {
    fileprivate func children(_ segment: Selector.Segment) -> [Node] {
        switch segment {
        case .name(let name): self[name].map { [$0] } ?? []
        case .wildcard where kind == .object: members.map(\.value)
        case .wildcard: Array(elements)
        case .index(let index):
            {
                let all = Array(elements)
                let place = index < 0 ? all.count + index : index
                return all.indices.contains(place) ? [all[place]] : []
            }()
        }
    }
}

extension Selector.Segment {
    fileprivate var text: String {
        switch self {
        case .name(let name):
            name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil ? ".\(name)" : Selector.segment(named: name)
        case .index(let index): "[\(index)]"
        case .wildcard: "[*]"
        }
    }
}

/// The error of a text that is not a supported selector.
package struct SelectorError: Error, Equatable, Sendable, CustomStringConvertible {
    package let selector: String
    /// The position of the error in bytes from the start of the selector.
    package let offset: Int
    package let reason: String

    package var description: String { "\(selector): \(reason) (byte \(offset))" }
}

/// Parses the part of RFC 9535 that Garner supports: `$`, `.name`, `['name']`, `[0]`, `[-1]`, `[*]`, `.*`.
struct SelectorReader {
    private let text: String
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func read() throws(SelectorError) -> [Selector.Segment] {
        guard take("$") else { throw error("a selector begins with '$', as in $.data[*]") }
        var segments: [Selector.Segment] = []
        while true {
            skipSpace()
            if place == bytes.count { return segments }
            if take(".") {
                segments.append(try readShorthand())
            } else if take("[") {
                segments.append(try readBracket())
            } else {
                throw error("'.name' or '[…]' expected")
            }
        }
    }

    private mutating func readShorthand() throws(SelectorError) -> Selector.Segment {
        if take("*") { return .wildcard }
        if peek == UInt8(ascii: ".") { throw error("'..' is not supported; name the path step by step") }
        let start = place
        while let byte = peek, isNameByte(byte, first: place == start) { place += 1 }
        guard place > start else { throw error("a name expected; write an odd one as ['odd name']") }
        return .name(String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private mutating func readBracket() throws(SelectorError) -> Selector.Segment {
        skipSpace()
        let segment: Selector.Segment
        if take("*") {
            segment = .wildcard
        } else if let quote = peek, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            place += 1
            segment = .name(try readQuoted(until: quote))
        } else {
            segment = .index(try readIndex())
        }
        skipSpace()
        guard take("]") else { throw error("']' expected; filters, slices and lists are not supported") }
        return segment
    }

    private mutating func readQuoted(until quote: UInt8) throws(SelectorError) -> String {
        var name: [UInt8] = []
        while let byte = peek, byte != quote {
            place += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = peek, escaped == quote || escaped == byte else {
                    throw error("only a quote or a backslash can be escaped here")
                }
                name.append(escaped)
                place += 1
            } else {
                name.append(byte)
            }
        }
        guard peek == quote else { throw error("a closing quote expected") }
        place += 1
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func readIndex() throws(SelectorError) -> Int {
        let start = place
        if peek == UInt8(ascii: "-") { place += 1 }
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        guard let index = Int(String(decoding: bytes[start..<place], as: UTF8.self)) else {
            place = start
            throw error("an index, a quoted name or '*' expected; filters are not supported")
        }
        return index
    }

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private func isNameByte(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "$"): true
        default: false
        }
    }

    private func error(_ reason: String) -> SelectorError {
        SelectorError(selector: text, offset: place, reason: reason)
    }
}

extension Selector {
    /// Returns the segment that selects the member with this name, for appending to its object's selector: `['it\'s']`.
    package static func segment(named name: String) -> String {
        // Scalars, not Characters: a quote and a following combining mark are one Character, which does not equal a
        // quote.
        let escaped = name.unicodeScalars.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "['\(escaped.joined())']"
    }
}

extension Selector: ExpressibleByStringLiteral {
    /// A selector that stands in the code.
    package init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("a selector in the code must be one: \(error)")
        }
    }
}
