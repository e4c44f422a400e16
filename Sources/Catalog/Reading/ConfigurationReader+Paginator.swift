extension ConfigurationReader {
    private enum Kind: String, CaseIterable {
        case auto
        case singlePage = "single_page"
        case jsonLink = "json_link"
        case headerLink = "header_link"
        case cursor
        case offset
        case pageNumber = "page_number"

        var keys: [String] {
            if self == .singlePage { return [] }
            let own: [String] =
                switch self {
                case .auto, .singlePage: []
                case .jsonLink: ["next_url_path"]
                case .headerLink: ["rel"]
                case .cursor: ["cursor_path", "cursor_param", "has_more_path"]
                case .offset: ["offset_param", "limit_param", "limit", "total_path"]
                case .pageNumber:
                    ["page_param", "base_page", "page_size_param", "page_size", "total_path", "total_pages_path"]
                }
            return own + ["max_pages", "stop_after_empty_page"]
        }
    }

    func paginator(_ value: YAMLValue) -> Paginator? {
        guard let mapping = value.mapping(hint: "write paginator: { type: auto }"),
            let type = mapping.required(
                "type", hint: "write one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))"),
            let kind = type.choice(Kind.allCases.map { ($0.rawValue, $0) }, notYet: ["header_cursor"])
        else { return nil }
        let others = Set(Kind.allCases.flatMap(\.keys))
        let hint = kind.keys.isEmpty ? "it has no other keys" : "its keys are \(kind.keys.joined(separator: ", "))"
        mapping.expect(
            ["type"] + kind.keys,
            elsewhere: Dictionary(
                uniqueKeysWithValues: others.map { ($0, "'\(kind.rawValue)' has no such key: \(hint)") }))
        let limits = PageLimits(
            maxPages: mapping["max_pages"]?.integer(in: 1...Int.max),
            stopsAfterEmptyPage: mapping["stop_after_empty_page"]?.flag())
        return paginator(kind, mapping, limits)
    }

    private func paginator(_ kind: Kind, _ mapping: YAMLMapping, _ limits: PageLimits) -> Paginator? {
        switch kind {
        case .auto: .auto(limits)
        case .singlePage: .singlePage
        case .jsonLink:
            requiredPath("next_url_path", in: mapping, example: "$.next").map { .jsonLink(nextURLPath: $0, limits) }
        case .headerLink: .headerLink(relation: mapping["rel"].flatMap(name) ?? "next", limits)
        case .cursor:
            requiredPath("cursor_path", in: mapping, example: "$.next_cursor").map {
                .cursor(
                    cursorPath: $0, cursorParam: mapping["cursor_param"].flatMap(name) ?? "cursor",
                    hasMorePath: mapping["has_more_path"].flatMap(jsonPath), limits)
            }
        case .offset:
            .offset(
                offsetParam: mapping["offset_param"].flatMap(name) ?? "offset",
                limitParam: mapping["limit_param"].flatMap(name) ?? "limit",
                limit: mapping["limit"]?.integer(in: 1...Int(Int32.max)) ?? 100,
                totalPath: mapping["total_path"].flatMap(jsonPath), limits)
        case .pageNumber: pageNumber(mapping, limits)
        }
    }

    private func pageNumber(_ mapping: YAMLMapping, _ limits: PageLimits) -> Paginator {
        if let parameter = mapping["page_size_param"], mapping["page_size"] == nil {
            parameter.fail("'paginator.page_size_param' has no size to send", hint: "add 'page_size: 100'")
        }
        return .pageNumber(
            pageParam: mapping["page_param"].flatMap(name) ?? "page",
            basePage: mapping["base_page"]?.integer(in: 0...Int(Int32.max)) ?? 1,
            pageSizeParam: mapping["page_size_param"].flatMap(name),
            pageSize: mapping["page_size"]?.integer(in: 1...Int(Int32.max)),
            totalPath: mapping["total_path"].flatMap(jsonPath),
            totalPagesPath: mapping["total_pages_path"].flatMap(jsonPath), limits)
    }

    private func requiredPath(_ key: String, in mapping: YAMLMapping, example: String) -> String? {
        mapping.required(key, hint: "add '\(key): \(example)'").flatMap(jsonPath)
    }
}
