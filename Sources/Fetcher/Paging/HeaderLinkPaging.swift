/// The next URL stands in a `Link` field.
struct HeaderLinkPaging: PageFollower {
    let relation: String

    var looksAtPlaces: Bool { true }

    /// A field that links to any page is the place; a server that has none may page in another way.
    func places(on page: ReceivedPage) -> NamedPlaces? { NamedPlaces(isInHead: page.head.headers["Link"] != nil) }

    var linkRelation: String? { relation }

    /// A page without a link may get one, while its body and its validator stay.
    func memory(of page: ReceivedPage, next: NextPage?) -> PageSummary.Memory { next == nil ? .body : .full }

    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        guard let target = try Self.target(of: relation, in: page.head) else { return nil }
        var next = try page.following(target)
        next.isFromHead = true
        return next
    }

    /// The first link with this relation; throws where it is no link.
    static func target(of relation: String, in head: ResponseHead) throws(FetchError.Kind) -> String? {
        let relation = relation.lowercased()
        let values = head.headers.values(of: "Link")
        if let link = values.flatMap(LinkHeader.links).first(where: { $0.relations.contains(relation) }) {
            return link.target
        }
        // Ending here would take a part for the whole.
        if let broken = values.first(where: { LinkHeader.isBroken(relation, in: $0) }) { throw .invalidLink(broken) }
        return nil
    }
}
