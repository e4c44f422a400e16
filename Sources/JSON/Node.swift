package import CSimdJSON

/// One value of a document: a pointer into it, valid while the document lives.
///
/// What is asked of every value that is stored can be inlined elsewhere.
package struct Node {
    package enum Kind: Sendable {
        case null, `false`, `true`
        /// Held exactly by Int64.
        case integer
        /// Held by a double whose decimal digits are those of the source.
        case real
        /// A number that neither holds exactly: only its spelling says what it is.
        case number
        case string, array, object
    }

    @usableFromInline
    let raw: UnsafePointer<garner_json_node>

    @inlinable
    package var kind: Kind {
        switch raw.pointee.kind {
        case 1: .false
        case 2: .true
        case 3: .integer
        case 4: .real
        case 5: .number
        case 6: .string
        case 7: .array
        case 8: .object
        default: .null
        }
    }

    @inlinable
    package var isNull: Bool { raw.pointee.kind == 0 }

    @inlinable
    package var isObject: Bool { raw.pointee.kind == 8 }

    /// The value of an `.integer`.
    @inlinable
    package var integer: Int64 { raw.pointee.integer }

    /// The value of a `.real`.
    @inlinable
    package var real: Double { raw.pointee.real }

    /// The unescaped UTF-8 of a `.string`; of any other kind, its spelling in the source.
    @inlinable
    package var utf8: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafeRawPointer(raw.pointee.text)?.assumingMemoryBound(to: UInt8.self),
            count: Int(raw.pointee.length))
    }

    @inlinable
    init(raw: UnsafePointer<garner_json_node>) { self.raw = raw }

    /// A copy of `utf8`.
    package var text: String { String(decoding: utf8, as: UTF8.self) }

    /// The text of a `.string`, else nil.
    package var string: String? { kind == .string ? text : nil }

    /// Whether a lone surrogate in this string was replaced by U+FFFD.
    package var isReplaced: Bool { raw.pointee.replaced != 0 }

    /// The last member of that name, since the last of duplicate keys wins; nil where there is none or this is no object.
    package subscript(key: String) -> Node? {
        var found: Node?
        for member in members where member.key.equals(key) { found = member.value }
        return found
    }
}

extension Node {
    func equals(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { $0.elementsEqual(utf8) }
    }
}
