package import JSON

/// A document that came in whole.
public struct FetchedDocument: Sendable {
    /// Where it came from, behind all redirects; without secrets.
    public let url: String
    public let head: ResponseHead
    /// nil where the stream's `response_actions` ignore the response.
    package let document: Document?
    /// What it took on the network.
    package let request: RequestEntry

    /// The JSON or JSON Lines that was checked, in UTF-8 as it was sent.
    public var bytes: [UInt8] { document?.withSource { Array($0) } ?? [] }
}
