/// Reads the HTML of a page as strictly as its writers mean it: each tag in lower case, each attribute in double quotes, each
/// element closed. So it notices at once where foreign text has become markup.
struct MarkupScanner {
    /// The elements and their attributes: `a`, `a href`.
    private(set) var vocabulary: Set<String> = []
    /// The addresses of links, pictures and forms.
    private(set) var addresses: [(attribute: String, value: String)] = []
    private(set) var errors: [String] = []

    private static let void: Set<String> = ["meta", "link", "input", "img", "br", "wbr"]
    private static let named: Set<String> = ["amp", "lt", "gt", "quot", "#39"]

    private var rest: ArraySlice<UInt8>
    private var open: [String] = []

    init(_ page: [UInt8]) {
        rest = page[...]
        if !take("<!doctype html>\n") { fail("no doctype") }
        while let byte = rest.first, errors.count < 10 {
            if byte == UInt8(ascii: "<") { readTag() } else { readText(until: [UInt8(ascii: "<")]) }
        }
        if !open.isEmpty { fail("open at the end: \(open)") }
    }

    private mutating func fail(_ error: String) {
        errors.append("\(error), before: \(String(decoding: rest.prefix(80), as: UTF8.self))")
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Reads text, in which no bracket stands alone, and each ampersand begins one of the escapes. Returns it unescaped.
    @discardableResult
    private mutating func readText(until ends: Set<UInt8>) -> String {
        var text: [UInt8] = []
        while let byte = rest.first, !ends.contains(byte) {
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), 0: fail("a bare byte \(byte)")
            case UInt8(ascii: "&"):
                let name = String(decoding: rest.prefix(5).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
                if !Self.named.contains(name) { fail("an unknown escape \(name)") }
                rest = rest.dropFirst(name.utf8.count + 1)
                text += ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'"][name, default: ""].utf8
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func name() -> String {
        let isOfName = { (byte: UInt8) in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || byte == 0x2D
        }
        let name = rest.prefix(while: isOfName)
        rest = rest.dropFirst(name.count)
        if name.isEmpty { fail("no name") }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func readTag() {
        rest = rest.dropFirst()
        if take("/") {
            let name = name()
            if open.popLast() != name { fail("</\(name)> closes another element") }
            if !take(">") { fail("</\(name) does not end") }
            return
        }
        let element = name()
        vocabulary.insert(element)
        var seen: Set<String> = []
        while take(" ") {
            let attribute = name()
            if attribute.isEmpty || !seen.insert(attribute).inserted {
                return fail("\(element) has \(attribute) twice")
            }
            vocabulary.insert("\(element) \(attribute)")
            guard take("=") else { continue }
            guard take("\"") else { return fail("\(element) \(attribute) has no quotes") }
            let value = readText(until: [UInt8(ascii: "\"")])
            if !take("\"") { fail("\(element) \(attribute) does not end") }
            if ["href", "src", "action", "formaction", "srcset", "poster", "data"].contains(attribute) {
                addresses.append((attribute, value))
            }
        }
        if take("/>") { return }
        guard take(">") else { return fail("<\(element) does not end") }
        if !Self.void.contains(element) { open.append(element) }
    }
}
