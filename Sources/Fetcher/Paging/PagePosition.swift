import JSON

/// Which page of a read is meant: all that its request is made from, but no secret.
package struct PagePosition: Hashable, Sendable {
    /// Absolute; secret parameters and credentials are added only when the request is sent.
    package let url: String
    /// Counts the pages of the read, from 0.
    package let number: Int

    package init(url: String, number: Int) {
        self.url = url
        self.number = number
    }

    /// A text, to be stored: a JSON object.
    package var checkpoint: String {
        var text = CanonicalText()
        text.append(string: url)
        return #"{"number":\#(number),"url":\#(String(decoding: text.bytes, as: UTF8.self))}"#
    }

    /// nil where `checkpoint` is none.
    package init?(checkpoint: String) {
        guard let document = try? Document(parsing: Bytes(checkpoint.utf8)) else { return nil }
        let parts = document.withRoot { root -> (String, Int64)? in
            guard let url = root["url"]?.string, let number = root["number"], number.kind == .integer else {
                return nil
            }
            return (url, number.integer)
        }
        guard let (url, number) = parts, (0..<Int64.max).contains(number) else { return nil }
        self.init(url: url, number: Int(number))
    }
}

extension CanonicalText {
    fileprivate mutating func append(string text: String) {
        var text = text
        text.withUTF8 { append(string: $0) }
    }
}
