import GarnerPresentation
import Testing

struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("Käse", 4), ("漢字", 4), ("かな", 4), ("ｶﾅ", 2), ("Ａ", 2), ("한국", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("e\u{301}", 1), ("か\u{3099}", 2), ("กี่", 1), ("🐘", 2), ("❤", 1),
        ("❤\u{FE0F}", 2), ("👩\u{200D}👧", 2), ("👍🏽", 2), ("🇩🇪", 2), ("1\u{FE0F}\u{20E3}", 2), ("…", 1), ("─", 1),
    ])
    func `a text takes the cells that a terminal shows it in`(text: String, cells: Int) {
        #expect(DisplayWidth.of(text) == cells)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("👩\u{200D}👧👩\u{200D}👧", 3, "👩\u{200D}👧…"),
    ])
    func `a text is cut between what is read as one character`(text: String, cells: Int, cut: String) {
        #expect(DisplayWidth.cut(text, to: cells).unicodeScalars.elementsEqual(cut.unicodeScalars))
    }

    @Test func `a sentence is broken between words`() {
        let sentence: DisplayText = "database: \("/a/long/path/of/a/file") is sound"
        #expect(
            sentence.wrapped(to: 30, indent: 8).text == "database:\n        /a/long/path/of/a/file\n        is sound")
        #expect(sentence.wrapped(to: nil, indent: 8) == sentence)
        #expect(sentence.wrapped(to: 80, indent: 8) == sentence)
    }
}
