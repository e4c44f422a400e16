/// The token of the next page, where a manifest writes it into a request itself.
extension StreamTranslation {
    /// The value of the page that a request has.
    private enum PagePart {
        /// Only the token, which the paginator places.
        case token(PageToken)
        /// A value that holds no token.
        case value(JinjaValue)
    }

    /// Returns what a request has at a place; nil where nothing is sent, or where the paginator puts the token.
    func requestValue(
        _ value: JinjaValue, at place: RequestPlace?, for use: TextUse = .request
    ) throws -> FileValue? {
        switch try pagePart(value, at: place) {
        case .token(let token):
            pageToken = token
            return nil
        case .value(let value): return try written(value, for: use)
        }
    }

    /// Returns what stands at a place whose value may mention the token.
    ///
    /// - Parameter place: nil for a place that no paginator can name.
    private func pagePart(_ value: JinjaValue, at place: RequestPlace?) throws -> PagePart {
        let first = assuming(value, token: false)
        guard value.holdsPageToken, !requestsFollowURL else { return .value(first) }
        let next = assuming(value, token: true).bare
        guard next.holdsPageToken else {
            guard next == first.bare else {
                throw LossError(.computedRequest, "a value of the first page only, or of the others only")
            }
            return .value(first)
        }
        let isShifted = next.arguments(of: "add").map { $0.count == 2 && $0[1].integerValue != nil } ?? false
        let token = isShifted ? next.arguments(of: "add")?.first?.bare ?? next : next
        guard case .later = token, let place, pageToken == nil, !isShifted || pageWord == "number" else {
            // The text has its placeholder where the token is.
            guard case .joined(let pieces) = next else {
                guard case .later = next else { throw LossError(.pageToken, RecordCondition.shown(next)) }
                try note(first: first, isAlone: true)
                placedPage = next
                return .value(next)
            }
            try note(first: try Self.cut(first, like: pieces), isAlone: false)
            placedPage = pieces.first(where: \.holdsPageToken)
            return .value(next)
        }
        try note(first: first, isAlone: true)
        return .token(PageToken(place: place, value: token))
    }

    /// Notes what the first page has in the place of a token.
    private func note(first: JinjaValue, isAlone: Bool) throws {
        guard !first.isNothing else {
            // The first page has the offset 0 and the first number in any case.
            guard isAlone || pageWord != "cursor" else {
                throw LossError(.pageToken, "a text without the token on the first page")
            }
            return
        }
        guard let text = first.printed else {
            throw LossError(.pageToken, "the first page: " + RecordCondition.shown(first))
        }
        guard pageWord != "offset" || text == "0" else {
            throw LossError(.pageToken, "an offset that begins at another number")
        }
        if pageWord != "offset" { firstCursor = text }
    }

    /// Returns what the text of the first page has where that of the others has the token.
    private static func cut(_ first: JinjaValue, like pieces: [JinjaValue]) throws -> JinjaValue {
        guard let text = first.isNothing ? "" : first.printed, !text.isEmpty else { return .missing }
        guard let index = pieces.firstIndex(where: \.holdsPageToken),
            pieces.count(where: \.holdsPageToken) == 1
        else { throw LossError(.pageToken, "several tokens in one text") }
        let head = pieces[..<index].map(Self.text).joined()
        let tail = pieces[(index + 1)...].map(Self.text).joined()
        guard text.hasPrefix(head), text.dropFirst(head.count).hasSuffix(tail) else {
            throw LossError(.pageToken, "another text on the first page")
        }
        return .text(String(text.dropFirst(head.count).dropLast(tail.count)))
    }

    /// Returns the placeholder of the page for a value that is its token; nil for another one.
    func pageText(_ value: JinjaValue) throws -> String? {
        guard value.holdsPageToken else { return nil }
        guard case .later = value.bare else { throw LossError(.pageToken, RecordCondition.shown(value)) }
        placedPage = placedPage ?? value.bare
        return "{page.\(pageWord)}"
    }

    private var paginator: ManifestNode? { node["retriever"]?["paginator"] }

    /// The value that the paginator counts or passes on: `cursor`, `offset` or `number`.
    private var pageWord: String {
        switch paginator?["pagination_strategy"]?.type {
        case "OffsetIncrement": "offset"
        case "PageIncrement": "number"
        default: "cursor"
        }
    }

    /// True if all pages but the first have a URL that the server gives, so that the request is the first one's.
    private var requestsFollowURL: Bool {
        guard let paginator, paginator.type != "NoPagination" else { return true }
        return paginator["page_token_option"]?.type == "RequestPath"
    }
}
