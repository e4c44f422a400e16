import Foundation
import GarnerJSON
import Testing

struct JSONTextTests {
    @Test func `members keep their order`() {
        let value = JSONText.object([
            ("b", .integer(-1)), ("a", .array([.null, .string("x")])), ("empty", .object([])),
        ])
        #expect(value.text == #"{"b":-1,"a":[null,"x"],"empty":{}}"#)
    }

    @Test(arguments: [
        ("quote \" backslash \\ slash /", #""quote \" backslash \\ slash /""#),
        ("line\nreturn\rtab\t", #""line\nreturn\rtab\t""#),
        ("\0 \u{1} \u{1f} \u{7f}", "\"\\u0000 \\u0001 \\u001f \u{7f}\""),
        ("\r\n", #""\r\n""#),
        ("Père Kākāpō 🦤", "\"Père Kākāpō 🦤\""),
        ("\"\u{301}", "\"\\\"\u{301}\""),
    ])
    func `text is escaped where it must be and nowhere else`(text: String, spelling: String) throws {
        let spelled = JSONText.string(text).text
        #expect(Array(spelled.utf8) == Array(spelling.utf8))
        #expect(try JSONDecoder().decode([String].self, from: Data("[\(spelled)]".utf8)) == [text])
    }
}
