import CSimdJSON

/// One parsed JSON document. It owns its bytes, is immutable, and may be read by any task.
///
/// Elements point into the document without retaining it, so they are handed out inside a scope only.
package final class Document: @unchecked Sendable {
    // Safe because nothing is written after `init`.
    private let source: UnsafeRawBufferPointer
    private var parsed: garner_json_document
    private var nodes: UnsafePointer<garner_json_node>

    /// What was read otherwise than it was written.
    package let notes: Notes

    /// Parses UTF-8 JSON (RFC 8259); one byte order mark at the start is skipped.
    package convenience init(parsing bytes: consuming Bytes) throws(JSONError) {
        try self.init(bytes, parse: garner_json_parse)
    }

    /// Parses JSON Lines, also called NDJSON, into an array of the lines' values; one byte order mark at the start is
    /// skipped.
    ///
    /// A line ends with LF or CR LF, the last one with the bytes. One of white space only is skipped; any other holds
    /// one whole value, which may be as deep as a document's. An error names the line. The root's spelling is all lines.
    package convenience init(parsingLines bytes: consuming Bytes) throws(JSONError) {
        try self.init(bytes, parse: garner_json_parse_lines)
    }

    private typealias Parse = (
        UnsafePointer<CChar>?, Int, UnsafeMutablePointer<garner_json_document>?
    ) -> garner_json_failure

    private init(_ bytes: consuming Bytes, parse: Parse) throws(JSONError) {
        source = bytes.release()
        parsed = garner_json_document()
        let mark = source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let text = source.baseAddress?.assumingMemoryBound(to: CChar.self)
        let failure = parse(text?.advanced(by: mark), source.count - mark, &parsed)
        guard failure.status == GARNER_JSON_OK, let first = parsed.nodes else {
            // `deinit` does not run for an `init` that throws.
            garner_buffer_free(UnsafeMutableRawPointer(mutating: source.baseAddress))
            throw JSONError(failure, after: mark)
        }
        nodes = UnsafePointer(first)
        notes = Notes(rawValue: parsed.notes)
    }

    deinit {
        garner_json_release(&parsed)
        garner_buffer_free(UnsafeMutableRawPointer(mutating: source.baseAddress))
    }

    package var byteCount: Int { source.count }

    /// The whole value; elements are valid inside `body` only.
    package func withRoot<R, Failure: Error>(_ body: (Node) throws(Failure) -> R) throws(Failure) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(element(at: 0))
    }

    /// The bytes that were parsed; the buffer is valid inside `body` only.
    package func withSource<R, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> R) throws(Failure)
        -> R
    {
        defer { withExtendedLifetime(self) {} }
        return try body(source)
    }

    /// The element at a place that `index(of:)` gave; the caller keeps the document alive.
    func element(at index: Int) -> Node { Node(raw: nodes + index) }

    func index(of element: Node) -> Int { element.raw - nodes }
}

extension JSONError {
    fileprivate init(_ failure: garner_json_failure, after mark: Int) {
        let kind: Kind =
            switch failure.status {
            case GARNER_JSON_EMPTY: .empty
            case GARNER_JSON_INVALID_UTF8: .invalidUTF8
            case GARNER_JSON_TOO_DEEP: .tooDeep
            case GARNER_JSON_TOO_LARGE: .tooLarge
            case GARNER_JSON_OUT_OF_MEMORY: .outOfMemory
            default: .invalid
            }
        let reason = String(cString: failure.reason)
        self.init(
            kind: kind, offset: failure.offset + mark,
            reason: failure.line == 0 ? reason : "line \(failure.line): \(reason)")
    }
}
