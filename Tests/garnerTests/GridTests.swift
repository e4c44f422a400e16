import Testing

@testable import garner

struct GridTests {
    private static let grid = Grid(
        headers: ["a\u{1B}]0;x\u{7}", "b|c"], rows: [["\u{9B}31m\n", "x|y"], [nil, "\u{7F}é"]])

    @Test func `nothing that an API sends moves the cursor`() {
        let plain = Decoration(.never, [:], on: 1)
        #expect(
            Self.grid.text(plain) == """
                a\\u{1b}]0;x\\u{7}  b|c
                \\u{9b}31m\\n       x|y
                -                 \\u{7f}é

                """)
    }

    @Test func `a Markdown table has its columns whatever stands in them`() {
        #expect(
            Self.grid.markdown == """
                | a\\u{1b}]0;x\\u{7} | b\\|c |
                | --- | --- |
                | \\u{9b}31m\\n | x\\|y |
                |  | \\u{7f}é |

                """)
    }

    @Test func `a bar is none of the table's, whatever stands behind it`() {
        let grid = Grid(headers: ["a|\u{301}"], rows: [["|\u{200D}|"], ["x"]])
        #expect(
            grid.markdown.utf8.elementsEqual(
                "| a\\|\u{301} |\n| --- |\n| \\|\u{200D}\\| |\n| x |\n".utf8))
    }
}
