import GarnerDatabase
import Foundation
import GarnerSQLite
import TestSupport
import Testing

/// The requests that a configuration must make, and the rows that must then be stored.
struct Example: Sendable {
    /// One command.
    struct Round: Sendable {
        let exchanges: [RequestAttempt]
        /// The rows of a table or a query, in any order, their columns separated by `|`.
        let stored: [String: [String]]
        /// The exit code of the command.
        let code: Int32
        /// True if the runs may end with warnings.
        let warns: Bool
        /// The script that is run; `garner sync` unless an example says more.
        var command = "garner sync"
        /// The end of each stream's latest run: completeness and counts; empty: any.
        var endings: [String] = []
        /// The text that the command writes, but for durations; nil: any.
        var output: String?
        /// True if a first sync may say what it took for granted.
        var assumes = true

        init(_ exchanges: [RequestAttempt], stored: [String: [String]], code: Int32 = 0, warns: Bool = false) {
            self.exchanges = exchanges
            self.stored = stored
            self.code = code
            self.warns = warns
        }
    }

    /// Texts of files beside the configuration.
    var files: [String: String] = [:]
    let rounds: [Round]

    init(files: [String: String] = [:], _ rounds: Round...) {
        self.files = files
        self.rounds = rounds
    }

    init(_ rounds: [Round]) { self.rounds = rounds }

    /// Runs the commands of the rounds with the configuration `text`. Its hosts are served by one server on loopback that stands in as
    /// their proxy; each variable that it names is `s3cret-` and the variable's name.
    ///
    /// - Parameter body: run afterwards beside the same servers, with the environment that they need.
    func run(
        _ text: String, then body: @escaping @Sendable (Workplace, [String: String]) async throws -> Void = { _, _ in }
    ) async throws {
        let script = ScriptedServer()
        let needsTLS = text.contains("https://10.0.0.7/")
        let context =
            needsTLS
            ? try TestCertificates.get().context(.valid, requiresClient: text.contains("client_certificate:")) : nil
        try await LoopbackServer.serve({ script.answer($0) }) { server in
            try await LoopbackServer.serve(tls: context, { script.answer($0) }) { direct in
                let place = try Workplace(Self.configuration(text, server: server, direct: direct))
                try write(text, into: place)
                let variables = text.matches(of: /\$\{([A-Z_]+)\}/).map { String($0.1) }
                var environment = Dictionary(variables.map { ($0, "s3cret-\($0)") }) { first, _ in first }
                environment["http_proxy"] = server.url
                for (number, round) in rounds.enumerated() {
                    script.expect(round.exchanges)
                    let sync = try await place.shell(round.command, environment: environment)
                    #expect(sync.code == round.code, "\(sync.errors)")
                    #expect(script.troubles == [], "sync \(number + 1)")
                    #expect(round.assumes || !sync.errors.contains("taken for granted"), "\(sync.errors)")
                    if let output = round.output { Self.expect(sync.output + sync.errors, toBe: output) }
                    try round.expectRows(in: place)
                    expectNoSecret(in: place, sync)
                }
                try await body(place, environment)
            }
        }
    }

    private static func configuration(_ text: String, server: LoopbackServer, direct: LoopbackServer) -> String {
        withoutTLS(text).replacing("https://10.0.0.7", with: direct.url)
            .replacing("http://proxy.example:3128", with: server.url)
            // Nothing listens there.
            .replacing("@db.example/", with: "@127.0.0.1:1/")
    }

    /// Returns the text with all hosts as the server on loopback stands in for them.
    static func withoutTLS(_ text: String) -> String { text.replacing(/https:\/\/(?=[a-z])/, with: "http://") }

    /// Compares the output of a command with that in the documentation. Durations are any, and so are
    /// the widths of columns.
    static func expect(_ output: String, toBe wanted: String) {
        func comparable(_ text: String) -> String {
            withoutTLS(text).replacing(#/The database \/.* is new\.\n/#, with: "").replacing(
                /[0-9]+\.[0-9]+ s\b/, with: "… s"
            ).replacing(#/ +/#, with: " ")
        }
        #expect(comparable(output) == comparable(wanted))
    }

    private func write(_ text: String, into place: Workplace) throws {
        for (name, content) in files {
            try Self.makeFolder(of: place.folder.url.appending(path: name))
            if name.hasSuffix(".sh") {
                try place.writeProgram(content, to: name)
            } else {
                try place.write(content, to: name)
            }
        }
        guard let ca = text.firstMatch(of: /\bca: (.+)/).map({ String($0.1) }) else { return }
        let certificates = try TestCertificates.get()
        try Self.copy(certificates.rootFile, to: place.folder.url.appending(path: ca))
        guard let client = text.firstMatch(of: /client_certificate: \{ certificate: (.+), key: (.+) \}/) else { return }
        try Self.copy(certificates.file(of: .known), to: place.folder.url.appending(path: String(client.1)))
        try Self.copy(certificates.keyFile, to: place.folder.url.appending(path: String(client.2)))
    }

    private static func copy(_ file: String, to url: URL) throws {
        try makeFolder(of: url)
        try FileManager.default.copyItem(atPath: file, toPath: url.path)
    }

    private static func makeFolder(of url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    private func expectNoSecret(in place: Workplace, _ sync: GarnerProcess.Ending) {
        #expect(!(sync.output + sync.errors).contains("s3cret"))
        for name in place.names where name.hasPrefix("garner.db") && !name.hasSuffix(".tokens") {
            let content = (try? Data(contentsOf: URL(filePath: place.folder.path(name)))) ?? Data()
            #expect(content.range(of: Data("s3cret".utf8)) == nil, "\(name)")
        }
    }
}

extension Example.Round {
    fileprivate func expectRows(in place: Workplace) throws {
        for (source, rows) in stored {
            let query = source.hasPrefix("SELECT ") ? source : "SELECT * FROM \(source)"
            let found = try place.rows(query) { row in
                (0..<row.columnCount).map { row.value(at: $0).shown }.joined(separator: "|")
            }
            #expect(found.sorted() == rows.sorted(), "\(source)")
        }
        if !endings.isEmpty { #expect(try place.texts(Self.latestRuns).sorted() == endings.sorted()) }
        guard code == 0, !warns, FileManager.default.fileExists(atPath: place.database) else { return }
        let complaint = "coalesce(warning, error_message)"
        #expect(try place.texts("SELECT \(complaint) FROM _garner_runs WHERE \(complaint) IS NOT NULL") == [])
    }
    private static let latestRuns = """
        SELECT name || ': ' || coalesce(completeness, status) || ', ' || inserted || ' inserted, ' || updated || ' updated, '
            || unchanged || ' unchanged, ' || deleted || ' deleted'
        FROM _garner_runs JOIN _garner_streams USING (stream_id)
        WHERE run_id IN (SELECT max(run_id) FROM _garner_runs GROUP BY stream_id)
        """
}

extension Value {
    fileprivate var shown: String {
        switch self {
        case .null: ""
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}
