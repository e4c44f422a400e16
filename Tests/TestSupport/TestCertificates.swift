import Foundation
import NIOCore
package import NIOSSL

/// Certificates that were made for this run, good and bad ones, by the `openssl` command.
package final class TestCertificates: Sendable {
    package enum Server: String, CaseIterable, Sendable {
        /// A certificate for 127.0.0.1 and zoo.example, signed by the root.
        case valid
        case expired
        case otherHost = "other-host"
        case selfSigned = "self-signed"
        /// A certificate that is signed by a root that is not in `rootFile`.
        case otherRoot = "other-root"
        /// A certificate for localhost by its common name, signed by the root, without a subjectAltName.
        case commonName = "common-name"
        /// A certificate for 127.0.0.1 alone, signed by the root.
        case addressOnly = "address-only"
        /// A certificate for `*`, signed by the root.
        case anyHost = "any-host"
        /// A certificate as the valid one, for an RSA key of 1024 bits.
        case weakKey = "weak-key"
    }

    package enum Client: String, Sendable {
        /// A certificate that servers which require one accept.
        case known = "known-client"
        /// A certificate that is signed by a root that no server knows.
        case unknown = "unknown-client"
    }

    private static let shared = Result { try TestCertificates() }
    private let folder: TemporaryFolder

    /// The same for all tests, which only read them.
    package static func get() throws -> TestCertificates { try shared.get() }

    private init() throws {
        folder = try TemporaryFolder()
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-ec", Self.script]
        shell.currentDirectoryURL = folder.url
        shell.standardError = FileHandle.nullDevice
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        guard shell.terminationStatus == 0 else { throw OpenSSLFailure(code: shell.terminationStatus) }
    }

    /// A PEM file.
    package var rootFile: String { folder.path("root.pem") }

    /// A PEM file with a certificate of a client.
    package func file(of client: Client) -> String { folder.path("\(client.rawValue).pem") }

    /// The PEM file with the key of all certificates but those of roots.
    package var keyFile: String { folder.path("key.pem") }
    /// The same key, with a passphrase.
    package var lockedKeyFile: String { folder.path("locked.pem") }
    /// A key that belongs to none of them.
    package var otherKeyFile: String { folder.path("root.key") }

    /// The TLS context of a server that shows this certificate, and is told the names that clients ask for (SNI).
    package func context(
        _ server: Server, maximum: TLSVersion? = nil, requiresClient: Bool = false,
        asked: (@Sendable (String?) -> Void)? = nil
    ) throws -> NIOSSLContext {
        let certificates = try NIOSSLCertificate.fromPEMFile(folder.path("\(server.rawValue).pem"))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(file: folder.path(server == .weakKey ? "weak.key" : "key.pem"), format: .pem)))
        configuration.maximumTLSVersion = maximum
        if requiresClient {
            configuration.trustRoots = .file(rootFile)
            // "noHostnameVerification" makes a server require a certificate.
            configuration.certificateVerification = .noHostnameVerification
        }
        if let asked {
            configuration.sslContextCallback = { values, promise in
                asked(values.serverHostname)
                promise.succeed(NIOSSLContextConfigurationOverride())
            }
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// One key serves all. `-days -1` is yesterday.
    private static let script = """
        names='subjectAltName=IP:127.0.0.1,DNS:zoo.example'
        printf '[req]\\ndistinguished_name=name\\n[name]\\n' > request.conf
        printf 'basicConstraints=critical,CA:true\\nkeyUsage=critical,keyCertSign\\n' > root.ext
        printf 'basicConstraints=CA:false\\nextendedKeyUsage=serverAuth\\n%s\\n' "$names" > server.ext
        printf 'basicConstraints=CA:false\\nextendedKeyUsage=serverAuth\\nsubjectAltName=DNS:other.example\\n' > other.ext
        openssl ecparam -name prime256v1 -genkey -noout -out key.pem
        openssl ecparam -name prime256v1 -genkey -noout -out root.key
        openssl ecparam -name prime256v1 -genkey -noout -out unknown.key
        for name in root unknown; do
            openssl req -new -config request.conf -key $name.key -subj "/CN=Garner test $name" -out $name.csr
            openssl x509 -req -in $name.csr -signkey $name.key -days 3 -extfile root.ext -out $name.pem
        done
        printf 'basicConstraints=CA:false\\nextendedKeyUsage=serverAuth\\n' > nameless.ext
        openssl req -new -config request.conf -key key.pem -subj '/CN=localhost' -out server.csr
        sign() { openssl x509 -req -in server.csr -set_serial "$(($3 + 5))" -days $3 -extfile $4.ext -out $1.pem $2; }
        from() { echo "-CA $1.pem -CAkey $1.key"; }
        sign valid "$(from root)" 3 server
        sign expired "$(from root)" -1 server
        sign other-host "$(from root)" 3 other
        sign other-root "$(from unknown)" 3 server
        sign common-name "$(from root)" 3 nameless
        printf 'basicConstraints=CA:false\\nextendedKeyUsage=serverAuth\\nsubjectAltName=IP:127.0.0.1\\n' > address.ext
        sign address-only "$(from root)" 3 address
        printf 'basicConstraints=CA:false\\nextendedKeyUsage=serverAuth\\nsubjectAltName=DNS:*\\n' > any.ext
        sign any-host "$(from root)" 3 any
        openssl genrsa -out weak.key 1024
        openssl req -new -config request.conf -key weak.key -subj '/CN=weak' -out weak.csr
        openssl x509 -req -in weak.csr -set_serial 99 -days 3 -extfile server.ext -out weak-key.pem $(from root)
        printf 'basicConstraints=CA:false\\nextendedKeyUsage=clientAuth\\n' > client.ext
        sign known-client "$(from root)" 3 client
        sign unknown-client "$(from unknown)" 3 client
        openssl pkcs8 -topk8 -in key.pem -passout pass:secret -out locked.pem
        sign self-signed '-signkey key.pem' 3 server
        """
}

private struct OpenSSLFailure: Error {
    let code: Int32
}
