import GarnerModel

/// The exit codes of the program, beside those of failures.
enum ExitCode {
    /// Some streams failed, and others did not.
    static let partial: Int32 = 2
    /// A stream's run is overdue.
    static let overdue: Int32 = 3
}

extension ErrorCategory {
    /// The exit code of the program, from sysexits.h if it has a word for the category.
    ///
    /// Databases keep a category by the same number.
    var exitCode: Int32 { rawValue }
}
