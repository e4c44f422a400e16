import Digest

/// A file that a run is to ask for.
package struct DueFile: Sendable, Equatable {
    /// The place of the first record with this URL; later ones have greater places.
    package let row: Int64
    /// As it stands in the record.
    package let url: String
    /// What the server can be asked with whether the stored file has changed.
    package let validator: String?
}

/// What became of a file that a run asked for.
package struct AttachmentOutcome: Sendable {
    package enum Content: Sendable {
        case file(StoredFile, validator: String?)
        /// The stored file is still the one, or there is none and need not be.
        case asBefore
        case failed(kind: String, message: String)
    }

    let field: String
    let url: String
    let content: Content
    let requests: [RequestRecord]

    package init(field: String, url: String, _ content: Content, requests: [RequestRecord]) {
        self.field = field
        self.url = url
        self.content = content
        self.requests = requests
    }
}

/// The bytes of a file, and what tells them from all others.
package struct StoredFile: Sendable {
    let sha256: String
    let mediaType: String
    let bytes: [UInt8]

    package init(mediaType: String, _ bytes: [UInt8]) {
        sha256 = SHA256.hexDigest(of: bytes)
        self.mediaType = mediaType
        self.bytes = bytes
    }
}
