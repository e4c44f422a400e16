import GarnerCatalog
@testable import GarnerFetcher
import Foundation
import NIOSSL
import TestSupport
import Testing

/// Servers with TLS on loopback, whose certificates are made by the tests' own authority.
@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    @Test func `the certificates of ca are trusted`() async throws {
        let page = try await Self.page(from: .valid) { _ in .json("[1]") }
        #expect(page.texts == ["1"])
    }

    @Test func `the certificates of ca replace those of the system`() async throws {
        let kind = await failureKind(of: {
            try await Self.page(from: .valid, { $0.certificateAuthority = nil }) { _ in .json("[1]") }
        })
        #expect(kind == .tls(reason: "the certificate is not valid, or none of the trusted roots stands behind it"))
    }

    private static let invalid: [(TestCertificates.Server, String)] = [
        (.expired, "the certificate is not valid, or none of the trusted roots stands behind it"),
        (.otherHost, "the certificate is for another host"),
        (.selfSigned, "the certificate is not valid, or none of the trusted roots stands behind it"),
        (.otherRoot, "the certificate is not valid, or none of the trusted roots stands behind it"),
    ]

    @Test(arguments: invalid)
    func `a certificate that proves nothing is refused, and nothing is sent`(
        certificate: TestCertificates.Server, reason: String
    ) async throws {
        try await LoopbackServer.serve(tls: try TestCertificates.get().context(certificate), { _ in .json("[1]") }) {
            server in
            let stream = try Self.stream(of: server) {
                $0.request.authentication = .bearer(token: Secret("t0ken"))
                $0.retry.maxAttempts = 3
            }
            try await withFetcher(stream) { fetcher in
                let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(error?.kind == .tls(reason: reason))
                #expect(error?.request?.attempts == 1)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a certificate without a subjectAltName is refused, and nothing is sent`(host: String) async throws {
        let context = try TestCertificates.get().context(.commonName)
        try await LoopbackServer.serve(tls: context, { _ in .json("[1]") }) { server in
            let roots = try TestCertificates.get().rootFile
            let stream = FetcherTests.stream(at: "https://\(host):\(server.port)") {
                $0.certificateAuthority = roots
                $0.request.authentication = .bearer(token: Secret("t0ken"))
                $0.retry.maxAttempts = 3
            }
            let error = await #expect(throws: FetchError.self) {
                try await withFetcher(stream) { try await $0.page(at: $0.firstPosition) }
            }
            let reason =
                host == "localhost"
                ? "the certificate has no subjectAltName, and its common name does not count as the host's"
                : "the certificate is for another host"
            #expect(error?.kind == .tls(reason: reason))
            #expect(error?.request?.attempts == 1)
            #expect(server.requests.isEmpty)
        }
    }

    private static let deceptive: [(TestCertificates.Server, String, String)] = [
        (.addressOnly, "localhost", "the certificate is for another host"),
        (.anyHost, "localhost", "the certificate is for another host"),
        (.weakKey, "127.0.0.1", "the certificate's RSA key has 1024 bits, and can be broken; it needs 2048 or more"),
    ]

    @Test(arguments: deceptive)
    func `a certificate that does not name the host, or that may be forged, is refused, and nothing is sent`(
        certificate: TestCertificates.Server, host: String, reason: String
    ) async throws {
        try await LoopbackServer.serve(tls: try TestCertificates.get().context(certificate), { _ in .json("[1]") }) {
            server in
            let roots = try TestCertificates.get().rootFile
            let stream = FetcherTests.stream(at: "https://\(host):\(server.port)") { $0.certificateAuthority = roots }
            let kind = await failureKind {
                try await withFetcher(stream) { try await $0.page(at: $0.firstPosition) }
            }
            #expect(kind == .tls(reason: reason))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a certificate for an address is good for that address`() async throws {
        let page = try await Self.page(from: .addressOnly) { _ in .json("[1]") }
        #expect(page.texts == ["1"])
    }

    @Test(arguments: [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)])
    func `TLS 1.2 is the oldest that is spoken`(maximum: TLSVersion, isSpoken: Bool) async throws {
        let kind = await failureKind(of: {
            try await Self.page(from: .valid, maximum: maximum) { _ in .json("[1]") }
        })
        #expect(kind == (isSpoken ? nil : .tls(reason: "the server offers no TLS 1.2 or newer")))
    }

    @Test func `plain HTTP on the port of TLS is told as such`() async throws {
        try await LoopbackServer.serve({ _ in .raw("HTTP/1.1 400 Bad Request\r\n\r\n", then: .close) }) { server in
            let kind = await failureKind(of: {
                try await withFetcher(FetcherTests.stream(at: "https://127.0.0.1:\(server.port)/")) {
                    try await $0.page(at: $0.firstPosition)
                }
            })
            #expect(kind == .tls(reason: "the server does not speak TLS on this port"))
            #expect(kind?.hint.hasPrefix("write http:// in place of https:// in base_url") == true)
            // The advice is followed: the plain request arrives.
            let plain = await failureKind(of: {
                try await withFetcher(FetcherTests.stream(at: "http://127.0.0.1:\(server.port)/")) {
                    try await $0.page(at: $0.firstPosition)
                }
            })
            #expect(plain == .status(400, retryAfter: nil))
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    private static let endings: [(String, LoopbackReply.Step, FetchError.Kind?)] = [
        ("Content-Length: 3\r\n\r\n[1]", .cut, nil), ("Content-Length: 3\r\n\r\n[1]", .close, nil),
        ("Content-Length: 9\r\n\r\n[1]", .cut, .incompleteBody),
        ("Content-Length: 9\r\n\r\n[1]", .close, .incompleteBody),
        ("Transfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n", .cut, .incompleteBody),
        ("Transfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n", .cut, nil),
        // Only close_notify tells that nobody has cut the connection.
        ("\r\n[1]", .cut, .incompleteBody), ("\r\n[1]", .close, nil), ("Cont", .cut, .closed),
        ("Cont", .close, .closed),
    ]

    @Test(arguments: endings)
    func `a connection without close_notify has only those bodies whose end was announced`(
        rest: String, ending: LoopbackReply.Step, failure: FetchError.Kind?
    ) async throws {
        let kind = await failureKind(of: {
            try await Self.page(from: .valid) { _ in .raw(Self.head + rest, then: ending) }
        })
        #expect(kind == failure)
    }

    /// The file's text; nil: there is none.
    private static let files: [(String?, String)] = [
        (nil, "there is no such file"), ("", "it holds what is no certificate in PEM, or none at all"),
        ("root", "it holds what is no certificate in PEM, or none at all"),
        (
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "it holds what is no certificate in PEM, or none at all"
        ),
    ]

    @Test(arguments: files)
    func `a file that is no list of certificates is named`(text: String?, reason: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ca.pem")
        try text?.write(toFile: path, atomically: true, encoding: .utf8)
        let stream = FetcherTests.stream(at: "https://zoo.example/") { $0.certificateAuthority = path }
        let error = await #expect(throws: FetchError.self) { try await withFetcher(stream) { _ in } }
        #expect(error?.kind == .certificates(file: path, reason: reason))
        #expect(error?.kind.category == .misconfigured)
        #expect(error?.message.contains(path) == true)
    }

    @Test func `a folder is no file with certificates`() async throws {
        let folder = try TemporaryFolder()
        let stream = FetcherTests.stream(at: "https://zoo.example/") { $0.certificateAuthority = folder.url.path }
        let error = await #expect(throws: FetchError.self) { try await withFetcher(stream) { _ in } }
        #expect(error?.kind == .certificates(file: folder.url.path, reason: "it cannot be read"))
    }

    @Test func `a file that is larger than certificates are is not read into memory`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "large.pem").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, 1 << 30) == 0)
        let stream = FetcherTests.stream(at: "https://zoo.example/") { $0.certificateAuthority = path }
        let error = await #expect(throws: FetchError.self) { try await withFetcher(stream) { _ in } }
        #expect(error?.kind == .certificates(file: path, reason: "it is larger than 16 MiB"))
    }

    private static func page(
        from certificate: TestCertificates.Server, maximum: TLSVersion? = nil,
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
        _ handler: @escaping LoopbackServer.Handler
    ) async throws -> Page {
        let context = try TestCertificates.get().context(certificate, maximum: maximum)
        return try await LoopbackServer.serve(tls: context, handler) { server in
            try await withFetcher(try stream(of: server, change)) { try await $0.page(at: $0.firstPosition) }
        }
    }

    private static func stream(
        of server: LoopbackServer, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) throws -> StreamConfiguration {
        let roots = try TestCertificates.get().rootFile
        return FetcherTests.stream(at: server.url) {
            $0.certificateAuthority = roots
            change(&$0)
        }
    }
}
