extension ConfigurationReader {
    private enum Kind: String, CaseIterable {
        case auto
        case singlePage = "single_page"
        case jsonLink = "json_link"
        case headerLink = "header_link"
        case headerCursor = "header_cursor"
        case cursor
        case offset
        case pageNumber = "page_number"

        var fields: [Field] {
            if self == .singlePage { return [] }
            return ownFields + [
                Field("max_pages", .integer(1...Int.max), "The most pages of one read."),
                Field("stop_after_empty_page", .flag, "Whether an empty page is the last, whatever it announces."),
                Field("allow_cross_origin", .flag, "Whether the next page may be at another host."),
                Field("ignore_total", .flag, "Whether the server's total is wrong, so that it must not be compared."),
            ]
        }

        private var ownFields: [Field] {
            switch self {
            case .auto, .singlePage: []
            case .jsonLink: [Field("next_url_path", .jsonPath, "Where the next URL is.", isRequired: true)]
            case .headerLink: [Field("rel", .text, "The link's relation; by default next.")]
            case .headerCursor:
                [
                    Field("cursor_header", .text, "The header with the next page's cursor.", isRequired: true),
                    Field("cursor_param", .text, "What the cursor is sent as; by default cursor."),
                ]
            case .cursor:
                [
                    Field("cursor_path", .jsonPath, "Where the next page's cursor is.", isRequired: true),
                    Field("cursor_param", .text, "What the cursor is sent as; by default cursor."),
                    Field("has_more_path", .jsonPath, "Where it says whether there are more pages."),
                ]
            case .offset:
                [
                    Field("offset_param", .text, "What the count of records read is sent as; by default offset."),
                    Field("limit_param", .text, "What the size of a page is sent as; by default limit."),
                    Field("limit", .integer(1...Int(Int32.max)), "The size of a page; by default 100."),
                    Field("total_path", .jsonPath, "Where the number of all records is."),
                ]
            case .pageNumber:
                [
                    Field("page_param", .text, "What the page's number is sent as; by default page."),
                    Field("base_page", .integer(0...Int(Int32.max)), "The first page's number; by default 1."),
                    Field("page_size_param", .text, "What the size of a page is sent as."),
                    Field("page_size", .integer(1...Int(Int32.max)), "The size of a page."),
                    Field("total_path", .jsonPath, "Where the number of all records is."),
                    Field("total_pages_path", .jsonPath, "Where the number of all pages is."),
                    Field("has_more_path", .jsonPath, "Where it says whether there are more pages."),
                ]
            }
        }
    }

    static let paginatorVariants = Kind.allCases.map { (type: $0.rawValue, fields: $0.fields) }

    func paginator(_ value: YAMLValue) -> Paginator? {
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let mapping = value.mapping(hint: "write paginator: { type: auto }"),
            let kind = mapping.required("type", hint: "write one of \(names)")?.choice(Kind.allCases)
        else { return nil }
        let keys = kind.fields.map(\.name)
        let hint = keys.isEmpty ? "it has no other keys" : "its keys are \(keys.joined(separator: ", "))"
        let others = Set(Kind.allCases.flatMap(\.fields).map(\.name))
        mapping.expect(
            ["type"] + keys,
            elsewhere: Dictionary(
                uniqueKeysWithValues: others.map { ($0, "'\(kind.rawValue)' has no such key: \(hint)") }))
        let limits = PageLimits(
            maxPages: mapping["max_pages"]?.integer(in: 1...Int.max),
            stopsAfterEmptyPage: mapping["stop_after_empty_page"]?.flag(),
            allowsOtherOrigins: mapping["allow_cross_origin"]?.flag() ?? false,
            ignoresTotal: mapping["ignore_total"]?.flag() ?? false)
        return self.kind(kind, mapping).map { Paginator($0, limits: limits) }
    }

    private func kind(_ kind: Kind, _ mapping: YAMLMapping) -> Paginator.Kind? {
        switch kind {
        case .auto: .auto
        case .singlePage: .singlePage
        case .jsonLink:
            requiredPath("next_url_path", in: mapping, example: "$.next").map { .jsonLink(.init(nextURLPath: $0)) }
        case .headerLink: .headerLink(.init(relation: mapping["rel"].flatMap(name) ?? "next"))
        case .headerCursor:
            mapping.required("cursor_header", hint: "add 'cursor_header: X-Next-Cursor'").flatMap(headerName).map {
                .headerCursor(
                    .init(cursorHeader: $0, cursorParam: mapping["cursor_param"].flatMap(parameter) ?? "cursor"))
            }
        case .cursor:
            requiredPath("cursor_path", in: mapping, example: "$.next_cursor").map {
                .cursor(
                    .init(
                        cursorPath: $0, cursorParam: mapping["cursor_param"].flatMap(parameter) ?? "cursor",
                        hasMorePath: mapping["has_more_path"].flatMap(jsonPath)))
            }
        case .offset:
            .offset(
                .init(
                    offsetParam: mapping["offset_param"].flatMap(parameter) ?? "offset",
                    limitParam: mapping["limit_param"].flatMap(parameter) ?? "limit",
                    limit: mapping["limit"]?.integer(in: 1...Int(Int32.max)) ?? 100,
                    totalPath: mapping["total_path"].flatMap(jsonPath)))
        case .pageNumber: .pageNumber(pageNumber(mapping))
        }
    }

    private func pageNumber(_ mapping: YAMLMapping) -> Paginator.PageNumber {
        if let parameter = mapping["page_size_param"], mapping["page_size"] == nil {
            parameter.fail("'paginator.page_size_param' has no size to send", hint: "add 'page_size: 100'")
        }
        return Paginator.PageNumber(
            pageParam: mapping["page_param"].flatMap(parameter) ?? "page",
            basePage: mapping["base_page"]?.integer(in: 0...Int(Int32.max)) ?? 1,
            pageSizeParam: mapping["page_size_param"].flatMap(parameter),
            pageSize: mapping["page_size"]?.integer(in: 1...Int(Int32.max)),
            totalPath: mapping["total_path"].flatMap(jsonPath),
            totalPagesPath: mapping["total_pages_path"].flatMap(jsonPath),
            hasMorePath: mapping["has_more_path"].flatMap(jsonPath))
    }

    private func headerName(_ value: YAMLValue) -> String? {
        name(value).flatMap { isHeaderName($0, value.place) ? $0 : nil }
    }

    /// The name of a query parameter, or `$.a.b` for a place in the JSON body.
    private func parameter(_ value: YAMLValue) -> String? {
        guard let text = name(value) else { return nil }
        guard text.hasPrefix("$.") else { return text }
        guard BodyPlace(text) != nil, let path = jsonPath(value) else {
            value.fail("'\(value.name)' is no place in the body", hint: "write names only, as in $.page.cursor")
            return nil
        }
        return path
    }

    private func requiredPath(_ key: String, in mapping: YAMLMapping, example: String) -> String? {
        mapping.required(key, hint: "add '\(key): \(example)'").flatMap(jsonPath)
    }
}
