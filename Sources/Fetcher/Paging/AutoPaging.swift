import JSON

/// Finds the next page in each response: the `Link` field, then the usual places of a URL, a cursor or a number.
struct AutoPaging: PageFollower {
    func next(after page: ReceivedPage) throws(FetchError.Kind) -> WebAddress? {
        let announced = ["has_more", "hasMore"].lazy.compactMap { name in page.root[name].map { (name, $0.kind) } }
            .first
        if announced?.1 == .false { return nil }
        if let next = try HeaderLinkPaging(relation: "next").next(after: page) { return next }
        if let link = link(in: page.root) { return try page.following(link) }
        if let (parameter, value) = parameter(in: page.root) { return page.address.setting(parameter, to: value) }
        // Ending here would store a part as the whole.
        if let announced, announced.1 == .true { throw .unclearPaging(member: announced.0) }
        return nil
    }

    private func link(in root: Node) -> String? {
        let alwaysURLs = [root["links"]?["next"], root["_links"]?["next"], root["@odata.nextLink"]]
        for candidate in alwaysURLs {
            if let text = candidate?.string ?? candidate?["href"]?.string, !text.isEmpty { return text }
        }
        let sometimesURLs = [root["next"], root["meta"]?["next"], root["paging"]?["next"], root["next_page"]]
        for candidate in sometimesURLs {
            if let text = candidate?.string ?? candidate?["href"]?.string, Self.looksLikeURL(text) { return text }
        }
        return nil
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

    /// A text without white space that is absolute, begins like a reference, or has a path or a query.
    private static func looksLikeURL(_ text: String) -> Bool {
        !text.isEmpty && !text.contains { $0.isWhitespace } && text.contains { $0 == "/" || $0 == "?" }
    }
}
