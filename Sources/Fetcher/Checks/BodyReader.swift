import JSON

/// Reads a body, up to a limit and as long as its head promised.
struct BodyReader: Sendable {
    private let limit: Int
    /// Bytes by `Content-Length`; nil where the body was compressed or its length is not told.
    private let promised: Int?
    private let folders: [String]

    /// Throws where the head already tells that the body cannot be read.
    ///
    /// - Parameter folders: where a long body may be kept while it comes in.
    init(head: ResponseHead, limit: Int, folders: [String] = []) throws(FetchError.Kind) {
        self.limit = limit
        self.folders = folders
        let encoding = head.headers.values(of: "Content-Encoding").joined(separator: ",").lowercased()
        guard ["", "identity", "gzip", "deflate"].contains(encoding) else {
            throw .decompression(reason: "\(encoding) was not asked for")
        }
        let isPlain = encoding.isEmpty || encoding == "identity"
        // What is larger than the largest number is larger than any limit.
        promised = isPlain ? head.headers["Content-Length"].map { Int($0) ?? .max } : nil
        if let promised, promised > limit { throw .bodyTooLarge(limit: limit) }
    }

    func read(_ body: inout IncomingBody) async throws -> Bytes {
        var buffer = BodyBuffer(expecting: promised ?? 0) { [folders] in TemporaryFile(in: folders) }
        while let chunk = try await chunk(after: buffer.count, of: &body) {
            chunk.withUnsafeBytes { buffer.append($0) }
        }
        return try buffer.whole()
    }

    /// The chunk behind the first `count` bytes; nil at the end of a body that is complete.
    func chunk(after count: Int, of body: inout IncomingBody) async throws -> BodyChunk? {
        guard let chunk = try await body.next() else {
            if let promised, promised != count { throw FetchError.Kind.incompleteBody }
            return nil
        }
        guard chunk.count <= limit - count else { throw FetchError.Kind.bodyTooLarge(limit: limit) }
        return chunk
    }
}
