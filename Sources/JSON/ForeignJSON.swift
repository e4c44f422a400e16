/// The words and signs of other languages that JSON does not have, such as `NaN`.
package enum ForeignJSON {
    /// The words, and what JSON has in their place.
    private static let words = [
        "NaN": "null", "nan": "null", "Infinity": "null", "-Infinity": "null", "undefined": "null", "None": "null",
        "True": "true", "False": "false",
    ]
    private static let quote = "found a text in single quotes"
    private static let comma = "found a comma with nothing behind it"

    /// Returns what stands at a place where a text is no JSON; nil if it is nothing of that.
    static func reason(at offset: Int, in source: UnsafeRawBufferPointer, isLine: Bool) -> String? {
        guard source.indices.contains(offset) else { return nil }
        let rest = source[offset...].prefix(16)
        // A capital letter with the bit 0x20 is its small one.
        let letters = rest.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "-") }
        let word = String(decoding: letters, as: UTF8.self)
        if words[word] != nil { return "found \(word)" }
        switch source[offset] {
        case UInt8(ascii: "'"): return quote
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            let before = source[..<offset].last { ![0x20, 0x09, 0x0D].contains($0) && (isLine || $0 != 0x0A) }
            return before == UInt8(ascii: ",") ? comma : nil
        default: return nil
        }
    }

    /// Returns what the server has to send instead; nil for another reason.
    package static func advice(on reason: String) -> String? {
        let asking = "ask the people who run the server to"
        if reason.hasSuffix(quote) { return "JSON has texts in double quotes alone; \(asking) send them so" }
        if reason.hasSuffix(comma) { return "JSON has no comma before ] or }; \(asking) leave it out" }
        guard let found = reason.firstRange(of: "found ") else { return nil }
        let word = String(reason[found.upperBound...])
        return words[word].map { "JSON has no \(word); \(asking) send \($0) in its place" }
    }
}
