import JSON

/// Reads a body into memory, up to a limit and as long as its head promised.
struct BodyReader: Sendable {
    private let limit: Int
    /// Bytes by `Content-Length`; nil where the body was compressed or its length is not told.
    private let promised: Int?

    /// Throws where the head already tells that the body cannot be read.
    init(head: ResponseHead, limit: Int) throws(FetchError.Kind) {
        self.limit = limit
        let encoding = head.headers.values(of: "Content-Encoding").joined(separator: ",").lowercased()
        guard ["", "identity", "gzip", "deflate"].contains(encoding) else {
            throw .decompression(reason: "\(encoding) was not asked for")
        }
        let isPlain = encoding.isEmpty || encoding == "identity"
        // What is larger than the largest number is larger than any limit.
        promised = isPlain ? head.headers["Content-Length"].map { Int($0) ?? .max } : nil
        if let promised, promised > limit { throw .bodyTooLarge(limit: limit) }
    }

    func read(_ body: any AsyncSequence<BodyChunk, any Error>, arrivals: Arrivals) async throws -> Bytes {
        var bytes = Bytes(reservingCapacity: promised ?? 0)
        for try await chunk in body {
            arrivals.note()
            guard bytes.count + chunk.count <= limit else { throw FetchError.Kind.bodyTooLarge(limit: limit) }
            chunk.withUnsafeBytes { bytes.append($0) }
        }
        if let promised, promised != bytes.count { throw FetchError.Kind.incompleteBody }
        return bytes
    }

    /// The first bytes, for an error that quotes them; empty where none can be read.
    func start(of body: any AsyncSequence<BodyChunk, any Error>, arrivals: Arrivals) async throws -> [UInt8] {
        do {
            for try await chunk in body where chunk.count > 0 {
                return chunk.withUnsafeBytes { Array($0.prefix(Redaction.inspectedBytes)) }
            }
        } catch is TransportFailure {
            // The refusal that asks for the bytes says more.
        }
        return []
    }
}
