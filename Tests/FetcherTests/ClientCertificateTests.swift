import GarnerCatalog
import GarnerFetcher
import Foundation
import NIOSSL
import TestSupport
import Testing

/// Servers that require a certificate of the client.
@Suite(.timeLimit(.minutes(5)))
struct ClientCertificateTests {
    private static func stream(
        at url: String, certificate: TestCertificates.Client? = .known,
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) throws -> StreamConfiguration {
        let certificates = try TestCertificates.get()
        return FetcherTests.stream(at: url) {
            $0.certificateAuthority = certificates.rootFile
            $0.clientCertificate = certificate.map {
                ClientCertificate(certificate: certificates.file(of: $0), key: certificates.keyFile)
            }
            change(&$0)
        }
    }

    private static func serve<Result: Sendable>(
        maximum: TLSVersion? = nil, _ handler: @escaping LoopbackServer.Handler = { _ in .json("[1]") },
        _ body: @escaping @Sendable (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let context = try TestCertificates.get().context(.valid, maximum: maximum, requiresClient: true)
        return try await LoopbackServer.serve(tls: context, handler, body)
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func `a server that requires a certificate is shown the configured one`(version: TLSVersion) async throws {
        try await Self.serve(maximum: version) { server in
            let page = try await withFetcher(try Self.stream(at: server.url)) {
                try await $0.page(at: $0.firstPosition)
            }
            #expect(page.texts == ["1"])
        }
    }

    @Test(arguments: [TestCertificates.Client?.none, .unknown])
    func `a server that requires a certificate refuses a client without one, and one that it does not know`(
        certificate: TestCertificates.Client?
    ) async throws {
        try await Self.serve { server in
            let stream = try Self.stream(at: server.url, certificate: certificate)
            let kind = await failureKind { try await withFetcher(stream) { try await $0.page(at: $0.firstPosition) } }
            let reason =
                certificate == nil
                ? "the server requires a certificate of the client: set client_certificate"
                : "the server does not accept the certificate of client_certificate"
            #expect(kind == .tls(reason: reason))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a server that a redirect leads to is not shown the certificate`() async throws {
        try await Self.serve { other in
            let context = try TestCertificates.get().context(.valid)
            try await LoopbackServer.serve(
                tls: context,
                { _ in .response(status: 302, headers: [("Location", other.url)]) }
            ) { server in
                let redirected = try Self.stream(at: server.url)
                let kind = await failureKind {
                    try await withFetcher(redirected) { try await $0.page(at: $0.firstPosition) }
                }
                #expect(kind == .tls(reason: "the server requires a certificate of the client: set client_certificate"))
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test func `a token endpoint is shown the certificate, too`() async throws {
        try await Self.serve({
            $0.method == "POST" ? .json(#"{"access_token":"t","token_type":"bearer"}"#) : .json("[1]")
        }) {
            endpoint in
            try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
                let stream = try Self.stream(at: server.url) {
                    $0.request.authentication = .oauth2(.client(at: "\(endpoint.url)/token"))
                }
                let page = try await withFetcher(stream) { try await $0.page(at: $0.firstPosition) }
                #expect(page.texts == ["1"])
                #expect(endpoint.requests.count == 1)
            }
        }
    }

    private struct Wrong: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let files: @Sendable (TestCertificates, TemporaryFolder) throws -> ClientCertificate
        let file: @Sendable (ClientCertificate) -> String
        let reason: @Sendable (ClientCertificate) -> String
    }

    private static let wrong: [Wrong] = [
        Wrong(testDescription: "missing certificate") { certificates, folder in
            ClientCertificate(certificate: folder.path("none.pem"), key: certificates.keyFile)
        } file: {
            $0.certificate
        } reason: { _ in
            "there is no such file"
        },
        Wrong(testDescription: "missing key") { certificates, folder in
            ClientCertificate(certificate: certificates.file(of: .known), key: folder.path("none.pem"))
        } file: {
            $0.key
        } reason: { _ in
            "there is no such file"
        },
        Wrong(testDescription: "folder") { certificates, folder in
            ClientCertificate(certificate: folder.url.path, key: certificates.keyFile)
        } file: {
            $0.certificate
        } reason: { _ in
            "it cannot be read"
        },
        Wrong(testDescription: "key as certificate") { certificates, _ in
            ClientCertificate(certificate: certificates.keyFile, key: certificates.keyFile)
        } file: {
            $0.certificate
        } reason: { _ in
            "it holds no certificate in PEM"
        },
        Wrong(testDescription: "certificate as key") { certificates, _ in
            ClientCertificate(certificate: certificates.file(of: .known), key: certificates.file(of: .known))
        } file: {
            $0.key
        } reason: { _ in
            "it holds no private key in PEM"
        },
        Wrong(testDescription: "other key") { certificates, _ in
            ClientCertificate(certificate: certificates.file(of: .known), key: certificates.otherKeyFile)
        } file: {
            $0.key
        } reason: {
            "its key does not belong to the certificate of \($0.certificate)"
        },
        Wrong(testDescription: "key with a passphrase") { certificates, _ in
            ClientCertificate(certificate: certificates.file(of: .known), key: certificates.lockedKeyFile)
        } file: {
            $0.key
        } reason: { _ in
            "its key needs a passphrase"
        },
    ]

    @Test(arguments: wrong)
    private func `files that are no certificate and its key are named before anything is sent`(wrong: Wrong)
        async throws
    {
        let (certificates, folder) = (try TestCertificates.get(), try TemporaryFolder())
        let files = try wrong.files(certificates, folder)
        let stream = FetcherTests.stream(at: "https://zoo.example/") { $0.clientCertificate = files }
        let error = await #expect(throws: FetchError.self) { try await withFetcher(stream) { _ in } }
        #expect(error?.kind == .clientCertificate(file: wrong.file(files), reason: wrong.reason(files)))
        #expect(error?.category == .misconfigured)
        let key = try String(contentsOfFile: certificates.keyFile, encoding: .utf8).split(separator: "\n")[1]
        #expect(error?.description.contains(key) == false)
    }
}
