import GarnerCatalog

/// A bound of the window, with the format in which a request has it.
struct WindowBound: Equatable {
    /// The placeholder's name.
    let name: String
    /// The format in the manifest's words.
    var format: String
    /// True if the format is that of the stream.
    var isUsual = true

    /// The same in another format.
    func written(as format: String) -> WindowBound {
        WindowBound(name: name, format: format, isUsual: isUsual && format == self.format)
    }

    func placeholder() throws -> String {
        isUsual ? "{\(name)}" : "{\(name), \(try StreamTranslation.sentFormat(format))}"
    }

    /// The conversions and the single characters of the format, with the length of what they write.
    private var tokens: [(text: String, length: Int?)] {
        var tokens: [(text: String, length: Int?)] = []
        var rest = format[...]
        while let character = rest.popFirst() {
            guard character == "%", let letter = rest.popFirst() else {
                tokens.append((String(character), 1))
                continue
            }
            let length: Int? = letter == "Y" ? 4 : letter == "f" ? 6 : "mdHMS".contains(letter) ? 2 : nil
            tokens.append(("%\(letter)", length))
        }
        return tokens
    }

    /// The first characters of the text; nil if they end within a number.
    func prefix(_ length: Int) -> WindowBound? {
        var (text, rest) = ("", length)
        for token in tokens where rest > 0 {
            guard let length = token.length, length <= rest else { return nil }
            text += token.text
            rest -= length
        }
        return rest == 0 ? written(as: text) : nil
    }

    /// The characters from one place to another, as Python counts them; nil if they begin or end within a number.
    func slice(from start: Int, to end: Int?) -> WindowBound? {
        // Times are sent in UTC.
        let spelled = written(as: format.replacing("%:z", with: "+00:00").replacing("%z", with: "+0000")).tokens
        let lengths = spelled.compactMap(\.length)
        guard lengths.count == spelled.count else { return nil }
        let total = lengths.reduce(0, +)
        func place(_ index: Int) -> Int { min(max(index < 0 ? index + total : index, 0), total) }
        let (low, high) = (place(start), place(end ?? total))
        var (text, next) = ("", 0)
        for (token, length) in zip(spelled, lengths) {
            let begin = next
            next += length
            guard next > low, begin < high else { continue }
            guard begin >= low, next <= high else { return nil }
            text += token.text
        }
        return written(as: text)
    }

    /// True for a text that may be in what a conversion writes, so that it is not only where the format has it.
    private func canTouch(_ text: String) -> Bool {
        let hasOffset = format.contains("%z") || format.contains("%:z")
        let hasWords = ["%a", "%A", "%b", "%B", "%p", "%Z"].contains { format.contains($0) }
        return text.contains {
            $0.isNumber || $0 == "%" || hasOffset && "+-:".contains($0) || hasWords && $0.isLetter
        }
    }

    /// The text with one of its literal parts replaced.
    func replacing(_ old: String, with new: String) -> WindowBound? {
        guard !old.isEmpty, !new.contains("%"), !canTouch(old) else { return nil }
        let marked = tokens.map { $0.text.hasPrefix("%") ? "\u{E000}\($0.text.dropFirst())" : $0.text }
        let replaced = marked.joined().replacing(old, with: new)
        return written(as: replaced.replacing("\u{E000}", with: "%"))
    }

    /// One of the parts between separators.
    func part(_ index: Int, between separator: String) -> WindowBound? {
        guard !separator.isEmpty, !canTouch(separator) else { return nil }
        let parts = tokens.map { $0.text.hasPrefix("%") ? "\u{E000}\($0.text.dropFirst())" : $0.text }.joined()
            .split(separator: separator, omittingEmptySubsequences: false)
        let place = index < 0 ? parts.count + index : index
        guard parts.indices.contains(place) else { return nil }
        return written(as: String(parts[place]).replacing("\u{E000}", with: "%"))
    }
}

extension StreamTranslation {
    /// Returns the format in which a request has a time, in our words.
    static func sentFormat(_ pattern: String) throws -> String {
        // Times are sent in UTC, and `%z` writes an offset without a colon.
        try TimeFormat(pattern.replacing("%:z", with: "+00:00")).format.description
    }
}
