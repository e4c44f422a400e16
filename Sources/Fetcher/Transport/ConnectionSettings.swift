import Catalog
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that decides what a connection is like: streams that agree in it may share their connections.
struct ConnectionSettings: Hashable, Sendable {
    let connect: Duration
    /// Bytes of a body after decompression.
    let body: Int
    /// The largest number of bytes that one compressed byte may become; nil: the built-in one.
    let ratio: Int?
    let proxies: ProxyRules
    /// nil: the system's.
    let trustRoots: [NIOSSLCertificate]?

    /// Throws `FetchError.Kind` where the file with the certificates cannot be used.
    init(of stream: Stream, environment: [String: String]) throws(FetchError.Kind) {
        connect = stream.limits.connect
        body = stream.limits.body
        ratio = stream.limits.ratio
        proxies = ProxyRules(stream.proxy, environment: environment)
        trustRoots =
            if let file = stream.certificateAuthority { try Self.certificates(in: file) } else { nil }
    }

    private static func certificates(in file: String) throws(FetchError.Kind) -> [NIOSSLCertificate] {
        let text: Data
        do {
            text = try Data(contentsOf: URL(filePath: file))
        } catch {
            let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
            throw .certificates(file: file, reason: isMissing ? "there is no such file" : "it cannot be read")
        }
        do {
            return try NIOSSLCertificate.fromPEMBytes(Array(text))
        } catch {
            throw .certificates(file: file, reason: "it holds what is no certificate in PEM, or none at all")
        }
    }
}
