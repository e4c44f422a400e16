import Fetcher

// What an error says about the rest of a read.
extension FetchError.Kind {
    /// Whether going on behind the stored pages would lead there again.
    var spoilsRead: Bool {
        switch self {
        case .repeatedPage, .unchangedPage: true
        default: false
        }
    }

    /// Whether the same answer is to be expected at this position again, which a first page may not give.
    var spoilsPosition: Bool {
        // What a token endpoint says is not of the page.
        if case .token = self { return false }
        if case .status(let status, _) = self {
            return (400..<500).contains(status) && ![408, 425, 429].contains(status)
        }
        return category == .badContent
    }

    /// Whether it says something of what was asked for, and not of the source, so that the rest can be read.
    var isOfOneSlice: Bool {
        switch self {
        case .status(let status, _): status != 429
        case .token: false
        case .redirect, .repeatedPage, .linkToOtherOrigin, .bodyTooLarge, .graphQL: true
        default: category == .badContent
        }
    }
}
