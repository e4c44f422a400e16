import Persistence

/// Why a stream cannot be read by its cursor.
enum IncrementalError: Error, Sendable, Equatable {
    /// The cursor is no time, and is to be moved by a duration.
    case noTime(String)
    /// The cursor is no whole number, and is to be moved by a number.
    case noNumber(String)
    /// No record of the first page has the cursor field.
    case noField(String)
}

extension RunFailure {
    init(_ error: IncrementalError) {
        let (message, hint) =
            switch error {
            case .noTime(let text):
                (
                    "the cursor '\(text)' is no time that a duration could be added to",
                    "write 'step' and 'lookback_window' as numbers, or choose another cursor_field"
                )
            case .noNumber(let text):
                (
                    "the cursor '\(text)' is no whole number",
                    "write 'step' and 'lookback_window' as durations, or choose another cursor_field"
                )
            case .noField(let field):
                (
                    "no record of the first page has the cursor field '\(field)'",
                    "set cursor_field to a member that grows with every change"
                )
            }
        self.init(
            code: ExitCode.configuration, kind: "incremental", message: message, hint: hint, isPermanent: true)
    }
}
