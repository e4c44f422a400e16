import GarnerCatalog
import TestSupport

extension Fault {
    /// A certificate of the server proves nothing, or the server accepts none of the client.
    static let certificates: [Fault] = [
        certified("shows a certificate that is over", .expired),
        certified("shows a certificate for another host", .otherHost),
        certified("shows a certificate that it signed itself", .selfSigned),
        certified("shows a certificate of another authority", .otherRoot),
        certified("shows a certificate with its host in the common name only", .commonName),
        certified("requires a client certificate, and none is configured", .valid, requiresClient: true),
        certified("does not accept the client certificate", .valid, requiresClient: true, client: .unknown),
    ]

    private static func certified(
        _ name: String, _ server: TestCertificates.Server, requiresClient: Bool = false,
        client: TestCertificates.Client? = nil
    ) -> Fault {
        Fault(name, .error("tls")).with {
            $0.place = .tlsServer(server, requiresClient: requiresClient)
            $0.change = { stream in
                guard let certificates = try? TestCertificates.get() else { return }
                stream.certificateAuthority = certificates.rootFile
                stream.clientCertificate = client.map {
                    ClientCertificate(certificate: certificates.file(of: $0), key: certificates.keyFile)
                }
            }
        }
    }
}
