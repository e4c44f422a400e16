import GarnerCatalog
import GarnerDigest
import GarnerModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The SHA-256 of a body, as a field of its head states it: `Content-Digest` and `Repr-Digest` (RFC 9530), or `Digest` (RFC 3230).
///
/// All three are of the bytes as they were sent, in their content coding, which the transport has undone. So they count where there is
/// none, and those of the whole representation where the body is no part of it.
struct StatedDigest {
    private static let algorithm = "sha-256"
    private static let length = 32

    let field: String
    /// The digests as hexadecimal digits; one that is spelled otherwise than in Base64 is left out.
    private let digests: [String]

    /// Returns nil if the head states none that can be checked.
    init?(_ head: ResponseHead) {
        let names = head.status == 206 ? ["Content-Digest"] : ["Content-Digest", "Repr-Digest", "Digest"]
        guard let field = names.first(where: { head.headers[$0] != nil }) else { return nil }
        self.field = field
        digests = head.headers.values(of: field).flatMap { $0.split(separator: ",") }.compactMap { entry -> String? in
            let parts = entry.trimming { $0 == " " || $0 == "\t" }.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == Self.algorithm else { return nil }
            // A field of RFC 9530 has colons around the bytes, and perhaps parameters behind them.
            let text = parts[1].prefix { $0 != ";" }.trimming { $0 == ":" || $0 == " " }
            guard let bytes = Data(base64Encoded: String(text)), bytes.count == Self.length else { return nil }
            return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        if digests.isEmpty { return nil }
    }

    /// Throws if the body is another one.
    func check(_ body: borrowing BodyBuffer) throws(FetchError.Kind) {
        let found = try body.sha256()
        if !digests.contains(found) { throw .wrongDigest(field: field) }
    }
}

extension BodyBuffer {
    /// Returns the SHA-256 of the body so far, as hexadecimal digits. Throws if the file cannot be read.
    fileprivate borrowing func sha256() throws(FetchError.Kind) -> String {
        try SHA256.hexDigest { part throws(FetchError.Kind) in try read(part) }
    }
}
