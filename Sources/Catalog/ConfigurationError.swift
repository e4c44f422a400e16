/// A place in a configuration file; lines and columns begin at 1.
package struct ConfigurationPlace: Sendable, Equatable, CustomStringConvertible {
    package var file: String
    package var line: Int?
    package var column: Int?

    package init(file: String, line: Int? = nil, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `garner.yaml:7:5`
    package var description: String {
        [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":")
    }
}

/// One thing that is wrong in a configuration, where it is, and what to do.
package struct ConfigurationIssue: Sendable, Equatable {
    package var place: ConfigurationPlace
    package var message: String
    package var hint: String?

    package init(place: ConfigurationPlace, message: String, hint: String? = nil) {
        self.place = place
        self.message = message
        self.hint = hint
    }
}

/// Why there is no valid configuration.
package enum ConfigurationError: Error, Sendable, Equatable {
    /// No file was found; `searched` lists the places in order.
    case notFound(searched: [String])
    case unreadable(path: String, reason: String)
    /// At least one issue, in the order of the file.
    case invalid([ConfigurationIssue])
}
