import GarnerJSON
import Testing

struct TextTests {
    @Test(
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9""#, "Aéé"),
            (#""\u65e5\u672C""#, "日本"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00x""#, "😀x"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
            (#""\uD800\uDC00""#, "\u{10000}"),
            (#""\u0000""#, "\u{0}"), (#""a\u0000b""#, "a\u{0}b"),
            (#""\u007f\u0080\u07ff\u0800\uffff""#, "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}"),
            (#""\ufeff""#, "\u{FEFF}"), (#""\\u0041""#, "\\u0041"), (#""\\\\""#, "\\\\"),
            (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
            (#""no escape""#, "no escape"), (#""""#, ""), (#""\u0022""#, "\""),
        ] as [(String, String)])
    func `escapes in a JSON string are decoded`(source: String, text: String) throws {
        for (document, isKey) in [(source, false), ("[\(source)]", false), ("{\(source):1}", true)] {
            try Document(document).withRoot { root in
                let node = isKey ? root.members.map(\.key).first : root.elements.map(\.self).first ?? root
                #expect(node.map { Array($0.utf8) } == Array(text.utf8))
                #expect(node?.isReplaced == false)
                if !isKey { #expect(node?.string == text) }
            }
        }
    }

    @Test(
        arguments: [
            (#""\ud800""#, "\u{FFFD}"), (#""\udc00""#, "\u{FFFD}"), (#""\udfff""#, "\u{FFFD}"),
            (#""\udbff""#, "\u{FFFD}"), (#""a\ud800b""#, "a\u{FFFD}b"),
            (#""\ud800\ud800""#, "\u{FFFD}\u{FFFD}"), (#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"),
            (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud800\u0041""#, "\u{FFFD}A"), (#""\ud800\n""#, "\u{FFFD}\n"), (#""\ud800\\u0041""#, "\u{FFFD}\\u0041"),
            (#""\ud83d😀""#, "\u{FFFD}😀"),
            (#""\ud83d\ude00\ude00""#, "😀\u{FFFD}"), (#""\ud800\udbff""#, "\u{FFFD}\u{FFFD}"),
        ] as [(String, String)])
    func `a lone surrogate becomes U+FFFD, which is noted`(source: String, text: String) throws {
        try Document("[\(source),\"ok\"]").withRoot { root in
            let nodes = root.elements.map(\.self)
            #expect(nodes[0].text == text)
            #expect(nodes[0].isReplaced)
            #expect(!nodes[1].isReplaced)
        }
    }

    @Test func `every scalar comes back from its escapes`() throws {
        for block in stride(from: 0 as UInt32, to: 0x11_0000, by: 0x1000) {
            let scalars = (block..<block + 0x1000).compactMap(Unicode.Scalar.init)
            let escaped = scalars.flatMap { UTF16.encode($0).map(Array.init) ?? [] }.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            let document = try Document("\"\(escaped.joined())\"")
            #expect(document.withRoot { Array($0.text.unicodeScalars) } == scalars)
        }
    }

    @Test(arguments: 0..<130)
    func `a text of any length ends where it ends`(length: Int) throws {
        let plain = String(repeating: "a", count: length)
        for (source, text) in [
            (plain, plain), (plain + "\\n", plain + "\n"), ("\\n" + plain, "\n" + plain),
            (plain + "\\\\", plain + "\\"),
        ] {
            #expect(try Document("{\"\(source)\":\"\(source)\"}").withRoot { $0[text]?.string } == text)
        }
    }

    @Test(arguments: [("1", nil), ("null", nil), ("[]", nil), ("\"\"", ""), ("\"1\"", "1")] as [(String, String?)])
    func `only a string node has a string value`(source: String, string: String?) throws {
        #expect(try Document(source).withRoot(\.string) == string)
    }

    @Test(arguments: [
        ("\"a\\u0062\"", "\"ab\""), ("1.50", "1.50"), ("{ \"b\" : 1 , \"a\":2}", "{ \"b\" : 1 , \"a\":2}"),
        ("[ 1 ]", "[ 1 ]"), ("null", "null"),
    ])
    func `its source is what stood there`(text: String, source: String) throws {
        #expect(try Document(text).withRoot(\.source) == source)
    }
}
