/// A text that equals another only if both have the same bytes.
///
/// Swift's strings are also equal if they look alike, as "é" does in one character and in two; JSON's and SQLite's are not.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: some StringProtocol) { self.text = String(text) }

    package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Texts in the order in which they came first. They are compared by their bytes.
package struct UniqueTexts {
    package private(set) var list: [String] = []
    private var known: Set<ExactText> = []

    package init() {}

    /// Adds a text. Returns false if it is there already.
    @discardableResult
    package mutating func add(_ text: String) -> Bool {
        guard known.insert(ExactText(text)).inserted else { return false }
        list.append(text)
        return true
    }
}

extension BidirectionalCollection {
    /// Returns the elements without those at the beginning and at the end that are to be dropped.
    package func trimming(while isDropped: (Element) -> Bool) -> SubSequence {
        let rest = drop(while: isDropped)
        guard let last = rest.lastIndex(where: { !isDropped($0) }) else { return rest[rest.endIndex...] }
        return rest[...last]
    }
}

extension Sequence<String> {
    /// The first text that came before with the same bytes; nil if there is none.
    package var firstRepeated: String? {
        var texts = UniqueTexts()
        return first { !texts.add($0) }
    }
}
