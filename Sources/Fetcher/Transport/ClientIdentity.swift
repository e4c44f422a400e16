import GarnerCatalog
import GarnerLibC
import NIOSSL

/// The certificate that the client shows to a server which asks for one, and the key that proves it.
struct ClientIdentity: Hashable, Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads the files. Throws `FetchError.Kind` if they cannot be used, or do not fit each other.
    init(_ files: ClientCertificate) throws(FetchError.Kind) {
        let certificate = try Self.content(of: files.certificate)
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(certificate)
        } catch {
            throw .clientCertificate(file: files.certificate, reason: "it holds no certificate in PEM")
        }
        let text = try Self.content(of: files.key)
        do {
            key = try Self.key(in: text)
        } catch {
            let isEncrypted = String(decoding: text, as: UTF8.self).contains("ENCRYPTED")
            throw .clientCertificate(
                file: files.key,
                reason: isEncrypted ? "its key needs a passphrase" : "it holds no private key in PEM")
        }
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            // The system's roots would be read for nothing.
            configuration.trustRoots = .certificates(chain)
            show(in: &configuration)
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .clientCertificate(
                file: files.key, reason: "its key does not belong to the certificate of \(files.certificate)")
        }
    }

    /// Makes connections with this configuration show the certificate.
    func show(in configuration: inout TLSConfiguration) {
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
    }

    private static func content(of file: String) throws(FetchError.Kind) -> [UInt8] {
        do throws(PEMFile.ReadError) {
            return try PEMFile(path: file).bytes
        } catch {
            throw .clientCertificate(file: file, reason: error.reason)
        }
    }

    private struct PassphraseNeeded: Error {}

    /// Without the callback, the TLS library would ask for a passphrase on the terminal.
    private static func key(in bytes: [UInt8]) throws -> NIOSSLPrivateKey {
        try NIOSSLPrivateKey(bytes: bytes, format: .pem) { (_: ([UInt8]) -> Void) in throw PassphraseNeeded() }
    }
}

/// A file of certificates or keys in PEM.
struct PEMFile {
    struct ReadError: Error {
        /// The rest of a sentence that begins with the file.
        let reason: String
    }

    /// The limit in bytes. The certificates of all public authorities have 200 KB.
    private static let maximumBytes = 16 << 20

    let bytes: [UInt8]

    init(path: String) throws(ReadError) {
        let bytes: [UInt8]
        do throws(FileReadError) {
            bytes = try readFile(at: path, upTo: Self.maximumBytes + 1, isOnDisk: true)
        } catch {
            throw ReadError(reason: error == .system(ENOENT) ? "there is no such file" : "it cannot be read")
        }
        guard bytes.count <= Self.maximumBytes else { throw ReadError(reason: "it is larger than 16 MiB") }
        self.bytes = bytes
    }
}
