/// A validated `garner.yaml`: every stream with all that it inherited already filled in.
package struct Configuration: Sendable {
    /// The path of the file as it was found.
    package var file: String
    /// The path of the database, resolved against the file's folder.
    package var database: String
    /// All streams, in the order of the file.
    package var streams: [Stream]
    /// What is allowed but unwise, such as a literal secret; for people, with its place.
    package var warnings: [ConfigurationIssue]
    /// Where each value of the streams comes from.
    package var effective: EffectiveConfiguration

    /// The file as it was read.
    var text = Secret("")
    /// The contents of the files that secrets come from; nil where none does.
    package internal(set) var fileSecrets: Secret?

    package init(
        file: String, database: String, streams: [Stream], warnings: [ConfigurationIssue] = [],
        effective: EffectiveConfiguration = EffectiveConfiguration()
    ) {
        self.file = file
        self.database = database
        self.streams = streams
        self.warnings = warnings
        self.effective = effective
    }

    /// Returns true if `other` was read from the same text, so that it can differ in secrets from files only.
    package func isSameText(as other: Configuration) -> Bool { text == other.text }
}
