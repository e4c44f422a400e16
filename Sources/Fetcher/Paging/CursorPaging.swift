import Catalog
import JSON

/// A token of the body becomes a parameter of the next request.
struct CursorPaging: PageFollower {
    let cursor: Selector
    let parameter: ParameterPlace
    /// Where it selects false, this was the last page.
    let hasMore: Selector?

    func next(after page: ReceivedPage) -> NextPage? {
        if hasMore?.first(in: page.root)?.kind == .false { return nil }
        guard let cursor = cursor.first(in: page.root) else { return nil }
        // Elasticsearch's search_after goes into the body as the array that it is.
        if case .body = parameter, cursor.kind == .array { return page.following(parameter, BodyValue(cursor)) }
        guard let text = cursor.pagingText, !text.isEmpty else { return nil }
        return page.following(parameter, BodyValue(cursor))
    }

    var looksAtPlaces: Bool { true }

    func places(on page: ReceivedPage) -> NamedPlaces? {
        let more = hasMore?.first(in: page.root)
        return NamedPlaces(
            nodes: [cursor.first(in: page.root), more].compactMap(\.self), saysLast: more?.kind == .false,
            saysMore: more?.kind == .true)
    }
}
