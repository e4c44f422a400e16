import JSON

/// How a page of an unknown API leads to the next one: by the `Link` field, then by the usual places of a URL, a cursor
/// or a number.
enum Recognition: Equatable {
    /// It says that it is the last one.
    case last
    /// It says nothing that is known.
    case nothing
    /// By a URL in the `Link` field.
    case headerLink(target: String)
    /// By a URL in the body, at this JSONPath.
    case jsonLink(path: String, target: String)
    /// By a value of the body, at this JSONPath, that is sent as a parameter.
    case cursor(path: String, parameter: String, value: String)
    /// More is announced, but not where.
    case unclear(member: String)
    /// By the value of a parameter, whose name nothing tells, at this JSONPath.
    case token(path: String, member: String)

    /// Throws where the `Link` field is broken.
    init(head: ResponseHead, root: Node) throws(FetchError.Kind) {
        let announced = Self.announcement(in: root)
        if announced?.isMore == false {
            self = .last
            return
        }
        if let target = try HeaderLinkPaging.target(of: "next", in: head) {
            self = .headerLink(target: target)
            return
        }
        let linked = Self.link(in: root)
        if case .jsonLink = linked {
            self = linked
        } else if let cursor = Self.cursor(in: root) {
            self = cursor
        } else if let announced, announced.isMore == true {
            self = .unclear(member: announced.member)
        } else {
            self = linked
        }
    }

    /// The members of a body that tell of paging.
    static let members = [
        "links", "_links", "@odata.nextLink", "next", "meta", "paging", "next_page", "next_cursor", "nextCursor",
        "nextPageToken", "next_page_token", "has_more", "hasMore",
    ]

    /// The member that says whether there is more, and what it says; nil there: neither yes nor no.
    static func announcement(in root: Node) -> (member: String, isMore: Bool?)? {
        for member in ["has_more", "hasMore"] {
            guard let kind = root[member]?.kind else { continue }
            return (member, kind == .true ? true : kind == .false ? false : nil)
        }
        return nil
    }

    private static func link(in root: Node) -> Recognition {
        let alwaysURLs = [
            ("$.links.next", root["links"]?["next"]), ("$._links.next", root["_links"]?["next"]),
            ("$['@odata.nextLink']", root["@odata.nextLink"]),
        ]
        for (path, candidate) in alwaysURLs {
            if let (path, text) = text(of: candidate, at: path) { return .jsonLink(path: path, target: text) }
        }
        let sometimesURLs = [
            ("next", root["next"]), ("meta.next", root["meta"]?["next"]), ("paging.next", root["paging"]?["next"]),
            ("next_page", root["next_page"]),
        ]
        var token = Recognition.nothing
        for (member, candidate) in sometimesURLs {
            guard let (path, text) = text(of: candidate, at: "$.\(member)"), !text.contains(where: \.isWhitespace)
            else { continue }
            // Absolute, or with a path or a query.
            if text.contains(where: { $0 == "/" || $0 == "?" }) { return .jsonLink(path: path, target: text) }
            if token == .nothing { token = .token(path: path, member: member) }
        }
        return token
    }

    /// A text, or the one in its member `href`; nil where it is empty.
    private static func text(of candidate: Node?, at path: String) -> (path: String, text: String)? {
        if let text = candidate?.string { return text.isEmpty ? nil : (path, text) }
        guard let text = candidate?["href"]?.string, !text.isEmpty else { return nil }
        return ("\(path).href", text)
    }

    private static func cursor(in root: Node) -> Recognition? {
        let usual = [
            ("next_cursor", "cursor"), ("nextCursor", "cursor"), ("nextPageToken", "pageToken"),
            ("next_page_token", "page_token"),
        ]
        for (member, parameter) in usual {
            guard let value = root[member]?.pagingText, !value.isEmpty else { continue }
            return .cursor(path: "$.\(member)", parameter: parameter, value: value)
        }
        guard let number = root["next_page"]?.pagingNumber else { return nil }
        return .cursor(path: "$.next_page", parameter: "page", value: "\(number)")
    }
}
