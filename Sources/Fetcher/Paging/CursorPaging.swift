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
        guard let cursor = cursor.first(in: page.root), let text = cursor.pagingText, !text.isEmpty else { return nil }
        return page.following(parameter, BodyValue(cursor))
    }
}
