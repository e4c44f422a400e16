import JSON

extension Document {
    convenience init(_ text: String) throws(JSONError) { try self.init(parsing: Bytes(text.utf8)) }

    convenience init(_ bytes: [UInt8]) throws(JSONError) { try self.init(parsing: Bytes(bytes)) }

    /// The whole value, written out.
    var canonical: String { withRoot(\.canonical) }
}

extension Node {
    var canonical: String {
        var text = CanonicalText()
        text.append(self)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

/// The error that parsing gives; nil where it succeeds.
func failure(of bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
        _ = try Document(bytes)
        return nil
    } catch {
        return error
    }
}
