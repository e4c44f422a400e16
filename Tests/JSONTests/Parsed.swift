import GarnerJSON

extension Document {
    convenience init(_ text: String) throws(JSONError) { try self.init(parsing: Bytes(text.utf8)) }

    convenience init(_ bytes: [UInt8]) throws(JSONError) { try self.init(parsing: Bytes(bytes)) }

    convenience init(lines text: String) throws(JSONError) { try self.init(parsingLines: Bytes(text.utf8)) }

    /// The whole value, written out.
    var canonical: String { withRoot(\.canonical) }

    /// The offset of the value in the source; nil if the value is not in the source.
    func offset(of node: Node) -> Int? {
        withSource { source in
            guard let start = source.baseAddress, let text = node.utf8.baseAddress else { return nil }
            let offset = UnsafeRawPointer(text) - start
            return (0...source.count).contains(offset) ? offset : nil
        }
    }
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

/// The error that parsing lines gives; nil where it succeeds.
func failure(ofLines bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
        _ = try Document(parsingLines: Bytes(bytes))
        return nil
    } catch {
        return error
    }
}
