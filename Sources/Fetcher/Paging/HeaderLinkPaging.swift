/// The next URL stands in a `Link` field.
struct HeaderLinkPaging: PageFollower {
    let relation: String

    func isToldByBody(_ page: ReceivedPage) -> Bool { false }

    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        let relation = relation.lowercased()
        let values = page.head.headers.values(of: "Link")
        guard let link = values.flatMap(LinkHeader.links).first(where: { $0.relations.contains(relation) }) else {
            // Ending here would take a part for the whole.
            if let broken = values.first(where: { LinkHeader.isBroken(relation, in: $0) }) {
                throw .invalidLink(broken)
            }
            return nil
        }
        return try page.following(link.target)
    }
}
