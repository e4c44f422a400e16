import GarnerModel
import Testing

struct TrimmingTests {
    @Test(arguments: [
        ("", ""), (" ", ""), ("a", "a"), (" a b\n", "a b"), ("\t\r\na\u{A0}", "a"),
    ])
    func `elements at both ends are dropped, and none in between`(text: String, expected: String) {
        #expect(text.trimming(while: \.isWhitespace) == expected)
    }
}
