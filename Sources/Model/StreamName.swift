/// The full name of a stream: `source.stream`.
package struct StreamName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let source: String
    package let stream: String

    package init(source: String, stream: String) {
        self.source = source
        self.stream = stream
    }

    /// Parses the text that `description` returns. Returns nil if it is not `source.stream`.
    package init?(full name: String) {
        guard let dot = name.firstIndex(of: ".") else { return nil }
        let (source, stream) = (name[..<dot], name[name.index(after: dot)...])
        guard !source.isEmpty, !stream.isEmpty else { return nil }
        self.init(source: String(source), stream: String(stream))
    }

    /// Returns true if a source or a stream can have the name: ASCII letters, digits, `_` and `-`.
    package static func isPart(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    }

    package var description: String { "\(source).\(stream)" }

    package static func < (left: StreamName, right: StreamName) -> Bool {
        (left.source, left.stream) < (right.source, right.stream)
    }
}
