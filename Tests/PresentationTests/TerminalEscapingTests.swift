import Testing

import GarnerPresentation

struct TerminalEscapingTests {
    @Test(arguments: [
        ("plain é 漢字 🐘", "plain é 漢字 🐘"), ("\u{1B}[2J\u{7}\0", "\\u001b[2J\\u0007\\u0000"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u{7F}\u{80}\u{9B}31m\u{85}", "\\u007f\\u0080\\u009b31m\\u0085"),
        ("\u{202E}txt\u{202C}\u{2066}\u{2069}", "\\u202etxt\\u202c\\u2066\\u2069"),
        ("\u{200E}\u{200F}\u{61C}", "\\u200e\\u200f\\u061c"), ("\u{2028}\u{2029}", "\\u2028\\u2029"),
        ("ad\u{200B}min\u{2060}\u{FEFF}\u{AD}", "ad\\u200bmin\\u2060\\ufeff\\u00ad"), ("\u{E0061}", "\\udb40\\udc61"),
        ("\u{3164}\u{115F}\u{34F}", "\\u3164\\u115f\\u034f"), ("ad\u{200D}min", "ad\\u200dmin"),
        ("\u{200C}", "\\u200c"), ("мо\u{200D}й", "мо\\u200dй"), ("👩\u{200D}👧", "👩\u{200D}👧"),
        ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
        ("say \"hi\" \\n", "say \"hi\" \\n"), ("e\u{301}", "e\u{301}"),
    ])
    func `what a terminal would not just show is escaped`(text: String, shown: String) {
        #expect(TerminalEscaping.escaped(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
        #expect(TerminalEscaping.isShown(text) == text.unicodeScalars.elementsEqual(shown.unicodeScalars))
        let sentence: DisplayText = "name: \(text)\n"
        #expect(sentence.text.unicodeScalars.elementsEqual("name: \(shown)\n".unicodeScalars))
    }

    @Test func `in quotes, a quote and a backslash are escaped too`() {
        #expect(TerminalEscaping.escaped("say \"hi\" \\n\n", inQuotes: true) == #"say \"hi\" \\n\n"#)
    }

    @Test func `decoration and lines are the program's own`() {
        let decoration = ANSIStyle(isOn: true)
        let lines: [DisplayText] = ["a\u{1B}", "b\n"].map { "- \($0)\n" }
        #expect(
            "\(decoration.bold("Try:")) x\n\(lines.joined())" as DisplayText
                == "\u{1B}[1mTry:\u{1B}[0m x\n- a\\u001b\n- b\\n\n")
    }
}

/// The work of escaping, counted: the scalars that are read and the bytes that are written.
struct EscapingWorkTests {
    /// One of each kind of character, with the bytes of its longest escape.
    static let kinds: [(scalar: Unicode.Scalar, longest: Int)] = [
        ("a", 1), ("\"", 2), ("\\", 2), ("|", 2), ("<", 4), ("&", 5), ("\0", 6), ("\u{1B}", 6), ("\n", 2),
        ("\u{7F}", 6),
        ("\u{9B}", 6), ("é", 2), ("\u{301}", 2), ("\u{200D}", 6), ("\u{202E}", 6), ("\u{2028}", 6), ("漢", 3),
        ("\u{FE0F}", 3), ("🐘", 4), ("\u{1F1E6}", 4), ("\u{E0061}", 12),
    ]

    /// Counts how often it is asked for a scalar.
    private final class Reads: Sequence, IteratorProtocol {
        let scalar: Unicode.Scalar
        let length: Int
        var count = 0

        init(_ scalar: Unicode.Scalar, _ length: Int) { (self.scalar, self.length) = (scalar, length) }

        func next() -> Unicode.Scalar? {
            count += 1
            return count <= length ? scalar : nil
        }
    }

    @Test(arguments: kinds) func `a long text is read once and written once`(
        kind: (scalar: Unicode.Scalar, longest: Int)
    ) {
        let length = 1 << 14
        for escape in [
            { TerminalEscaping.escape($0, inQuotes: true, to: $1) },
            { MarkdownTable().escape($0, to: $1) },
        ] as [(Reads, (UInt8) -> Void) -> Void] {
            let reads = Reads(kind.scalar, length)
            var written = 0
            escape(reads) { _ in written += 1 }
            #expect(reads.count == length + 1)
            #expect(written >= length && written <= kind.longest * length)
        }
    }
}
