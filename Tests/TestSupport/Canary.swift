package import Foundation

/// A secret that can be found again wherever it went.
package enum Canary {
    /// A long secret that is written differently in URLs, in HTML and in JSON.
    package static let text = "Canary~7&Q='+/<x%41zTail9"

    /// The secret percent-encoded, as in a parameter's value.
    package static let encoded = encoded(text)

    package static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.init(charactersIn: ascii))) ?? ""
    }

    /// The secret in JSON, as encoders write it that escape the special characters of HTML.
    package static let escapedInJSON = text.unicodeScalars.map { scalar in
        "&'<+".unicodeScalars.contains(scalar)
            ? "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16) : String(scalar)
    }.joined()

    package static let escapedInHTML = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing("'", with: "&#x27;")

    /// Returns the trace of the secret in a text or a file; nil if there is none.
    ///
    /// The secret's first and last letters are the same in every encoding except Base64, which has three traces.
    package static func trace(in text: String) -> String? { trace(in: Data(text.utf8)) }

    package static func trace(in data: Data) -> String? {
        traces.first { data.range(of: Data($0.utf8)) != nil }
    }

    private static let traces = ["canary", "Canary", "CANARY", "tail9", "Tail9", "TAIL9"] + base64Traces

    /// The Base64 of the secret after zero, one or two bytes, reduced to the part that these bytes do not change.
    private static let base64Traces = (0..<3).map { count in
        let bytes = Data(repeating: 0x3A, count: count) + Data(text.utf8.prefix(12))
        return String(bytes.base64EncodedString().dropFirst(count == 0 ? 0 : 4).prefix(8))
    }

    private static let ascii = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
}
