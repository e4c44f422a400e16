import Catalog
import JSON

/// Finds the next page in each response: the `Link` field, then the usual places of a URL, a cursor or a number.
struct AutoPaging: PageFollower {
    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        let announced = ["has_more", "hasMore"].lazy.compactMap { name in page.root[name].map { (name, $0.kind) } }
            .first
        if announced?.1 == .false { return nil }
        if let next = try HeaderLinkPaging(relation: "next").next(after: page) { return next }
        let linked = link(in: page.root)
        if case .url(let link) = linked { return try page.following(link) }
        if let (parameter, value) = parameter(in: page.root) {
            return page.following(.query(parameter), .text(.literal(value)))
        }
        // Ending here would store a part as the whole.
        if let announced, announced.1 == .true { throw .unclearPaging(member: announced.0) }
        if case .token(let member) = linked, !page.rootIsRecord { throw .unclearPaging(member: member) }
        return nil
    }

    /// A page that says nothing of a next one may get one in its head, while its body stays.
    func isToldByBody(_ page: ReceivedPage) -> Bool {
        let isLinked = page.head.headers["Link"] != nil
        return !isLinked && (page.rootIsRecord || Self.members.contains { page.root[$0] != nil })
    }

    /// The members of a body that tell of paging.
    private static let members = [
        "links", "_links", "@odata.nextLink", "next", "meta", "paging", "next_page", "next_cursor", "nextCursor",
        "nextPageToken", "next_page_token", "has_more", "hasMore",
    ]

    private enum Link {
        case url(String)
        /// The value of a parameter, whose name nothing tells.
        case token(ofMember: String)
    }

    private func link(in root: Node) -> Link? {
        let alwaysURLs = [root["links"]?["next"], root["_links"]?["next"], root["@odata.nextLink"]]
        for candidate in alwaysURLs {
            if let text = candidate?.string ?? candidate?["href"]?.string, !text.isEmpty { return .url(text) }
        }
        let sometimesURLs = [
            ("next", root["next"]), ("meta.next", root["meta"]?["next"]), ("paging.next", root["paging"]?["next"]),
            ("next_page", root["next_page"]),
        ]
        var token: Link?
        for (member, candidate) in sometimesURLs {
            guard let text = candidate?.string ?? candidate?["href"]?.string, !text.isEmpty,
                !text.contains(where: \.isWhitespace)
            else { continue }
            // Absolute, or with a path or a query.
            if text.contains(where: { $0 == "/" || $0 == "?" }) { return .url(text) }
            token = token ?? .token(ofMember: member)
        }
        return token
    }

    private func parameter(in root: Node) -> (String, String)? {
        let usual = [
            ("next_cursor", "cursor"), ("nextCursor", "cursor"), ("nextPageToken", "pageToken"),
            ("next_page_token", "page_token"),
        ]
        for (member, parameter) in usual {
            if let value = root[member]?.pagingText, !value.isEmpty { return (parameter, value) }
        }
        return root["next_page"]?.pagingNumber.map { ("page", "\($0)") }
    }
}
