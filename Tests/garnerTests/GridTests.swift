import Testing

@testable import garner

struct GridTests {
    private static let grid = Grid(
        headers: ["a\u{1B}]0;x\u{7}", "b|c"], rows: [["\u{9B}31m\n", "x|y"], [nil, "\u{7F}é"]])

    @Test func `nothing that an API sends moves the cursor`() {
        let plain = Decoration(.never, [:], on: 1)
        #expect(
            Self.grid.text(plain).text == """
                a\\u001b]0;x\\u0007  b|c
                \\u009b31m\\n        x|y
                -                  \\u007fé

                """)
    }

    @Test func `a Markdown table has its columns whatever stands in them`() {
        #expect(
            Self.grid.markdown.text == """
                | a\\u001b]0;x\\u0007 | b\\|c |
                | --- | --- |
                | \\u009b31m\\n | x\\|y |
                |  | \\u007fé |

                """)
    }

    @Test func `a bar is none of the table's, whatever stands behind it`() {
        let grid = Grid(headers: ["a|\u{301}"], rows: [["|\u{FE0F}|"], ["x"]])
        #expect(
            grid.markdown.text.utf8.elementsEqual(
                "| a\\|\u{301} |\n| --- |\n| \\|\u{FE0F}\\| |\n| x |\n".utf8))
    }
}
