extension Selector {
    /// What selects the member of this name, to be put behind the selector of its object: `['it\'s']`.
    package static func segment(named name: String) -> String {
        // Not by Characters: a quote and a combining mark behind it are one, which is no quote.
        let escaped = name.unicodeScalars.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "['\(escaped.joined())']"
    }
}
