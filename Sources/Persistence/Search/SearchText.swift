/// What is searched for.
package enum SearchText: Sendable, Equatable {
    /// Words that a record must have, all of them; nothing else has a meaning.
    case words(String)
    /// FTS5's own syntax (sqlite.org/fts5.html#full_text_query_syntax).
    case expression(String)

    /// As FTS5 reads it: each word as a string, in which only the quote is special. No word at all is found nowhere.
    var query: String {
        switch self {
        case .expression(let expression): return expression
        case .words(let text):
            let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
            guard !words.isEmpty else { return "\"\"" }
            return words.map { word in
                "\""
                    + word.split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
                    .joined(separator: "\"\"") + "\""
            }.joined(separator: " ")
        }
    }
}
