import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import Testing

struct SpreadsheetTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
    }

    @Test(arguments: [
        ("\u{FF1D}1+1", true), ("\u{FF0B}1", true), ("\u{FF0D}1", true), ("\u{FF20}sum", true), ("\u{2212}1", true),
        ("\u{FE66}1", true), ("\u{B}=1+1", true), ("\u{C}=1+1", true), ("\u{200B}=1+1", true), (" =1+1", true),
        ("\u{FEFF}\u{A0}\u{3000}\u{2060}@sum", true), ("\u{1}\u{7F}\u{85}-1+1", true), ("\n", true), ("\tx", true),
        ("=1+1", true), ("\u{FF1E}1", false), ("\u{200B}x=1", false), (" x", false), ("\u{B}", false),
        ("\u{6F22}=1", false), ("-5", false), ("+1.5e3", false), ("", false), ("x", false),
    ])
    func `a text is marked where a spreadsheet could take it for a formula`(text: String, isFormula: Bool) throws {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        var style = DelimitedStyle()
        style.isExcelSafe = true
        let output = Output()
        let rows = try reader.rows("SELECT :text AS t", parameters: ["text": .text(text)])
        try rows.write(as: .csv, style: style) { output.bytes += $0 }
        let cell = String(decoding: output.bytes, as: UTF8.self).unicodeScalars.dropFirst("t\n".count)
        #expect(cell.drop { $0 == "\"" }.starts(with: "'".unicodeScalars) == isFormula, "\(text.debugDescription)")
    }

    @Test func `a text of any length is quoted if a comma, a quote or an end of a line is anywhere in it`() throws {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        for length in 1...70 {
            let plain = String(repeating: "é+;", count: 25).unicodeScalars.prefix(length).map(String.init)
            var texts = [plain.joined()]
            for special in [",", "\"", "\n", "\r"] {
                for place in 0..<length {
                    texts.append((plain[..<place] + [special] + plain[(place + 1)...]).joined())
                }
            }
            texts.append(String(repeating: "\"", count: length))
            for text in texts {
                let output = Output()
                let rows = try reader.rows("SELECT :text AS t", parameters: ["text": .text(text)])
                try rows.write(as: .csv) { output.bytes += $0 }
                let mustQuote = text.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
                let field = mustQuote ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
                #expect(output.bytes == Array("t\n\(field)\n".utf8), "\(text.debugDescription)")
            }
        }
    }

    private final class Output {
        var bytes: [UInt8] = []
    }
}
