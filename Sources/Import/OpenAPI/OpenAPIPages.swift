import GarnerCatalog

/// The lines that a document suggests for pages and for reads of changes. They stand in the file as comments, because
/// names prove nothing.
struct OpenAPIPages {
    private let list: OpenAPIList

    init(_ list: OpenAPIList) { self.list = list }

    /// What a member of an answer may say of the end of a list.
    private enum Sign { case link, cursor, more, pages, total }

    private static let signs: [String: Sign] = [
        "nextlink": .link, "nexturl": .link, "nextpageurl": .link, "nextpagelink": .link, "@odata.nextlink": .link,
        "nextcursor": .cursor, "nextpagetoken": .cursor, "nexttoken": .cursor, "continuationtoken": .cursor,
        "endcursor": .cursor, "nextpagecursor": .cursor, "cursor": .cursor, "scrollid": .cursor,
        "hasmore": .more, "hasnext": .more, "hasnextpage": .more, "morepages": .more,
        "totalpages": .pages, "pagecount": .pages, "numpages": .pages, "pagestotal": .pages,
        "total": .total, "totalcount": .total, "totalresults": .total, "totalitems": .total, "totalrecords": .total,
        "totalelements": .total,
    ]

    private static let linkFormats: Set = ["uri", "url", "uri-reference"]

    /// Returns the JSONPaths of the members with that sign, from the outermost one.
    private func places(of sign: Sign) -> [String] {
        list.records.scalars.filter { path, schema in
            guard let name = path.last?.lowercased() else { return false }
            if name == "next" || name == "after" {
                return sign == (schema.format.map(Self.linkFormats.contains) ?? false ? .link : .cursor)
            }
            return Self.signs[name.filter { $0 != "_" && $0 != "-" }] == sign
        }.sorted { $0.path.count < $1.path.count }.map { StreamTranslation.jsonPath($0.path) }
    }

    /// The line `paginator: …` where the document has a parameter of pages and a sign of the end; nil otherwise.
    var line: String? {
        let query = list.parameters.filter { $0.place == .query && OpenAPIValues.literal($0.name) != nil }
        func name(_ role: (String) -> Bool) -> String? {
            query.first { role($0.name) }?.name
        }
        let size = query.first { ParameterRole.isSize($0.name) }
        let sizeValue = size.flatMap { $0.schema.value ?? $0.value }?.integer.flatMap {
            (1...100_000).contains($0) ? $0 : nil
        }
        let (links, totals) = (places(of: .link), places(of: .total))
        let pageNames = query.contains {
            ParameterRole(name: $0.name, value: "x") == .cursor || ParameterRole.isPage($0.name)
                || ParameterRole.isOffset($0.name)
        }
        guard pageNames else { return nil }
        if let link = links.first { return Self.line(["type": .text("json_link"), "next_url_path": .text(link)]) }
        if let cursor = places(of: .cursor).first,
            let name = name({ ParameterRole(name: $0, value: "x") == .cursor })
        {
            var mapping: FileMapping = .init([
                "type": .text("cursor"), "cursor_path": .text(cursor),
                "cursor_param": .text(name),
            ])
            if let more = places(of: .more).first { mapping["has_more_path"] = .text(more) }
            return Self.line(mapping)
        }
        if let name = name(ParameterRole.isPage) {
            var mapping: FileMapping = .init([
                "type": .text("page_number"), "page_param": .text(name),
            ])
            let parameter = query.first { $0.name == name }
            if (parameter?.schema.value ?? parameter?.value)?.integer == 0 { mapping["base_page"] = .int(0) }
            if let size, let sizeValue {
                mapping["page_size_param"] = .text(size.name)
                mapping["page_size"] = .int(sizeValue)
            }
            if let pages = places(of: .pages).first {
                mapping["total_pages_path"] = .text(pages)
            } else if let total = totals.first {
                mapping["total_path"] = .text(total)
            } else if let more = places(of: .more).first {
                mapping["has_more_path"] = .text(more)
            } else {
                return nil
            }
            return Self.line(mapping)
        }
        guard let name = name(ParameterRole.isOffset), let total = totals.first, let size else { return nil }
        return Self.line([
            "type": .text("offset"), "offset_param": .text(name),
            "limit_param": .text(size.name), "limit": .int(sizeValue ?? 100),
            "total_path": .text(total),
        ])
    }

    private static func line(_ members: KeyValuePairs<String, FileValue>) -> String { line(FileMapping(members)) }

    private static func line(_ mapping: FileMapping) -> String {
        "paginator: " + (FileText.line(.mapping(mapping)) ?? "{}")
    }

    // MARK: - Reads of what changed

    private static let changed: Set = [
        "datemodified", "dateupdated", "lastmodified", "lastmodifiedat", "lastupdated", "lastupdatedat", "modified",
        "modifiedat", "updated",
        "updatedat", "updatedon",
    ]

    /// Returns lines that suggest how to read only changes; none if records do not have the time of their last change.
    ///
    /// - Parameter params: The parameters that the stream has already.
    func changes(beside params: FileMapping) -> [String] {
        let letters = { (name: String) in name.lowercased().filter { $0 != "_" && $0 != "-" } }
        guard let cursor else { return [] }
        let since = list.parameters.first { parameter in
            let name = letters(parameter.name)
            return parameter.place == .query && OpenAPIValues.literal(parameter.name) != nil
                && (name.contains("since") || name.contains("updated") || name.contains("modified"))
                && !["before", "until", "to", "lt", "lte", "max", "end"].contains { name.hasSuffix($0) }
                && !parameter.schema.types.contains("boolean") && !parameter.schema.isList
        }
        let incremental =
            FileText.line(
                .mapping(FileMapping(["cursor_field": .text(cursor), "cursor_datetime_format": .text("rfc3339")])))
            ?? "{}"
        guard let since else {
            return [
                "'\(ImportReport.shown(cursor))' is the time of a change. If a parameter asks for changes, give it"
                    + " \"{incremental.start_value}\" and add:", "incremental: \(incremental)",
            ]
        }
        var params = params
        params[since.name] = .text("{incremental.start_value}")
        return [
            "If '\(ImportReport.shown(since.name))' asks for what changed since then, write these lines"
                + (params.entries.count > 1 ? " in place of 'params':" : ":"),
            "params: \(FileText.line(.mapping(params)) ?? "{}")", "incremental: \(incremental)",
        ]
    }

    /// The member of the records with the time of the last change.
    private var cursor: String? {
        list.records.record?.properties.members.first { member in
            Self.changed.contains(member.name.lowercased().filter { $0 != "_" && $0 != "-" })
                && list.records.isTime(member.name)
        }?.name
    }
}
