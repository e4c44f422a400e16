/// A text that reaches a request and nothing else: it prints as `***`, reflects as nothing and does not encode.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String
    /// Others may repeat these alone.
    private let variables: [String]

    package init(_ text: String) { self.init(text, variables: []) }

    /// - Parameter variables: what the text was put together from and was not written in the open.
    init(_ text: String, variables: [String]) {
        self.text = text
        self.variables = variables
    }

    /// The text itself, for the one place that puts it into a request.
    package func reveal() -> String { text }

    /// The values of the variables in the text, for the one place that takes them out of other texts.
    package func revealVariables() -> [String] { variables }

    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

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
