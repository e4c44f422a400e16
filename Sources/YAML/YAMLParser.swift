internal import CGarnerYAML

/// The reason why a text is no YAML that can be read.
package enum YAMLError: Error {
    /// The construct that has the problem, and where it begins.
    package struct Context: Equatable, Sendable {
        package let text: String
        package let mark: YAMLMark

        package init(text: String, mark: YAMLMark) { (self.text, self.mark) = (text, mark) }
    }

    case malformed(problem: String, YAMLMark, context: Context?)
    /// A character that YAML does not allow.
    case forbiddenCharacter(problem: String, YAMLMark)
    /// The place is that of the second one.
    case duplicateKey(String, YAMLMark, firstLine: Int)
    case nestedTooDeeply(YAMLMark)
    case outOfMemory
}

/// The events of a text, as libyaml's parser tells them.
struct YAMLParser: ~Copyable {
    enum Event {
        /// The anchor and the tag that may precede a node.
        struct Properties {
            let anchor: String?
            let tag: String?
        }

        case documentStart
        case alias(anchor: String)
        case scalar(YAMLNode.Scalar, Properties)
        case collectionStart(isMapping: Bool, Properties)
        case collectionEnd
        /// The stream's start, and the document's end.
        case other
        case streamEnd
    }

    /// libyaml keeps this address, so the parser cannot move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter bytes: UTF-8, at least one byte. They must outlive the parser.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
        self.bytes = bytes
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw .outOfMemory
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Returns the next event and where it begins. After an error or the stream's end there is none.
    func next() throws(YAMLError) -> (Event, YAMLMark) {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
        defer { yaml_event_delete(&event) }
        return (Self.event(event), YAMLMark(event.start_mark))
    }

    private static func event(_ event: yaml_event_t) -> Event {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_ALIAS_EVENT: return .alias(anchor: text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            // It may hold NUL, so it does not end there.
            let value = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return .scalar(
                YAMLNode.Scalar(
                    string: value, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
                    spansLines: scalar.style == YAML_PLAIN_SCALAR_STYLE && event.end_mark.line > event.start_mark.line),
                Event.Properties(anchor: text(scalar.anchor), tag: text(scalar.tag)))
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return .collectionStart(
                isMapping: false, Event.Properties(anchor: text(start.anchor), tag: text(start.tag)))
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return .collectionStart(isMapping: true, Event.Properties(anchor: text(start.anchor), tag: text(start.tag)))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .collectionEnd
        case YAML_STREAM_END_EVENT: return .streamEnd
        default: return .other
        }
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    private func error() -> YAMLError {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? "it cannot be read"
        switch state.error {
        case YAML_MEMORY_ERROR: return .outOfMemory
        // The reader is ahead of the marks; it tells the offset of a byte.
        case YAML_READER_ERROR: return .forbiddenCharacter(problem: problem, mark(of: state.problem_offset))
        default:
            let context = state.context.map {
                YAMLError.Context(text: String(cString: $0), mark: YAMLMark(state.context_mark))
            }
            return .malformed(problem: problem, YAMLMark(state.problem_mark), context: context)
        }
    }

    /// Returns the place of a byte.
    private func mark(of offset: Int) -> YAMLMark {
        var line = 1
        var column = 1
        var previous: Unicode.Scalar?
        for scalar in String(decoding: bytes.prefix(offset), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n" where previous == "\r": break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": (line, column) = (line + 1, 1)
            default: column += 1
            }
            previous = scalar
        }
        return YAMLMark(line: line, column: column)
    }
}

extension YAMLMark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
