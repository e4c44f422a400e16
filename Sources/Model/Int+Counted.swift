extension Int {
    /// With its noun: `1 record`, `2 records`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
