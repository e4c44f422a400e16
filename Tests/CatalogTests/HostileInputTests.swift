import Foundation
import TestSupport
import Testing

@testable import GarnerCatalog

struct HostileInputTests {
    private static let sample = """
        version: 1
        database: "data/garner.db"
        defaults: &d
          schedule: { every: 15m, jitter: PT30S }
          retry: { max_attempts: 5, base_delay: 500ms, max_delay: 5m, respect_retry_after: true }
        sources:
          zoo:
            base_url: http://127.0.0.1:8080/v1/
            headers: { Accept: 'application/json', X-Key: "${T}" }
            auth: { type: http_basic, username: me, password: "a$$b" }
            paginator: { type: cursor, cursor_path: $.next, max_pages: 9 }
            rate_limit: { requests: 3, per: 1s }
            proxy: { url: "http://proxy:3128", username: me, password: "${T}" }
            streams:
              animals: &a
                path: /animals?x=1
                params: { per_page: 100 }
                record_selector: $.data[*]
                primary_key: [id, zoo]
                limits: { body: 64MiB, total: 5m }
              copy: { <<: *a, table: copies, max_delete_ratio: 0.25 }
              feedings:
                path: "/animals/{parent.id}/{partition.kind}"
                parent: animals
                include_from_parent: id
                partitions: { kind: [seed, meat] }
                json: { q: "{incremental.start_value}", list: [1, -2.5e3, null, *d], "k": "${T}" }
                incremental: { cursor_field: $.at, initial_value: 2024-01-01, step: 7d, lookback_window: 1h }
                response_actions: [ { status: 404, body_contains: gone, action: ignore } ]
                attachments: [ { field: photo, media_types: [image/*] } ]
                auth: { type: oauth2, grant_type: refresh_token, token_url: https://a/t?b=c, client_id: me,
                  refresh_token: "${T}", scopes: a b }
              häuser: |
                text
        """

    /// - Parameter isMended: True to look for the edit that mends a slip, too. That reads up to a hundred and fifty other texts.
    private func survives(_ text: String, isMended: Bool) -> Bool {
        let environment = ["T": "s3"]
        let told: [ConfigurationIssue]
        if isMended {
            do {
                return try !Fixture.parse(text, environment: environment).file.isEmpty
            } catch {
                guard case .invalid(let issues) = error else { return false }
                told = issues
            }
        } else {
            let issues = IssueCollector(file: "garner.yaml")
            let reader = ConfigurationReader(
                file: issues.file, environment: environment, needsSecrets: true, issues: issues)
            let configuration = YAMLDocument.root(of: text, issues: issues).flatMap(reader.configuration)
            guard configuration == nil || issues.errorCount > 0 else { return true }
            told = issues.sortedErrors + reader.missing.all
        }
        return !told.isEmpty && told.allSatisfy { !$0.message.isEmpty && !"\($0)".contains("s3") }
    }

    @Test func `a file cut off anywhere is read or refused`() async {
        for count in 0...Self.sample.unicodeScalars.count {
            // Servers of other tests wait for a thread, and their clients for an answer.
            await Task.yield()
            let text = String(Self.sample.unicodeScalars.prefix(count))
            #expect(survives(text, isMended: count.isMultiple(of: 19)), "cut after \(count)")
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a mutated file is read or refused`(seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        let pieces: [[Unicode.Scalar]] = [
            "{", "}", "[", "]", ":", ": ", "- ", "&a ", "*a", "<<", "!!str ", "!x ", "|", ">", "\"", "'", "\t", "\n",
            "\r",
            "\0", "\u{7F}", "\u{FEFF}", "\u{85}", "\u{2028}", "%", "@", "`", "---\n", "...\n", "? ", "#", "$", "${",
            "${T}",
            "-1", "9999999999999999999", ".nan", ".inf", "1e999", "0x7fffffffffffffff", "~", "null", "e\u{301}", "🦒",
            "\"\\ud800\"", "\"\\x00\"", "!!binary x", "<<: *a\n",
        ].map { Array($0.unicodeScalars) }
        for round in 0..<150 {
            await Task.yield()
            var scalars = Array(Self.sample.unicodeScalars)
            for _ in 0..<(1 + Int.random(in: 0..<4, using: &random)) {
                let start = scalars.indices.randomElement(using: &random) ?? 0
                let end = min(scalars.count, start + .random(in: 0..<6, using: &random))
                scalars.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            }
            let text = String(String.UnicodeScalarView(scalars))
            #expect(survives(text, isMended: round.isMultiple(of: 25)), "round \(round)")
        }
    }

    @Test(arguments: [
        ("", "[", 100_000), ("", "{", 100_000), ("", "{a: ", 100_000), ("", "- ", 100_000), ("", "? ", 100_000),
        ("version: 1\nx: ", "[", 990),
    ])
    func `deep nesting is refused on a small stack`(start: String, opening: String, count: Int) async {
        let text = start + String(repeating: opening, count: count)
        #expect(await messagesOnSmallStack(text) == ["nested too deeply"])
    }

    private func messagesOnSmallStack(_ text: String) async -> [String] {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Fixture.issues(text).map(\.message)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test func `brackets in texts and comments are not nesting`() throws {
        let text = (0..<100).map { "# note [\($0)] { }\n" }.joined() + StarterFile().text
        #expect(try Fixture.parse(text).streams.count == 1)
    }

    @Test(.timeLimit(.minutes(5))) func `aliases of aliases end`() {
        var text = "version: 1\ndefaults:\n  limits: &m0 { total: 1m }\nsources:\n"
        for level in 1...40 {
            text += "  m\(level): &m\(level) { <<: [*m\(level - 1), *m\(level - 1)] }\n"
        }
        #expect(Fixture.issues(text).contains { $0.message == "the file has too many entries" })
    }

    @Test(arguments: [("json: *a1000", "x", "'json' nests too deeply"), ("<<: *a1000", "<<", "'<<' nests too deeply")])
    func `aliases cannot nest deeper than a file`(line: String, key: String, message: String) async {
        let anchors = (0...1000).map { "  - &a\($0) { \(key): \($0 == 0 ? "{}" : "*a\($0 - 1)") }\n" }.joined()
        let text = "version: 1\nx:\n\(anchors)" + Fixture.streamText(line).dropFirst("version: 1\n".count)
        #expect(await messagesOnSmallStack(text) == ["unknown key 'x'", message])
    }
}
