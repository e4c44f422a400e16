import CGarnerSimdJSON

/// Writes values as canonical text, so that equal values are equal byte by byte.
///
/// The form is that of RFC 8785 (no white space, members sorted, shortest escapes) with two differences: numbers keep
/// their spelling, because another could lose digits, and names are sorted by their UTF-8. The last of duplicate names
/// wins.
package struct CanonicalText {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func append(_ element: Node) {
        switch element.kind {
        case .null, .true, .false, .integer, .real, .number: bytes.append(contentsOf: element.utf8)
        case .string: append(string: element.utf8)
        case .array: appendArray(element)
        case .object: appendObject(element)
        }
    }

    /// Returns true for bytes that are UTF-8, which a JSON string must be.
    package static func canHold(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = text.baseAddress else { return true }
        return start.withMemoryRebound(to: CChar.self, capacity: text.count) { garner_json_is_utf8($0, text.count) }
    }

    /// Writes a JSON string with its quotes.
    package mutating func append(string text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        append(unquoted: text)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a text, or a part of it, as the inside of a JSON string.
    package mutating func append(unquoted text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for (index, byte) in text.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            bytes.append(contentsOf: text[start..<index])
            append(escaping: byte)
            start = index + 1
        }
        bytes.append(contentsOf: text[start...])
    }

    mutating func append(verbatim text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes a value as its source spells it, and what was composed with its members in their order.
    mutating func append(spelling element: Node) {
        guard element.isComposed else {
            if element.kind == .string { append(string: element.utf8) } else { bytes.append(contentsOf: element.utf8) }
            return
        }
        var mark = UInt8(ascii: element.kind == .array ? "[" : "{")
        for element in element.elements {
            bytes.append(mark)
            append(spelling: element)
            mark = UInt8(ascii: ",")
        }
        for (key, value) in element.members {
            bytes.append(mark)
            append(string: key.utf8)
            bytes.append(UInt8(ascii: ":"))
            append(spelling: value)
            mark = UInt8(ascii: ",")
        }
        if mark != UInt8(ascii: ",") { bytes.append(mark) }
        bytes.append(UInt8(ascii: element.kind == .array ? "]" : "}"))
    }

    /// Writes an object with these members in this order. Their names are UTF-8.
    package mutating func append(members: [(name: [UInt8], value: Node)]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            member.name.withUnsafeBufferPointer { append(string: $0) }
            bytes.append(UInt8(ascii: ":"))
            append(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func appendArray(_ array: Node) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in array.elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func appendObject(_ object: Node) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in Self.sortedMembers(of: object) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(string: member.key.utf8)
            bytes.append(UInt8(ascii: ":"))
            append(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0C: bytes.append(contentsOf: "\\f".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        default:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(Self.hexadecimal[Int(byte >> 4)])
            bytes.append(Self.hexadecimal[Int(byte & 15)])
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Returns the members sorted by name. Of equal names only the last remains, which the stable sort keeps last.
    static func sortedMembers(of object: Node) -> [(key: Node, value: Node)] {
        let members = object.members.enumerated().sorted { left, right in
            if left.element.key.utf8.elementsEqual(right.element.key.utf8) { return left.offset < right.offset }
            return left.element.key.utf8.lexicographicallyPrecedes(right.element.key.utf8)
        }
        var kept: [(key: Node, value: Node)] = []
        for (_, member) in members {
            if let last = kept.last, last.key.utf8.elementsEqual(member.key.utf8) { kept.removeLast() }
            kept.append(member)
        }
        return kept
    }
}
