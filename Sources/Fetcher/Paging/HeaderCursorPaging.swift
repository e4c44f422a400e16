import Catalog

/// A token of a header field becomes a parameter of the next request.
struct HeaderCursorPaging: PageFollower {
    let header: String
    let parameter: ParameterPlace

    func memory(of page: ReceivedPage, next: NextPage?) -> PageSummary.Memory { .none }

    var looksAtPlaces: Bool { true }

    func places(on page: ReceivedPage) -> NamedPlaces? { NamedPlaces(isInHead: page.head.headers[header] != nil) }

    func next(after page: ReceivedPage) -> NextPage? {
        guard let cursor = page.head.headers[header], !cursor.isEmpty else { return nil }
        return page.following(parameter, .text(.literal(cursor)))
    }
}
