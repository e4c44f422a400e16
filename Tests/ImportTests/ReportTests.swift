import Foundation
import GarnerJSON
import Testing

@testable import GarnerImport

struct ReportTests {
    private let report = ImportReport(
        file: "manifest.yaml",
        streams: [
            .init(name: "pets", written: "zoo.pets", effect: .none, losses: [Loss(.waitingTime)]),
            .init(
                name: "tickets", written: "zoo.tickets", effect: .renamed,
                losses: [Loss(.fieldNames, "updated", line: 412)]),
            .init(
                name: "a\u{1B}[2Jb\nc", written: nil, effect: .notWritten,
                losses: [Loss(.customCode, "acme.Unzip", line: 601)]),
            .init(name: "audit", written: nil, effect: .notWritten, losses: (1...6).map { Loss(.host, line: $0) }),
        ])

    @Test func `the report has a line for each stream that is not whole`() {
        #expect(
            report.lines == [
                "manifest.yaml: 4 streams",
                "  1 whole",
                "  1 renamed      tickets: a column has another name, updated (line 412) [field_names]",
                "  2 not written  a [2Jb c: custom code, acme.Unzip (line 601) [custom_code]",
                "                 audit: \(LossCode.host.words) (line 1) [host]; \(LossCode.host.words) (line 2) [host]; \(LossCode.host.words) (line 3) [host]; \(LossCode.host.words) (line 4) [host]; and 2 more",
            ])
        #expect(!report.isWhole)
        #expect(report.hasStreams)
    }

    @Test(arguments: ["\u{1B}", "\n", "\u{202E}", "\u{2066}", "\u{200B}", "\u{FEFF}", "\u{2028}", "\u{2029}"])
    func `what moves or hides letters is not shown`(text: String) {
        #expect(ImportReport.shown("a\(text)b") == "a b")
    }

    @Test(arguments: [nil, "", "\n", " \t"]) func `a detail of nothing has no comma`(detail: String?) {
        #expect(Loss(.recordFilter, detail, line: 1).sentence == "the filter of records (line 1)")
    }

    @Test func `programs get codes`() {
        let text = report.json.text
        #expect(text.contains(#""counts":{"whole":1,"renamed":1,"differs":0,"not_written":2}"#))
        #expect(
            text.contains(
                #"{"code":"field_names","effect":"renamed","message":"a column has another name","detail":"updated","line":412}"#
            ))
    }

    /// The list is closed: each word of the program stands in the documentation, once, and no other does.
    @Test func `each code is in the documentation`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/connectors.md"), encoding: .utf8)
        let told = text.matches(of: /(?m)^\| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$/).map { String($0.1) }
        #expect(told == LossCode.allCases.map(\.rawValue))
    }
}
