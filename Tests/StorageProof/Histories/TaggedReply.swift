import TestSupport

extension LoopbackReply {
    /// Returns an answer with an ETag of its body, or "not modified" if the request has that ETag.
    ///
    /// - Parameter sendsETags: False for an answer without an ETag.
    static func tagged(
        _ body: [UInt8], _ type: String, _ headers: [(String, String)], answering request: LoopbackRequest,
        sendsETags: Bool
    ) -> LoopbackReply {
        var headers = [("Content-Type", type)] + headers
        if sendsETags {
            let hash = body.reduce(into: 0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            let tag = "\"\(String(hash, radix: 16))\""
            headers.append(("ETag", tag))
            if request["If-None-Match"] == tag {
                return LoopbackReply(.bytes(LoopbackReply.head(status: 304, headers: headers)))
            }
        }
        return .response(headers: headers, body: body)
    }
}
