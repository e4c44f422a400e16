/// Why a name on the command line stands for no stream.
package enum StreamSelectionError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknown(name: String, suggestion: String?)
    /// `candidates` are full names, in the order of the file.
    case ambiguous(name: String, candidates: [String])

    package var description: String {
        switch self {
        case .unknown(let name, _): "no stream is called '\(name)'"
        case .ambiguous(let name, let candidates): "'\(name)' may be \(candidates.joined(separator: " or "))"
        }
    }

    /// What to do about it.
    package var hint: String? {
        switch self {
        case .unknown(_, let suggestion): suggestion.map { "did you mean '\($0)'?" }
        case .ambiguous: "write the full name, source.stream"
        }
    }
}
