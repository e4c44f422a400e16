/// A text that only requests reveal. It prints as `***`, has no mirror of its text, and cannot be encoded.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String
    /// The values of the variables. Other texts may contain these alone.
    private let variables: [String]

    package init(_ text: String) { self.init(text, variables: []) }

    /// - Parameter variables: the values of variables from which the text was made.
    init(_ text: String, variables: [String]) {
        self.text = text
        self.variables = variables
    }

    /// Returns the text itself, for the code that puts it into a request.
    package func reveal() -> String { text }

    /// Returns the values of the variables in the text, for the code that removes them from other texts.
    package func revealVariables() -> [String] { variables }

    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text of the configuration: a literal, or a secret.
package enum ConfiguredText: Sendable, Equatable, CustomStringConvertible {
    case literal(String)
    case secret(Secret)

    /// Returns the text itself, for the code that puts it into a request.
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
