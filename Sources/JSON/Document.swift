import CGarnerSimdJSON

/// A parsed JSON document. It owns its bytes, is immutable, and may be read by any task.
///
/// Nodes point into the document without retaining it, so they are passed only to closures.
package final class Document: @unchecked Sendable {
    // Safe because nothing is written after `init`, and the builder of a composed document is consumed by it.
    private let source: UnsafeRawBufferPointer
    private var parsed: garner_json_document
    private var nodes: UnsafePointer<garner_json_node>
    /// The document and the texts at which the nodes of a composed document point; nil for one that was parsed.
    private let origin: (document: Document, texts: KeptTexts)?

    /// Notes on values that were read differently from how they were written.
    package let notes: Notes

    /// Parses UTF-8 JSON (RFC 8259). One byte order mark at the start is skipped.
    package convenience init(parsing bytes: consuming Bytes) throws(JSONError) {
        try self.init(bytes, parse: garner_json_parse)
    }

    /// Parses JSON Lines (NDJSON) into an array of the lines' values. One byte order mark at the start is skipped.
    ///
    /// A line ends with LF or CR LF, and the last one may end with the bytes. Blank lines are skipped. Every other line
    /// holds one whole value, which may be as deep as a document's. An error names the line. The spelling of the root
    /// is that of all lines.
    ///
    /// - Parameter lines: The number of lines before these, if they are a piece of a text.
    package convenience init(parsingLines bytes: consuming Bytes, after lines: Int = 0) throws(JSONError) {
        try self.init(bytes, parse: garner_json_parse_lines, after: lines)
    }

    private typealias Parse = (
        UnsafePointer<CChar>?, Int, UnsafeMutablePointer<garner_json_document>?
    ) -> garner_json_failure

    private init(_ bytes: consuming Bytes, parse: Parse, after lines: Int = 0) throws(JSONError) {
        source = bytes.release()
        parsed = garner_json_document()
        let mark = lines == 0 && source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let text = source.baseAddress?.assumingMemoryBound(to: CChar.self)
        let failure = parse(text?.advanced(by: mark), source.count - mark, &parsed)
        guard failure.status == GARNER_JSON_OK, let first = parsed.nodes else {
            let found = ForeignJSON.reason(at: failure.offset + mark, in: source, isLine: failure.line != 0)
            // `deinit` does not run for an `init` that throws.
            garner_buffer_free(UnsafeMutableRawPointer(mutating: source.baseAddress))
            throw JSONError(failure, found, after: mark, lines: lines)
        }
        nodes = UnsafePointer(first)
        notes = Notes(rawValue: parsed.notes)
        origin = nil
    }

    /// Takes over the nodes that a `DocumentBuilder` wrote from another document.
    init(
        composedOf nodes: UnsafeMutablePointer<garner_json_node>, count: Int, _ texts: KeptTexts,
        from document: Document
    ) {
        source = UnsafeRawBufferPointer(start: nil, count: 0)
        parsed = garner_json_document(nodes: nodes, count: count, arena: nil, notes: document.notes.rawValue)
        self.nodes = UnsafePointer(nodes)
        // What was not preserved may have been left out.
        notes = document.notes.isEmpty ? [] : document.notes.intersection(Node(raw: nodes).notes)
        origin = (document, texts)
    }

    deinit {
        garner_json_release(&parsed)
        garner_buffer_free(UnsafeMutableRawPointer(mutating: source.baseAddress))
    }

    /// The bytes that were parsed; of a composed document, none.
    package var byteCount: Int { source.count }

    var nodeCount: Int { parsed.count }

    /// Calls `body` with the root. Nodes are valid inside `body` only.
    package func withRoot<R, Failure: Error>(_ body: (Node) throws(Failure) -> R) throws(Failure) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(element(at: 0))
    }

    /// Calls `body` with the bytes that were parsed. The buffer is valid inside `body` only.
    package func withSource<R, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> R) throws(Failure)
        -> R
    {
        defer { withExtendedLifetime(self) {} }
        return try body(source)
    }

    /// Returns the node at a position that `index(of:)` returned. The caller keeps the document alive.
    func element(at index: Int) -> Node { Node(raw: nodes + index) }

    func index(of element: Node) -> Int { element.raw - nodes }
}

extension JSONError {
    /// - Parameter found: What stands there that JSON has not; nil if that is not known.
    fileprivate init(_ failure: garner_json_failure, _ found: String?, after mark: Int, lines: Int) {
        let kind: Kind =
            switch failure.status {
            case GARNER_JSON_EMPTY: .empty
            case GARNER_JSON_INVALID_UTF8: .invalidUTF8
            case GARNER_JSON_TOO_DEEP: .tooDeep
            case GARNER_JSON_TOO_LARGE: .tooLarge
            case GARNER_JSON_OUT_OF_MEMORY: .outOfMemory
            default: .invalid
            }
        let known = String(cString: failure.reason)
        let reason = kind == .invalid && known.hasPrefix("not ") ? found ?? known : known
        self.init(
            kind: kind, offset: failure.offset + mark,
            reason: failure.line == 0 ? reason : "line \(Int(failure.line) + lines): \(reason)")
    }
}

extension Document {
    /// Details of a document that JSON allows but that are not preserved as written.
    package struct Notes: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// An object has a duplicate key. The last value wins.
        package static let duplicateKeys = Notes(rawValue: 1)
        /// A lone surrogate in a string or a key was replaced by U+FFFD.
        package static let replacedSurrogates = Notes(rawValue: 2)
    }
}

extension Node {
    /// What is not preserved of the value and all that it contains. O(nodes).
    fileprivate var notes: Document.Notes {
        switch kind {
        case .string: return isReplaced ? .replacedSurrogates : []
        case .array: return elements.reduce(into: []) { $0.formUnion($1.notes) }
        case .object:
            var keys: Set<[UInt8]> = []
            return members.reduce(into: []) { notes, member in
                if !keys.insert(Array(member.key.utf8)).inserted { notes.insert(.duplicateKeys) }
                notes.formUnion(member.key.notes)
                notes.formUnion(member.value.notes)
            }
        default: return []
        }
    }
}

/// The error of a text that is not valid JSON, with its position.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason where a value is complete, and something follows it (walk.cpp).
    package static let textAfterValue = "unexpected text after the value"

    /// The reason where the text is in another encoding (locate.cpp).
    package static let notUTF8 = "not UTF-8"

    /// The reason where the text is nothing that JSON has (locate.cpp).
    package static let notJSON = "not JSON"

    package enum Kind: Sendable {
        case invalid
        /// There are no bytes, or only white space.
        case empty
        case invalidUTF8
        /// The value is nested deeper than 512 levels.
        case tooDeep
        /// The text is longer than 1 GiB, with all lines together.
        case tooLarge
        case outOfMemory
    }

    package let kind: Kind
    /// The position of the error in bytes from the start of the text.
    package let offset: Int
    /// A description, which begins with the line number, from 1, if lines were parsed and one is wrong.
    package let reason: String

    package var description: String { "\(reason) (byte \(offset))" }
}
