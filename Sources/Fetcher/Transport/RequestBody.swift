package import Catalog

/// What a request carries to the server; as it may hold secrets, nothing prints it.
package struct RequestBody: Sendable {
    /// The value of the `Content-Type` field.
    package let mediaType: String
    private let content: Secret

    package init(mediaType: String, content: Secret) {
        self.mediaType = mediaType
        self.content = content
    }

    /// The text itself, for the transport that sends it.
    package func revealed() -> String { content.reveal() }
}
