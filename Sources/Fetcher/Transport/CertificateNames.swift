import NIOCore
import NIOSSL

/// Refuses certificates that name their host in the common name only, which the TLS library would take.
///
/// "The client MUST NOT use [...] CN-ID" says RFC 9525 (2): a common name may be anything, and no authority vouches for it
/// as the name of a host.
enum CertificateNames {
    /// The channel's TLS, if it has one, is established. Fails with `TransportFailure`.
    static func require(on channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            guard let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self) else { return }
            guard tls.peerCertificate?._subjectAlternativeNames().isEmpty == false else {
                throw TransportFailure.tls(
                    reason: "the certificate has no subjectAltName, and its common name does not count as the host's")
            }
        }
    }
}
