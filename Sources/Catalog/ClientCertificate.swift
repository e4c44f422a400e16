/// A certificate by which servers know the client, with its private key.
package struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, followed by those that stand behind it.
    package var certificate: String
    /// The path of a PEM file with the private key. It may be the same file.
    package var key: String

    package init(certificate: String, key: String) {
        (self.certificate, self.key) = (certificate, key)
    }

    static let format = Keys(
        ClientCertificate(certificate: "", key: ""),
        Key(
            "certificate", .text { $0.certificateAuthority($1) }, to: \.certificate,
            required: "add 'certificate: client.pem'",
            "A PEM file with the certificate and those that stand behind it, relative to this file."),
        Key(
            "key", .text { $0.certificateAuthority($1) }, to: \.key, required: "add 'key: client.key'",
            "A PEM file with the certificate's private key, without a passphrase, relative to this file.")
    ).format(hint: "write client_certificate: { certificate: client.pem, key: client.key }")
}
