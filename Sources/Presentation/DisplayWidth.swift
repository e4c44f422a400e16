/// Counts the cells of a terminal that a text takes.
///
/// East Asian characters and emoji take two cells (unicode.org/reports/tr11), combining marks none.
package enum DisplayWidth {
    /// Returns the cells of a text without control characters.
    package static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// Returns the beginning of a text that takes at most so many cells. `…` stands for the rest.
    package static func cut(_ text: String, to cells: Int) -> String {
        guard of(text) > cells else { return text }
        guard cells > 0 else { return "" }
        var room = cells - 1
        return text.prefix { character in
            room -= of(character)
            return room >= 0
        } + "…"
    }

    private static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        // "Default emoji presentation", or U+FE0F after a scalar without it (unicode.org/reports/tr51).
        if scalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        // Vowels and final consonants stand in the square of the consonant before them.
        default: joinedLetters.contains { $0 ~= scalar.value } ? 0 : wide.contains { $0 ~= scalar.value } ? 2 : 1
        }
    }

    private static let joinedLetters: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7FF]

    /// The scalars of EastAsianWidth.txt (Unicode 16) that are W or F and not emoji, and the unassigned scalars between
    /// them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0x3247,
        0x3250...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376,
        0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
