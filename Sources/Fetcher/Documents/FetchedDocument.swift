import GarnerCatalog
package import GarnerJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A document that was received completely and checked.
///
///     let fetched = try await fetcher.document()
///     print(fetched.url, fetched.head.status, fetched.bytes.count)
public struct FetchedDocument: Sendable {
    enum Content: Sendable {
        case json(Document)
        /// A document of another media type.
        case other([UInt8])
        /// The stream's `response_actions` ignore the response.
        case nothing
    }

    /// The URL that the document came from, after all redirects; without secrets.
    ///
    ///     print(fetched.url)
    public let url: String
    /// The status and header fields of the response.
    ///
    ///     print(fetched.head.headers["Content-Type"] ?? "no type")
    public let head: ResponseHead
    let content: Content
    /// The network activity of the request.
    package let request: RequestEntry
    let report: FetchErrorReport

    /// The parsed JSON; nil for a document of another media type, and for a response that is ignored.
    package var document: Document? { if case .json(let document) = content { document } else { nil } }

    /// The document as sent by the server after decompression; empty if the response was ignored. JSON and JSON Lines
    /// are in UTF-8.
    ///
    ///     let picture = fetched.bytes
    public var bytes: [UInt8] {
        switch content {
        case .json(let document): document.withSource { Array($0) }
        case .other(let bytes): bytes
        case .nothing: []
        }
    }

    /// Returns the document as text in the charset that its media type names, in that of its byte order mark, or else in
    /// UTF-8.
    ///
    ///     let page = try fetched.text()
    ///
    /// Throws `FetchError` if the bytes are no text in that charset, or if the charset is unknown.
    public func text() throws -> String {
        guard case .other(let bytes) = content else { return String(decoding: self.bytes, as: UTF8.self) }
        let named = head.headers["Content-Type"].flatMap(MediaType.init)?.charset
        do throws(FetchError.Kind) {
            return try Self.text(of: bytes, in: named)
        } catch {
            throw report.error(error, at: url, request: request)
        }
    }

    private static func text(of bytes: [UInt8], in name: String?) throws(FetchError.Kind) -> String {
        let marks: [([UInt8], ResponseFormat.Charset)] = [
            ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
        ]
        // A byte order mark is “more authoritative than anything else” (encoding.spec.whatwg.org, 6).
        let mark = marks.first { bytes.starts(with: $0.0) }
        let known = name.map {
            ["utf8": "utf-8", "us-ascii": "utf-8", "ascii": "utf-8", "latin1": "iso-8859-1"][$0] ?? $0
        }
        guard let charset = mark?.1 ?? ResponseFormat.Charset(rawValue: known ?? "utf-8") else {
            throw .noText(charset: name ?? "")
        }
        let content = mark.map { Array(bytes.dropFirst($0.0.count)) } ?? bytes
        let text: Bytes
        do throws(FetchError.Kind) {
            text = try Bytes(content).utf8(from: charset)
        } catch {
            throw .noText(charset: charset.rawValue)
        }
        guard let valid = text.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .noText(charset: charset.rawValue)
        }
        return valid
    }

    /// Decodes the JSON with the default rules of `JSONDecoder`.
    ///
    ///     struct Animal: Decodable { let name: String }
    ///     let animal = try fetched.decode(Animal.self)
    ///
    /// Throws `DecodingError` if the document is no such value.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Returns the JSON as a value whose type need not be known.
    ///
    ///     let name = try fetched.json()["animals"]?[0]?["name"]?.string
    ///
    /// Throws `FetchError` if the document is not JSON.
    public func json() throws -> JSONValue {
        guard let document else {
            throw report.error(
                .mediaType(head.headers["Content-Type"], excerpt: ""), at: url, request: request)
        }
        return document.withRoot { JSONValue($0) }
    }
}

/// A value of JSON.
///
///     let animals = try fetched.json()
///     if case .array(let list) = animals { print(list.count) }
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number with the digits that the server sent.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// An object. Of members with the same name, it has the last.
    case object([String: JSONValue])

    /// The text of a string; nil for any other value.
    ///
    ///     try fetched.json()["name"]?.string
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, if Int64 can represent it exactly; nil for any other value.
    ///
    ///     try fetched.json()["count"]?.integer
    public var integer: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    /// The number, rounded to the nearest Double; nil for any other value.
    ///
    ///     try fetched.json()["weight"]?.double
    public var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }

    /// The member of an object with this name; nil if there is none.
    ///
    ///     try fetched.json()["name"]
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element of an array at this index; nil if there is none.
    ///
    ///     try fetched.json()[0]
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// Copies a value. It recurs as deep as the document, which the parser limits.
    init(_ node: Node) {
        self =
            switch node.kind {
            case .null: .null
            case .false: .bool(false)
            case .true: .bool(true)
            case .integer, .real, .number: .number(node.text)
            case .string: .string(node.text)
            case .array: .array(node.elements.map { JSONValue($0) })
            case .object:
                .object(Dictionary(node.members.map { ($0.key.text, JSONValue($0.value)) }, uniquingKeysWith: { $1 }))
            }
    }
}

/// A response head for people: without the secrets of the request, and without those that the server hands out.
package struct FetchedHead: Sendable {
    /// The requested URL, or the one after all redirects; without secrets.
    package let url: String
    package let status: Int
    package let fields: [(name: String, value: String)]

    init(_ head: ResponseHead, url: String, _ redaction: Redaction) {
        self.url = url
        status = head.status
        fields = head.headers.all.map { name, value in
            let isSecret = name.lowercased() == "set-cookie" || SensitiveName.isHeader(name)
            return (redaction.redacted(name), isSecret ? "***" : redaction.redacted(value))
        }
    }
}
