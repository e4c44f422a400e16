/// A text that reaches a request and nothing else: it prints as `***`, reflects as nothing and does not encode.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text itself, for the one place that puts it into a request.
    package func reveal() -> String { text }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text of the configuration: as written, or with a secret in it.
package enum ConfiguredText: Sendable, Equatable, CustomStringConvertible {
    case literal(String)
    case secret(Secret)

    /// The text itself, for the one place that puts it into a request.
    package func reveal() -> String {
        switch self {
        case .literal(let text): text
        case .secret(let secret): secret.reveal()
        }
    }

    package var description: String {
        switch self {
        case .literal(let text): text
        case .secret(let secret): secret.description
        }
    }
}
