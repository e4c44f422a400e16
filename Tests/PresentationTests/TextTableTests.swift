import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPresentation
import Testing

struct TextTableTests {
    private static let grid = TextTable(
        headers: ["a\u{1B}]0;x\u{7}", "b|c"], rows: [["\u{9B}31m\n", "x|y"], [nil, "\u{7F}é"]])

    private static func text(_ table: TextTable, _ form: TableLayout.Form) -> String {
        var table = table
        return table.takeText(TableLayout(form, ANSIStyle(isOn: false))).text
    }

    private static func markdown(_ table: TextTable) -> String {
        var table = table
        return table.take(as: .markdown, TableLayout(.wide, ANSIStyle(isOn: false))).text
    }

    @Test(arguments: [TableLayout.Form.columns(width: nil), .columns(width: 80), .wide])
    func `nothing that an API sends moves the cursor`(form: TableLayout.Form) {
        #expect(
            Self.text(Self.grid, form) == """
                a\\u001b]0;x\\u0007  b|c
                \\u009b31m\\n        x|y
                -                  \\u007fé

                """)
    }

    @Test func `a column that is kept stays where others have no room`() {
        var runs = TextTable(
            headers: ["run_id", "stream", "pages", "inserted", "error", "reason"],
            rows: [["1", "zoo.animals", "1", "2", "the server answered with status 500: it is broken", "x"]],
            numeric: [0, 2, 3])
        runs.kept = [4]
        #expect(
            Self.text(runs, .columns(width: 50)) == """
                run_id  stream     pages  error
                     1  zoo.anim…      1  the server answered wit…

                """)
        runs.kept = []
        #expect(Self.text(runs, .columns(width: 50)).hasPrefix("run_id  stream       pages  inserted  error"))
    }

    @Test func `a Markdown table has its columns whatever stands in them`() {
        #expect(
            Self.markdown(Self.grid) == """
                | a\\u001b]0;x\\u0007 | b\\|c |
                | --- | --- |
                | \\u009b31m\\n | x\\|y |
                |  | \\u007fé |

                """)
    }

    @Test func `a bar is none of the table's, whatever stands behind it`() {
        let grid = TextTable(headers: ["a|\u{301}"], rows: [["|\u{FE0F}|"], ["x"]])
        #expect(
            Self.markdown(grid).utf8.elementsEqual(
                "| a\\|\u{301} |\n| --- |\n| \\|\u{FE0F}\\| |\n| x |\n".utf8))
    }

    @Test func `no text becomes HTML in a Markdown table`() {
        let grid = TextTable(headers: ["<b>"], rows: [["<img src=x onerror=alert(1)> &lt;"]])
        #expect(
            Self.markdown(grid) == "| &lt;b> |\n| --- |\n| &lt;img src=x onerror=alert(1)> &amp;lt; |\n")
    }

    private static let animals = TextTable(
        headers: ["id", "name", "description", "n"],
        rows: [
            ["1", "Käse 漢字漢字", "a long text that does not fit into the line", "12345"], ["22", nil, "short", "7"],
        ],
        numeric: [0, 3])

    @Test func `the widest column of text shrinks first`() {
        #expect(
            Self.text(Self.animals, .columns(width: 40)) == """
                id  name           description         n
                 1  Käse 漢字漢字  a long text t…  12345
                22  -              short               7

                """)
        #expect(
            Self.text(Self.animals, .columns(width: 36)) == """
                id  name          description      n
                 1  Käse 漢字漢…  a long tex…  12345
                22  -             short            7

                """)
    }

    @Test(arguments: [(200, 0), (32, 0), (31, 1), (25, 1), (24, 2), (12, 2), (11, 3), (2, 3), (1, 3)])
    func `columns without room are left out from the right`(width: Int, omitted: Int) {
        var table = Self.animals
        let text = table.takeText(TableLayout(.columns(width: width), ANSIStyle(isOn: false))).text
        #expect(table.omittedColumns == omitted)
        for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width) }
    }

    @Test func `a table without columns is nothing`() {
        var table = TextTable(headers: [], rows: [[]])
        #expect(table.takeText(TableLayout(.columns(width: 9), ANSIStyle(isOn: false))).text == "\n\n")
        #expect(table.omittedColumns == 0)
    }

    @Test func `a part goes on below the part before, and fits too`() {
        var table = Self.animals
        let layout = TableLayout(.columns(width: 40), ANSIStyle(isOn: true))
        #expect(table.takeText(layout).text.hasPrefix("\u{1B}[1mid  name"))
        table.rows = [["123456", "x", "y", "1234567890123456789012345678901234567890"]]
        let part = table.takeText(layout).text
        #expect(part.hasPrefix("123456  x"))
        #expect(part.hasSuffix("…\n"))
        #expect(DisplayWidth.of(String(part.dropLast())) == 40)
        table.rows = [["7", nil, nil, "8"]]
        #expect(DisplayWidth.of(String(table.takeText(layout).text.dropLast())) == 40)
    }

    @Test func `a field a line, and each record has its number through all parts`() {
        var table = TextTable(headers: ["id", "名前"], rows: [["1", "Kea\n"], ["2", nil]])
        let layout = TableLayout(.vertical, ANSIStyle(isOn: false))
        #expect(
            table.takeText(layout).text == """
                ─── 1 ───
                id    1
                名前  Kea\\n
                ─── 2 ───
                id    2
                名前  -

                """)
        table.rows = [["3", "x"]]
        #expect(table.takeText(layout).text.hasPrefix("─── 3 ───\n"))
    }
}

struct ReportTests {
    private static let report = Report(
        records: [
            [
                .init("stream", "zoo.animals"), .init("rows", 7),
                .init("at", json: .string("now"), text: "now"), .init("error", nil as String?),
            ]
        ], shown: ["stream", "rows"], emptyHint: "There is nothing.")

    private static func text(
        _ report: Report, _ format: RowFormat = .table, _ form: TableLayout.Form = .columns(width: nil)
    ) -> String {
        report.rendered(as: format, TableLayout(form, ANSIStyle(isOn: false))).text
    }

    @Test func `a table shows the fields that matter, or all of them`() {
        #expect(Self.text(Self.report) == "stream       rows\nzoo.animals     7\n")
        #expect(
            Self.text(Self.report, .table, .wide)
                == "stream       rows  at   error\nzoo.animals     7  now  -\n")
        #expect(
            Self.text(Self.report, .table, .vertical)
                == "─── 1 ───\nstream  zoo.animals\nrows    7\nat      now\nerror   -\n")
        #expect(Self.text(Self.report, .markdown) == "| stream | rows |\n| --- | --: |\n| zoo.animals | 7 |\n")
    }

    @Test func `what programs read is all there in any form`() {
        for form in [TableLayout.Form.columns(width: 10), .wide, .vertical] {
            #expect(Self.text(Self.report, .csv, form) == "stream,rows,at,error\nzoo.animals,7,now,\n")
            #expect(
                Self.text(Self.report, .ndjson, form)
                    == #"{"stream":"zoo.animals","rows":7,"at":"now","error":null}"# + "\n")
        }
    }

    @Test func `one record is a field a line anyway`() {
        let report = Report(fieldsOf: [.init("id", 1), .init("name", "Kea")])
        #expect(Self.text(report) == "field  value\nid     1\nname   Kea\n")
        #expect(Self.text(report, .table, .vertical) == "id    1\nname  Kea\n")
        #expect(Self.text(report, .csv) == "field,value\nid,1\nname,Kea\n")
        let quoted = Self.text(Report(fieldsOf: [.init("X", "\"\u{301},")]), .csv)
        #expect(quoted.unicodeScalars.elementsEqual("field,value\nX,\"\"\"\u{301},\"\n".unicodeScalars))
    }

    @Test func `what is written says how many columns had no room`() throws {
        var bytes: [UInt8] = []
        let omitted = try Self.report.write(
            as: .table, TableLayout(.columns(width: 12), ANSIStyle(isOn: false))
        ) { bytes += $0 }
        #expect(omitted == 1)
        #expect(String(decoding: bytes, as: UTF8.self) == "stream\nzoo.animals\n")
    }

    @Test func `a time can be read to the minute where it is cut`() {
        let report = Report(
            records: [
                [
                    .init("id", 1), .init("at", Timestamp(millisecondsSince1970: 0)),
                    .init("text", String(repeating: "x", count: 90)),
                ]
            ], emptyHint: "")
        #expect(Self.text(report, .table, .columns(width: 31)).hasSuffix("\n 1  1970-01-01T00:00…  xxxxxxx…\n"))
    }
}
