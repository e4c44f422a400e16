/// The full name of a stream: `source.stream`.
package struct StreamName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let source: String
    package let stream: String

    package init(source: String, stream: String) {
        self.source = source
        self.stream = stream
    }

    package var description: String { "\(source).\(stream)" }

    package static func < (left: StreamName, right: StreamName) -> Bool {
        (left.source, left.stream) < (right.source, right.stream)
    }
}
