import GarnerCatalog
import Dashboard
import Foundation
import GarnerPersistence
import Testing

/// Records, and names of tables and columns, that a page must not take for its own text.
struct HostileRecordTests {
    let rig: DashboardRig

    init() throws { rig = try DashboardRig() }

    private static let texts = [
        "<script>alert(1)</script>", "\"\u{301} onfocus=alert(1) autofocus=\"", "'><img src=x onerror=alert(1)>",
        "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "\u{202E}gpj.exe\u{2066}", "</title></bdi>",
        "http://example.org/\"><i>", "https://example.org/\u{0}x", "{{7*7}}", "&lt;",
    ]

    /// Nothing that a text of `texts` would be if it were not escaped.
    private func expectInert(_ page: Reply) {
        for sign in [
            "<script>", "<img src=x", "\"\u{301}", "href=\"javascript", "href=\"data", "<i>", "</title></bdi>",
            "'>", "onfocus=alert(1) autofocus=\"",
        ] {
            #expect(!page.contains(sign), "\(sign)")
        }
        #expect(page.headers["Content-Security-Policy"]?.contains("script-src 'self'") == true)
    }

    private func quoted(_ text: String) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed), as: UTF8.self)
    }

    @Test func `keys, filters and searches are text on each page`() async throws {
        let records = try Self.texts.map { #"{"id":\#(try quoted($0)),"n":1}"# }
        try await rig.sync(DashboardRig.stream { $0.search = ["id"] }, "[\(records.joined(separator: ","))]")
        expectInert(try await rig.get("/tables/animals"))
        for text in Self.texts {
            let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            expectInert(try await rig.get("/tables/animals/\(encoded)"))
            let filtered = try await rig.get("/tables/animals?id=\(encoded)&_q=\(encoded)&id__contains=\(encoded)")
            #expect(filtered.status == 200 || text.contains("\u{0}"))
            expectInert(filtered)
            expectInert(try await rig.get("/tables/animals?\(encoded)=1"))
            expectInert(try await rig.get("/tables/\(encoded)"))
            expectInert(try await rig.get("/files/\(encoded)"))
        }
    }

    @Test func `a table of any name has an address and a file, and its columns can be filtered`() async throws {
        let column = Self.texts[1]
        try await rig.sync(DashboardRig.stream("a\"b<script>'"), #"[{"id":1,\#(try quoted(column)):"x"}]"#)
        let link = "/tables/a%22b%3Cscript%3E%27"
        #expect(try await rig.get("/tables").contains("href=\"\(link)\""))
        #expect(
            try await rig.get("\(link).csv").headers["Content-Disposition"]
                == "attachment; filename=\"a_b_script__.csv\"")
        let name = "%22%CC%81%20onfocus%3Dalert%281%29%20autofocus%3D%22"
        #expect(try await rig.values("id", at: "\(link).json?\(name)=x&_sort=\(name)") == ["1"])
    }

    @Test func `a value of a megabyte is cut on pages, and whole in the CSV`() async throws {
        let long = String(repeating: "é", count: 500_000)
        let records = (1...20).map { #"{"id":\#($0),"text":"\#(long)"}"# }
        try await rig.sync(DashboardRig.stream { $0.history = true }, "[\(records.joined(separator: ","))]")
        let table = try await rig.get("/tables/animals?_sort=text")
        #expect(table.bytes.count < 100_000)
        #expect(String(validating: table.bytes, as: UTF8.self) != nil)
        #expect(try await rig.get("/tables/animals/1").bytes.count < 200_000)
        #expect(try await rig.get("/tables/animals.csv").bytes.count > 20_000_000)
    }

    @Test func `a key of a megabyte leads nowhere, and the page stays short`() async throws {
        let long = String(repeating: "k", count: 1 << 20)
        let records = (1...5).map { #"{"id":"\#($0)\#(long)"}"# }
        try await rig.sync(DashboardRig.stream(), "[\(records.joined(separator: ",")),{\"id\":\"short\"}]")
        let table = try await rig.get("/tables/animals")
        #expect(table.bytes.count < 50_000)
        #expect(table.contains("<a href=\"/tables/animals/short\">"))
    }

    @Test func `a table of two thousand columns shows some of them, and all on the page of a record`() async throws {
        let members = (1...1_900).map { #""c\#($0)":\#($0)"# }
        try await rig.sync(DashboardRig.stream(), #"[{"id":1,\#(members.joined(separator: ","))}]"#)
        let table = try await rig.get("/tables/animals?_sort=c1900")
        #expect(table.status == 200)
        #expect(table.contains("columns are on the page of each record"))
        #expect(table.contains("<td class=\"num\">1900</td>"))
        #expect(!table.contains("<td class=\"num\">1899</td>"))
        #expect(try await rig.get("/tables/animals/1").contains("<dd>1899</dd>"))
    }
}
