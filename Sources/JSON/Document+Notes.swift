extension Document {
    /// What a document holds that JSON allows and that does not come through as it was written.
    package struct Notes: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// An object has a key twice, and the last one wins.
        package static let duplicateKeys = Notes(rawValue: 1)
        /// A lone surrogate in a string or a key was replaced by U+FFFD.
        package static let replacedSurrogates = Notes(rawValue: 2)
    }
}
