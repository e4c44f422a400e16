/// The next URL stands in a `Link` field.
struct HeaderLinkPaging: PageFollower {
    let relation: String

    func isToldByBody(_ page: ReceivedPage) -> Bool { false }

    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        let links = page.head.headers.values(of: "Link").flatMap(LinkHeader.links)
        guard let link = links.first(where: { $0.relations.contains(relation.lowercased()) }) else { return nil }
        return try page.following(link.target)
    }
}
