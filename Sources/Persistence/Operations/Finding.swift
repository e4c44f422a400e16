/// What a check of `garner doctor` came to.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable {
        case ok, warning, problem
    }

    /// What was looked at.
    package let check: String
    package let level: Level
    package let message: String
    /// What to do about it; nil where nothing is to be done.
    package let hint: String?

    package static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, level: .ok, message: message, hint: nil)
    }

    package static func warning(_ check: String, _ message: String, hint: String) -> Finding {
        Finding(check: check, level: .warning, message: message, hint: hint)
    }

    package static func problem(_ check: String, _ message: String, hint: String) -> Finding {
        Finding(check: check, level: .problem, message: message, hint: hint)
    }
}
