import GarnerJSON
import GarnerLibC

/// The published `_garner_rest` of a row: the one of the file, and the values that PostgreSQL's columns do not hold.
struct RestText {
    /// The members that were added, with commas between them.
    private var members: [UInt8] = []
    /// Values of a row that are longer together are left to the file.
    private static let longest = 64 << 20

    var isEmpty: Bool { members.isEmpty }

    mutating func removeAll() { members.removeAll(keepingCapacity: true) }

    private mutating func begin(_ name: [UInt8]) {
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        members.append(UInt8(ascii: "\""))
        members += name
        members += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    }

    /// Adds a value that is JSON which `jsonb` holds.
    mutating func add(_ name: [UInt8], json: some Sequence<UInt8>) {
        begin(name)
        members.append(contentsOf: json)
    }

    /// Adds a text. Returns false if there is no room for it, and its length is there instead.
    mutating func add(_ name: [UInt8], text: UnsafeBufferPointer<UInt8>) -> Bool {
        begin(name)
        guard text.count <= Self.longest - members.count else {
            members += Array("\"(\(text.count) bytes, which are in the file only)\"".utf8)
            return false
        }
        members.append(UInt8(ascii: "\""))
        Self.append(text, to: &members)
        members.append(UInt8(ascii: "\""))
        return true
    }

    /// Adds bytes as `bytea` is written. Returns false if there is no room for them, and their number is there instead.
    mutating func add(_ name: [UInt8], bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let hexadecimal = Array("0123456789abcdef".utf8)
        let isShort = bytes.count <= Self.longest / 4
        let digits = (isShort ? bytes[...] : bytes[..<0]).flatMap {
            [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]]
        }
        let text =
            isShort ? Array("\\x".utf8) + digits : Array("(\(bytes.count) bytes, which are in the file only)".utf8)
        return text.withUnsafeBufferPointer { add(name, text: $0) } && isShort
    }

    /// Returns a name as the inside of a JSON string.
    static func escaped(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var name = name
        name.withUTF8 { append($0, to: &bytes) }
        return bytes
    }

    /// Appends a text, UTF-8 or not, as the inside of a JSON string that `jsonb` holds.
    private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var canonical = CanonicalText()
        if TextRepair.isHeld(text) {
            canonical.append(unquoted: text)
        } else {
            TextRepair.repaired(text).withUnsafeBufferPointer { canonical.append(unquoted: $0) }
        }
        bytes += canonical.bytes
    }

    /// Returns the whole object.
    ///
    /// - Parameter own: The text in the file, which may be none.
    mutating func merged(with own: UnsafeBufferPointer<UInt8>?, _ note: (Misfit) -> Void) -> [UInt8]? {
        guard let own else { return isEmpty ? nil : [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }
        let isText = CanonicalText.canHold(own)
        if !isText { note(.replacedCharacter) }
        let text = isText ? Array(own) : TextRepair.repaired(own)
        return text.withUnsafeBufferPointer { own in
            let json = JSONBText(own)
            guard json.verdict != .refused, json.isObject else {
                note(.refusedJSON)
                if !add(Self.escaped(TableDefinition.rest), text: own) { note(.tooLong) }
                return [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
            }
            if json.hasBadCharacter { note(.replacedCharacter) }
            let held = json.verdict == .held ? Array(own) : json.repaired
            guard !isEmpty, let start = held.firstIndex(of: UInt8(ascii: "{")) else { return held }
            // Of a name that comes twice, `jsonb` keeps the last value: what the API sent, which the file has set aside.
            return [UInt8(ascii: "{")] + members + (json.isEmpty ? [] : [UInt8(ascii: ",")]) + held[(start + 1)...]
        }
    }
}

/// The repair of texts that PostgreSQL does not hold.
enum TextRepair {
    /// True for UTF-8 without NUL.
    static func isHeld(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = text.baseAddress else { return true }
        return memchr(start, 0, text.count) == nil && CanonicalText.canHold(text)
    }

    /// Returns the text with U+FFFD in the place of NUL and of what is not UTF-8.
    static func repaired(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        Array(String(decoding: text, as: UTF8.self).utf8).flatMap { $0 == 0 ? Array("\u{FFFD}".utf8) : [$0] }
    }
}
