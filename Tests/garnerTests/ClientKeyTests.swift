import Foundation
import TestSupport
import Testing

/// The private key of `client_certificate` is told and stored nowhere, whether it is of use or not.
@Suite(.timeLimit(.minutes(5)))
struct ClientKeyTests {
    private static let files: [[String]] = [
        ["known.pem", "key.pem"], ["unknown.pem", "key.pem"], ["known.pem", "other.pem"], ["key.pem", "known.pem"],
        ["known.pem", "locked.pem"], ["key.pem", "key.pem"], ["known.pem", "broken.pem"], ["broken.pem", "key.pem"],
    ]

    @Test(arguments: files)
    private func `no command tells or stores a part of the key of a certificate`(names: [String]) async throws {
        let certificates = try TestCertificates.get()
        let context = try certificates.context(.valid, requiresClient: true)
        try await LoopbackServer.serve(tls: context, { .page($0.page, of: 2) }) { server in
            let certificate = "client_certificate: { certificate: keys/\(names[0]), key: keys/\(names[1]) }"
            let place = try Workplace(api: server.url, source: ["ca: \(certificates.rootFile)", certificate])
            let keys = try Self.writeKeys(certificates, in: place)
            let commands = [
                ["sync", "--verbose"], ["sync", "--json"], ["check", "--connect", "--json"], ["preview", "animals"],
                ["config", "show", "--json"], ["runs", "--json"], ["doctor", "--json"], ["status", "--json"],
            ]
            // Only the key of the certificate itself gets behind the first request.
            for arguments in commands.prefix(names == Self.files[0] ? commands.count : 3) {
                let ending = try await place.start(arguments).end()
                for line in keys {
                    #expect(!(ending.output + ending.errors).contains(line), "\(arguments): \(ending.errors)")
                }
                #expect(ending.code < 128, "\(arguments): \(ending.errors)")
            }
            for name in place.names where name != "keys" {
                let content = try Data(contentsOf: URL(filePath: place.folder.path(name)))
                for line in keys { #expect(content.range(of: Data(line.utf8)) == nil, "\(name)") }
            }
            #expect(server.requests.isEmpty == (names != Self.files[0]))
        }
    }

    /// Writes the files. Returns the lines of all keys.
    private static func writeKeys(_ certificates: TestCertificates, in place: Workplace) throws -> [Substring] {
        func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
        let (key, other) = (try text(certificates.keyFile), try text(certificates.otherKeyFile))
        let locked = try text(certificates.lockedKeyFile)
        try FileManager.default.createDirectory(atPath: place.folder.path("keys"), withIntermediateDirectories: true)
        for (name, text) in [
            ("known.pem", try text(certificates.file(of: .known))), ("key.pem", key), ("other.pem", other),
            ("unknown.pem", try text(certificates.file(of: .unknown))), ("locked.pem", locked),
            ("broken.pem", key.split(separator: "\n").dropLast(2).joined(separator: "\n")),
        ] {
            try place.write(text, to: "keys/\(name)")
        }
        let lines = (key + other + locked).split(separator: "\n").filter { !$0.hasPrefix("-") && $0.count > 8 }
        #expect(lines.count > 6)
        return lines
    }
}
