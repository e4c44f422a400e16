import Catalog
import Digest
import JSON

/// A response that passed every check.
struct Reply: Sendable {
    /// Where it came from, behind all redirects.
    let address: WebAddress
    let head: ResponseHead
    let content: Content

    enum Content: Sendable {
        case document(Document, Fingerprint)
        /// A document with the request's fingerprint, byte for byte what is stored.
        case repeated
        /// Of a request for a file.
        case file(mediaType: String, [UInt8])
        /// What was stored with the request's validator is still what the server has.
        case notModified
        /// The configuration says that there are no records in it.
        case ignored
    }
}
