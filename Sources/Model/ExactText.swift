/// A text that equals another only if both have the same bytes.
///
/// Two strings of Swift are also equal if they look alike, such as "é" in one character and in two. JSON and SQLite
/// take these for different names.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: some StringProtocol) { self.text = String(text) }

    package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Sequence where Element: StringProtocol {
    /// True if no two texts have the same bytes.
    package var areDistinct: Bool {
        var seen: Set<ExactText> = []
        return allSatisfy { seen.insert(ExactText($0)).inserted }
    }
}
