/// What a header field may consist of (RFC 9110, 5.5 and 5.6.2).
package enum HeaderSyntax {
    package static func isName(_ text: String) -> Bool {
        let areAllowed = text.utf8.allSatisfy { byte in
            PercentEncoding.isLetter(byte) || PercentEncoding.isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        return areAllowed && !text.isEmpty
    }

    /// A line break would end the field and begin another one.
    package static func isValue(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { ($0.value >= 0x20 || $0 == "\t") && $0.value != 0x7F }
    }
}
