import Catalog
import JSON

/// A response that passed every check.
struct Reply: Sendable {
    /// Where it came from, behind all redirects.
    let address: WebAddress
    let head: ResponseHead
    let document: Document
    /// How many attempts it took.
    var requests = 1
}
