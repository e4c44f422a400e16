/// The header fields of a response, in order; names are compared without regard to case.
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    private let fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)]) { self.fields = fields }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value of that name.
    public subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// All values of that name, each as it stood in a field of its own.
    public func values(of name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

    /// Whether a field has such a name, which is given in lower case.
    func contains(where isMeant: (_ name: String) -> Bool) -> Bool { fields.contains { isMeant($0.name.lowercased()) } }

    /// About the bytes that the fields took on the wire.
    var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// What stands before a response's body.
public struct ResponseHead: Sendable {
    public let status: Int
    public let headers: HeaderFields

    package init(status: Int, headers: HeaderFields) {
        self.status = status
        self.headers = headers
    }
}
