import GarnerCatalog
import Dashboard
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import Testing

/// A database of which every text that others may choose is hostile, on every page.
@Suite struct HostileDatabaseTests {
    private static let texts = [
        "<script>alert(1)</script>", "\"\u{301} onfocus=alert(1) autofocus=\"", "'><img src=x onerror=alert(1)>",
        "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "\u{202E}gpj.exe\u{2066}",
        "</title></bdi></table><h1>", "</textarea></option></select>", "http://example.org/\"><i>",
        "<!--", "]]>", "&lt;script&gt;", "\u{FEFF}<\u{338}b>", "\\\"><svg onload=alert(1)>",
    ]

    /// A database, with hostile texts or with plain ones in the same places.
    private struct Place {
        let rig: DashboardRig
        let targets: [String]
    }

    private static func place(isHostile: Bool) async throws -> Place {
        let texts = isHostile ? texts : texts.indices.map { "plain \($0)" }
        let table = isHostile ? "a\"\u{301}b<script>'&" : "plain table"
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id, schedule: { every: 1h } }")
        let stream = DashboardRig.stream(table, key: ["id"]) {
            $0.history = true
            $0.deleteMissing = .hard
            $0.search = ["name"]
            $0.childTables = true
            $0.attachments = [Attachment(field: "photo")]
        }
        func record(_ index: Int, _ other: String) -> String {
            let long = String(repeating: isHostile ? "<é\"" : "plain", count: 1 << 18)
            var members = [
                ("id", texts[index % texts.count] + (index < texts.count ? "" : " \(index)")),
                ("name", texts[(index + 1) % texts.count]), ("kind", texts[index % 3]), ("photo", "/photo\(index % 2)"),
                ("other", other), ("link", "https://example.org/?q=\(index)"),
            ]
            members += texts.enumerated().map { ($1, texts[($0 + index) % texts.count]) }
            if index < 3 { members.append(("long", long)) }
            if index == 0 { members += (0..<1_900).map { ("\(texts[$0 % texts.count]) \($0)", "x") } }
            let fields = members.map { "\(JSONText.quoted($0)):\(JSONText.quoted($1))" } + ["\"tags\":[{\"a\":1}]"]
            return "{\(fields.joined(separator: ","))}"
        }
        let first = (0..<texts.count + 5).map { record($0, "a") }
        try await rig.sync(stream, "[\(first.joined(separator: ","))]")
        let bad = "{\"name\":\(JSONText.quoted(texts[0]))}"
        let second = first.indices.dropLast(2).map { record($0, "b") }.joined(separator: ",")
        try await rig.sync(stream, "[\(second),\(bad)]")
        // A read of which a record was not stored deletes nothing.
        try await rig.sync(stream, "[\(second)]")
        for (index, type) in ["image/svg+xml", "text/html"].enumerated() {
            let digest = String(repeating: "\(index)a", count: 32)
            try rig.alter(
                """
                INSERT INTO _garner_blobs (sha256, media_type, length, content) VALUES ('\(digest)', '\(type)', 9, x'3c7376673e');
                INSERT INTO _garner_attachments (stream_id, field, url, sha256, read_id, run_id, asked_at, error_kind, error_message)
                VALUES (1, 'photo', '/photo\(index)', '\(digest)', 2, 2, '\(rig.now)', 'x', \(sql(texts[2])));
                """)
        }
        let failing = try await rig.writer.begin(stream, identity: "page", restarting: true)
        _ = try await rig.writer.end(
            run: failing, as: .failed,
            failure: RunFailure(
                .failed, kind: "http_status", message: "HTTP 500: \"\(texts[0])\" (https://a/?\(texts[4]))",
                url: "https://a/?\(texts[4])", hint: .text(texts[2])))
        try rig.alter(
            """
            UPDATE _garner_runs SET warning = \(sql(texts[1])) WHERE run_id = 4;
            CREATE VIEW \(name(texts[2])) AS SELECT * FROM \(name(table));
            """)
        let tables = Link("tables", table).text
        let query = Link("query").adding("sql", "SELECT id, other AS \(name(texts[0])), 1 AS n FROM \(name(table))")
            .text
        return Place(
            rig: rig,
            targets: [
                "/", "/?q=\(texts[0].percent)&state=\(texts[1].percent)", "/tables", tables,
                "\(tables)?_sort=\(texts[0].percent)", "\(tables)?kind=\(texts[0].percent)&_q=\(texts[3].percent)",
                Link("tables", texts[2]).text, Link.record([texts[0]], of: table).text,
                Link.record([texts[1]], of: table).text,
                // The last record is gone.
                Link.record(["\(texts[4]) \(texts.count + 4)"], of: table).text,
                "/changes", "/changes?run=3", "/streams/zoo%2Eanimals", "/runs", "/runs?span=7d", "/runs/1", "/runs/2",
                "/runs/3", "/runs/4", "/query", query, query + "&plot=Line", "/query?sql=\(texts[0].percent)",
            ])
    }

    private static func sql(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "''"))'" }
    private static func name(_ text: String) -> String {
        let quote = UInt8(ascii: "\"")
        return "\"\(String(decoding: text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }, as: UTF8.self))\""
    }

    /// True for a page whose query is one of the hostile texts.
    private static func isNoSQL(_ target: String) -> Bool {
        target.hasPrefix("/query?sql=") && !target.contains("SELECT")
    }

    @Test(.timeLimit(.minutes(10)))
    func `no page has an element or an attribute that it would not have with plain texts`() async throws {
        let (plain, hostile) = (try await Self.place(isHostile: false), try await Self.place(isHostile: true))
        var vocabulary: Set<String> = []
        for target in plain.targets {
            let reply = try await plain.rig.get(target)
            #expect(reply.status == (Self.isNoSQL(target) ? 400 : 200), "\(target)")
            let scanner = MarkupScanner(reply.bytes)
            #expect(scanner.errors == [], "\(target)")
            vocabulary.formUnion(scanner.vocabulary)
        }
        for element in ["script", "table", "svg", "a href", "img src", "ins", "blockquote", "time datetime"] {
            #expect(vocabulary.contains(element), "\(element)")
        }
        #expect(!vocabulary.contains { $0.contains(" on") || $0.hasSuffix(" style") || $0.hasPrefix("iframe") })
        for target in hostile.targets {
            let reply = try await hostile.rig.get(target)
            #expect(reply.status == (Self.isNoSQL(target) ? 400 : 200), "\(target)")
            #expect(reply.bytes.count < 3 << 20, "\(target): \(reply.bytes.count)")
            #expect(String(validating: reply.bytes, as: UTF8.self) != nil, "\(target)")
            let scanner = MarkupScanner(reply.bytes)
            #expect(scanner.errors == [], "\(target)")
            #expect(scanner.vocabulary.subtracting(vocabulary) == [], "\(target)")
            for (attribute, value) in scanner.addresses {
                let isOwn = value.utf8.first == UInt8(ascii: "/") && !value.hasPrefix("//")
                let isForeign =
                    attribute == "href" && ["http", "https"].contains { value.hasPrefix("\($0)://example.org/") }
                #expect(isOwn || isForeign || value == "#main", "\(target): \(attribute) \(value.prefix(100))")
            }
        }
    }

    @Test func `a scanner notices markup that is not as it is written here`() {
        let begin = "<!doctype html>\n"
        for page in [
            "<p>", "<p></b>", "<p a=b></p>", "<p a=\"1\" a=\"2\"></p>", "a < b", "<p onclick></p", "&nbsp;", "<P",
            "</p>",
            "<p \"></p>", "<!-- x -->",
        ] { #expect(MarkupScanner(Array("\(begin)\(page)".utf8)).errors != [], "\(page)") }
        let scanner = MarkupScanner(Array("\(begin)<p class=\"a\"><br><img src=\"/x\"><svg/>&lt;</p>\n".utf8))
        #expect(scanner.errors == [])
        #expect(scanner.vocabulary == ["p", "p class", "br", "img", "img src", "svg"])
    }
}

extension String {
    /// The text as a parameter of an address.
    fileprivate var percent: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}
