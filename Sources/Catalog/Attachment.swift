/// A field that holds the URL of a file to be kept.
package struct Attachment: Sendable, Equatable {
    package var field: String
    /// `image/png`, or `image/*` for all of a kind.
    package var mediaTypes: [String]

    package init(field: String, mediaTypes: [String] = ["image/*"]) {
        self.field = field
        self.mediaTypes = mediaTypes
    }
}
