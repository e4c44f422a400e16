/// A file that a record points to, as it came in.
package struct FetchedFile: Sendable {
    package enum Content: Sendable, Equatable {
        /// Complete, and of a type that was asked for.
        case file(mediaType: String, [UInt8])
        /// The server said that it is still the one that was stored.
        case unchanged
        /// The configuration says that the answer is none.
        case nothing
    }

    package let content: Content
    /// What the server calls this state of the file; nil where it cannot be asked about it.
    package let validator: String?
    package let request: RequestEntry
}
