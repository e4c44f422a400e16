package import Foundation

/// A secret that can be found again wherever it went.
package enum Canary {
    /// Long, and written differently in URLs, in HTML and in JSON.
    package static let text = "Canary~7&Q='+/<x%41zTail9"

    /// As in a parameter's value.
    package static let encoded = encoded(text)

    package static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.init(charactersIn: ascii))) ?? ""
    }

    /// As encoders write it that fear HTML.
    package static let escapedInJSON = text.unicodeScalars.map { scalar in
        "&'<+".unicodeScalars.contains(scalar)
            ? "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16) : String(scalar)
    }.joined()

    package static let escapedInHTML = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing("'", with: "&#x27;")

    /// What of it stands in a text or in a file; nil: nothing.
    ///
    /// Its first and its last letters are the same in every encoding but Base64, where three texts tell them.
    package static func trace(in text: String) -> String? { trace(in: Data(text.utf8)) }

    package static func trace(in data: Data) -> String? {
        traces.first { data.range(of: Data($0.utf8)) != nil }
    }

    private static let traces = ["canary", "Canary", "CANARY", "tail9", "Tail9", "TAIL9"] + base64Traces

    /// Of what stands behind none, one or two bytes, the part that these have no influence on.
    private static let base64Traces = (0..<3).map { count in
        let bytes = Data(repeating: 0x3A, count: count) + Data(text.utf8.prefix(12))
        return String(bytes.base64EncodedString().dropFirst(count == 0 ? 0 : 4).prefix(8))
    }

    private static let ascii = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
}
