import JSON

/// The next URL stands in the body.
struct JSONLinkPaging: PageFollower {
    let nextURL: Selector

    var looksAtPlaces: Bool { true }

    func places(on page: ReceivedPage) -> NamedPlaces? {
        NamedPlaces(nodes: nextURL.first(in: page.root).map { [$0] } ?? [])
    }

    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        guard let link = nextURL.first(in: page.root), link.kind != .null else { return nil }
        guard let text = link.string else { throw .invalidLink(link.text) }
        return text.isEmpty ? nil : try page.following(text)
    }
}
