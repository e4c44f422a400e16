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
        let shifted = Self.shifted(next)
        let token = shifted?.token ?? next
        guard case .later = token, let place, pageToken == nil, shifted == nil || pageWord == "number" else {
            // The text has its placeholder where the token is.
            guard case .joined(let pieces) = next, let part = pieces.first(where: \.holdsPageToken) else {
                guard case .later = token, shifted == nil || pageWord != "cursor" else {
                    throw LossError(.pageToken, RecordCondition.shown(next))
                }
                try note(first: first, isAlone: true, shift: shifted?.distance)
                placedPage = token
                return .value(token)
            }
            let shiftedPart = Self.shifted(part)
            var start = try Self.cut(first, like: pieces)
            // The number stands for itself where more of the text is known later.
            if shiftedPart != nil, case .joined(let parts) = value, parts.count(where: \.holdsPageToken) == 1 {
                start = parts.first(where: \.holdsPageToken).map { assuming($0, token: false) } ?? start
            }
            try note(first: start, isAlone: false, shift: shiftedPart?.distance)
            placedPage = shiftedPart?.token ?? part
            return .value(next)
        }
        try note(first: first, isAlone: true)
        return .token(PageToken(place: place, value: token))
    }

    /// A token with a number added to it: a count that begins there. Returns nil for other values.
    private static func shifted(_ value: JinjaValue) -> (token: JinjaValue, distance: Int)? {
        guard let arguments = value.bare.arguments(of: "add"), arguments.count == 2,
            let distance = arguments[1].integerValue
        else { return nil }
        return (arguments[0].bare, distance)
    }

    /// Notes what the first page has in the place of a token.
    ///
    /// - Parameter shift: the number that is added to the token; nil for none.
    private func note(first: JinjaValue, isAlone: Bool, shift: Int? = nil) throws {
        guard !first.isNothing else {
            // The first page has the offset 0 and the first number in any case.
            guard isAlone && shift == nil || pageWord == "number" || pageWord == "offset" && shift == nil else {
                throw LossError(.pageToken, "a text without the token on the first page")
            }
            return
        }
        guard let text = first.printed else {
            throw LossError(.pageToken, "the first page: " + RecordCondition.shown(first))
        }
        guard pageWord != "offset" || text == String(shift ?? 0) else {
            throw LossError(.pageToken, "an offset that begins at another number")
        }
        if pageWord != "offset" || shift != nil { firstCursor = text }
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
        let shifted = Self.shifted(value)
        let token = shifted?.token ?? value.bare
        guard case .later = token, shifted == nil || pageWord != "cursor" else {
            throw LossError(.pageToken, RecordCondition.shown(value))
        }
        placedPage = placedPage ?? token
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
