/// How the next page is found.
extension StreamTranslation {
    func translatePages(_ paginator: ManifestNode?, of requester: ManifestNode) throws {
        guard let paginator, !paginator.isNull, paginator.type != "NoPagination" else {
            stream["paginator"] = .mapping(FileMapping(["type": .text("single_page")]))
            return
        }
        let strategy = paginator["pagination_strategy"] ?? ManifestNode(.null)
        for part in [paginator, strategy] { try LossError.refuseCode(part, "a paginator") }
        let size = try pageSize(strategy)
        let token = paginator["page_token_option"].flatMap { $0.isNull ? nil : $0 }
        let place: PagePlace? =
            if token?.type == "RequestPath" {
                .url
            } else if let token {
                .option(try requestPlace(of: token))
            } else if let pageToken {
                .option(pageToken.place)
            } else {
                placedPage == nil ? nil : .written
            }
        var sizeOption = paginator["page_size_option"].flatMap { $0.isNull ? nil : $0 }
        if size == nil {
            sizeOption = nil
        } else if let option = sizeOption, try isNowhere(option) {
            sizeOption = nil
        }
        let isRepeated = place == nil && Self.strategies.contains(strategy.type) && effect < .notWritten
        if let sizeOption, let size, isRepeated || strategy.type != "OffsetIncrement" {
            attempt(at: sizeOption) { try self.place(.int(size), by: sizeOption) }
        }
        if isRepeated {
            lose(.pageToken, "no request holds it", at: strategy, effect: Loss.Effect.none)
            var keys = FileMapping(["type": .text("single_page")])
            keys.comment(Self.samePage, on: "type")
            stream["paginator"] = .mapping(keys)
            return
        }
        var keys: FileMapping
        switch strategy.type {
        case "OffsetIncrement": keys = try offset(strategy, at: place, size: size, sizeOption)
        case "PageIncrement": keys = try pageNumber(strategy, at: place)
        case "CursorPagination": keys = try cursor(strategy, at: place, size: size)
        default: throw LossError(.paginator, strategy.type, at: strategy)
        }
        // The type stands first.
        let type = keys["type"]
        keys["type"] = nil
        var sorted = FileMapping()
        sorted["type"] = type
        for entry in keys.entries { sorted[entry.key] = entry.value }
        if type == .text("single_page") { sorted.comment(Self.onlyPage, on: "type") }
        stream["paginator"] = .mapping(sorted)
    }

    private static let strategies = ["OffsetIncrement", "PageIncrement", "CursorPagination"]

    private static let samePage = """
        No request of the manifest says which page it asks for, so that Airbyte asks for the first one alone; `auto` looks for \
        others.
        """

    /// The place of a page's number or cursor in the request.
    enum PagePlace: Equatable {
        /// The cursor is the next URL.
        case url
        case option(RequestPlace)
        /// A text of the request has a placeholder already.
        case written
    }

    private func pageSize(_ strategy: ManifestNode) throws -> Int? {
        guard let written = strategy["page_size"], !written.isNull else { return nil }
        let size = try value(written, of: strategy)
        if size.isNothing { return nil }
        guard let number = size.bare.integerValue else { throw LossError(.pageSize, at: written) }
        // Some manifests write a size that they do not use, since it is required.
        return number > 0 ? number : nil
    }

    /// Puts a page's value where the request has it: by the paginator's own parameter, or by a placeholder.
    func send(
        _ placeholder: String, as key: String, at place: PagePlace?, in keys: inout FileMapping, _ node: ManifestNode
    ) throws {
        switch place {
        case .option(.param(let name)) where !name.hasPrefix("$."): keys[key] = .text(name)
        case .option(let place): try set(.text(placeholder), at: place)
        case .written: rewrite("{page.cursor}", as: placeholder)
        case .url: throw LossError(.paginator, "a number or a cursor as the whole path", at: node)
        case nil: throw LossError(.pageToken, "no request holds it", at: node)
        }
    }

    // MARK: - Numbers

    private func offset(
        _ strategy: ManifestNode, at place: PagePlace?, size: Int?, _ sizeOption: ManifestNode?
    ) throws -> FileMapping {
        var keys = FileMapping(["type": .text("offset")])
        var limitParameter: String?
        var sizePlace: RequestPlace?
        if let sizeOption { sizePlace = try requestPlace(of: sizeOption) }
        if case .param(let name) = sizePlace {
            limitParameter = name
        } else if sizeOption == nil {
            limitParameter = parameter(holding: size)
        }
        try send(pages: &keys, limit: limitParameter, size: size, at: place, strategy)
        if let firstCursor { keys["base_offset"] = .plain(firstCursor) }
        if keys["offset_param"] != nil, omitsFirst(strategy) { keys["omit_first"] = .bool(true) }
        if let sizeOption, let size, keys["limit_param"] == nil {
            attempt(at: sizeOption) { try self.place(.int(size), by: sizeOption) }
        }
        return keys
    }

    /// Writes the offset beside its limit as the paginator's parameters; without a parameter for the limit, as a placeholder.
    private func send(
        pages keys: inout FileMapping, limit: String?, size: Int?, at place: PagePlace?, _ node: ManifestNode
    ) throws {
        guard case .option(.param(let name)) = place else {
            try send("{page.offset}", as: "offset_param", at: place, in: &keys, node)
            if let size { keys["limit"] = .int(size) }
            return
        }
        if let limit, size != nil {
            keys["offset_param"] = .text(name)
            keys["limit_param"] = .text(limit)
            stream[mapping: "params"][limit] = nil
        } else {
            try set(.text("{page.offset}"), at: .param(name))
        }
        if let size { keys["limit"] = .int(size) }
    }

    /// The ordinary parameter that holds the size of a page.
    private func parameter(holding size: Int?) -> String? {
        guard let size else { return nil }
        let values: [FileValue] = [.text(String(size)), .int(size)]
        return stream[mapping: "params"].entries.first { entry in
            let name = entry.key.lowercased()
            return values.contains(entry.value)
                && ["limit", "size", "max", "count", "per", "first", "take", "top", "rows"].contains {
                    name.contains($0)
                }
        }?.key
    }

    private func pageNumber(_ strategy: ManifestNode, at place: PagePlace?) throws -> FileMapping {
        var keys = FileMapping(["type": .text("page_number")])
        let start = try known(strategy["start_from_page"], of: strategy)
        try send("{page.number}", as: "page_param", at: place, in: &keys, strategy)
        let base = firstCursor.flatMap { Int($0) } ?? start.integerValue ?? 0
        keys["base_page"] = .int(base)
        // A list that begins with page 1 does so without a number, too.
        if keys["page_param"] != nil, base != 1, omitsFirst(strategy) { keys["omit_first"] = .bool(true) }
        return keys
    }

    /// True if the first request has neither an offset nor a page number. Some APIs refuse 0.
    private func omitsFirst(_ strategy: ManifestNode) -> Bool {
        let isWritten = pageToken != nil || placedPage != nil || firstCursor != nil
        return !isWritten && strategy["inject_on_first_request"]?.bool != true
    }

    // MARK: - Cursors

    private func cursor(_ strategy: ManifestNode, at place: PagePlace?, size: Int?) throws -> FileMapping {
        guard let written = strategy["cursor_value"] else {
            throw LossError(.pageToken, "no cursor_value", at: strategy)
        }
        var cursor = try value(written, of: strategy).bare
        var conditions: [JinjaValue] = []
        if let condition = strategy["stop_condition"], !condition.isNull {
            conditions.append(try value(condition, of: strategy))
        }
        // A cursor under a condition: the list ends where there is none.
        while let arguments = cursor.arguments(of: "if"), arguments.count == 3 {
            if arguments[2].bare.isFalsy {
                conditions.append(.operation("not", [arguments[0]]))
                cursor = arguments[1].bare
            } else if arguments[1].bare.isFalsy {
                conditions.append(arguments[0])
                cursor = arguments[2].bare
            } else {
                throw LossError(.pageToken, "chosen by a condition", at: written)
            }
        }
        if let arguments = cursor.arguments(of: "and"), arguments.count == 2 {
            conditions.append(.operation("not", [arguments[0]]))
            cursor = arguments[1].bare
        }
        var place = place
        if case .option(.json(let path))? = place, let member = Self.onlyMember(ofJSON: cursor) {
            place = .option(.json(path + member.path))
            cursor = member.value
        }
        if cursor.later?.root == .lastRecord, conditions.contains(where: Self.asksForNextLink) {
            lose(.followsURL, "the header Link", at: written)
            place = .url
            cursor = .later(JinjaValue.Later(.headers, [.member("Link"), .member("next")]))
        }
        cursor = try part(of: assuming(cursor, token: true), at: written)
        if cursor.isNothing, pageToken == nil, placedPage == nil {
            lose(.pageToken, "it never has a value", at: written, effect: Loss.Effect.none)
            return FileMapping(["type": .text("single_page")])
        }
        var pages = CursorPages(place: place, size: size, node: written)
        pages.keys = try cursorKeys(cursor, &pages)
        let ends = StopCondition(pages: pages, recordSteps: recordSteps, records: pages.keys["type"]?.text ?? "")
        return try ends.keys(of: conditions, at: strategy["stop_condition"] ?? written)
    }

    /// The way to the only value in an object that is put together as a text of JSON; nil for other values.
    private static func onlyMember(ofJSON cursor: JinjaValue) -> (path: [String], value: JinjaValue)? {
        guard case .joined(let pieces) = cursor, pieces.count == 3, case .text(let head) = pieces[0],
            case .text(let tail) = pieces[2]
        else { return nil }
        let mark = PythonLiteral.mark
        var found = PythonLiteral.value(of: "\(head)\(mark)0\(mark)\(tail)", with: [pieces[1]])
        var path: [String] = []
        while case .mapping(let members)? = found, members.count == 1 {
            path.append(members[0].name)
            found = members[0].value
        }
        guard found == pieces[1], !path.isEmpty else { return nil }
        return (path, pieces[1].bare)
    }

    /// True for a condition on the link to the next page in the header.
    private static func asksForNextLink(_ condition: JinjaValue) -> Bool {
        func isNext(_ value: JinjaValue) -> Bool {
            switch value {
            case .text(let text): text.contains("next")
            case .operation(_, let values), .joined(let values): values.contains(where: isNext)
            default: false
            }
        }
        let laters = condition.laters
        return isNext(condition) && !laters.isEmpty && laters.allSatisfy(isLinkHeader)
    }

    private static func isLinkHeader(_ later: JinjaValue.Later) -> Bool {
        later.root == .headers && later.names?.first?.lowercased() == "link"
    }

    private static let onlyPage = """
        The manifest's token of the next page never has a value, so that Airbyte reads the first page alone; `auto` looks for \
        others.
        """

    /// The part of the token that the request takes.
    private func part(of cursor: JinjaValue, at node: ManifestNode) throws -> JinjaValue {
        guard let token = (pageToken?.value ?? placedPage)?.bare.later, token.root == .nextPageToken else {
            return cursor
        }
        let steps = token.steps.first == .member("next_page_token") ? token.steps.dropFirst() : token.steps[...]
        return try steps.reduce(cursor) { value, step in
            switch (value, step) {
            case (.mapping, .member(let name)): return value[name].bare
            case (.later(var later), _):
                later.steps.append(step)
                return .later(later)
            default: throw LossError(.pageToken, "a part of the token", at: node)
            }
        }
    }

    /// Writes another placeholder wherever one stands.
    func rewrite(_ placeholder: String, as other: String) {
        for index in stream.entries.indices {
            stream.entries[index].value = stream.entries[index].value.replacing(placeholder, with: other)
        }
    }

    /// The findings about a cursor.
    struct CursorPages {
        let place: PagePlace?
        let size: Int?
        let node: ManifestNode
        var keys = FileMapping()
        /// The places of the answer that lead to the next page. Where they are empty, the list ends.
        var leads: [JinjaValue.Later] = []

        init(place: PagePlace?, size: Int?, node: ManifestNode) {
            (self.place, self.size, self.node) = (place, size, node)
        }
    }

    private func cursorKeys(_ cursor: JinjaValue, _ pages: inout CursorPages) throws -> FileMapping {
        let node = pages.node
        var keys = FileMapping()
        var alternatives = cursor.parts(of: "or").flatMap { $0.bare.parts(of: "default") }.map(\.bare)
        if alternatives.count > 1 { alternatives.removeAll { $0.isFalsy } }
        let origin = try relativeLink(cursor, pages.place)
        if let origin { alternatives = [origin] }

        let places = try alternatives.map { try pagePlace($0) }
        if let first = places.first.flatMap(\.self), places.allSatisfy({ $0?.kind == first.kind }) {
            let found = places.compactMap(\.self)
            pages.leads = alternatives.compactMap(\.later)
            let texts = found.map(\.text)
            let value: FileValue = texts.count == 1 ? .text(texts[0]) : .texts(texts)
            let isURL = pages.place == .url
            switch first.kind {
            case .link:
                keys["type"] = .text("header_link")
                if first.text != "next" { keys["rel"] = .text(first.text) }
            case .header:
                if isURL { throw LossError(.pageToken, "a next URL in the header \(first.text)", at: node) }
                keys["type"] = .text("header_cursor")
                keys["cursor_header"] = value
            case .answer:
                keys["type"] = .text(isURL ? "json_link" : "cursor")
                keys[isURL ? "next_url_path" : "cursor_path"] = value
            }
            if first.kind != .link, !isURL {
                try send("{page.cursor}", as: "cursor_param", at: pages.place, in: &keys, node)
                if let firstCursor { keys["first_cursor"] = .text(firstCursor) }
            }
            return keys
        }
        if let arguments = cursor.arguments(of: "add"), arguments.count == 2 {
            return try sum(arguments.map(\.bare), &pages)
        }
        let names = cursor.operationNames
        let laters = cursor.laters
        let isSurgery = names.contains { name in
            ["split", "regex", "slice", "replace", "partition", "strip"].contains { name.contains($0) }
        }
        guard isSurgery, !laters.isEmpty else {
            throw LossError(.pageToken, laters.isEmpty ? "a constant" : RecordCondition.shown(cursor), at: node)
        }
        if laters.allSatisfy(Self.isLinkHeader) {
            lose(.followsURL, "the header Link", at: node)
            pages.leads = laters
            keys["type"] = .text("header_link")
            return keys
        }
        // The token is cut out of a next URL, which leads to the same page.
        guard laters.count == 1, laters[0].root == .response, let name = laters[0].lastName?.lowercased(),
            ["next", "link", "url", "href"].contains(where: { name.contains($0) })
        else { throw LossError(.pageToken, "cut out of \(RecordCondition.shown(cursor))", at: node) }
        lose(.followsURL, Self.jsonPath(laters[0].steps), at: node)
        pages.leads = laters
        keys["type"] = .text("json_link")
        keys["next_url_path"] = .text(Self.jsonPath(laters[0].steps))
        return keys
    }

    private enum PlaceKind { case link, header, answer }

    /// The place of the token in a page; nil for a value that is computed.
    private func pagePlace(_ value: JinjaValue) throws -> (kind: PlaceKind, text: String)? {
        guard case .later(var later) = value else { return nil }
        switch later.root {
        case .headers:
            guard let names = later.names, let header = names.first else { return nil }
            guard header.lowercased() == "link" else { return names.count == 1 ? (.header, header) : nil }
            guard names.count > 1 else { return nil }
            return (.link, names[1])
        case .response: return later.steps.isEmpty ? nil : (.answer, Self.jsonPath(later.steps))
        case .lastRecord, .lastRecords:
            if later.root == .lastRecords {
                guard later.steps.first == .index(-1) else { return nil }
                later.steps.removeFirst()
            }
            if recordSteps.contains(.member("*")) { return nil }
            if let name = later.names?.first, let added = addedFields[name], later.steps.count == 1 {
                guard case .later(let source) = added.bare, source.root == .record else {
                    throw LossError(.pageToken, "the added field \(name)")
                }
                later.steps = source.steps
            }
            if let name = later.names?.first, isRenamed(name) {
                throw LossError(.pageToken, "\(name) has another name in the answer")
            }
            if stream["record_filter"] != nil {
                lose(.endOfRead, "the last record counts before the filter", effect: Loss.Effect.none)
            }
            return (.answer, Self.jsonPath(recordSteps + [.index(-1)] + later.steps))
        default: return nil
        }
    }

    /// A link behind a text: the text is the origin, against which the link is resolved in any case.
    private func relativeLink(_ cursor: JinjaValue, _ place: PagePlace?) throws -> JinjaValue? {
        guard case .joined(let pieces) = cursor, place == .url, pieces.count == 2, case .text(let text) = pieces[0],
            let origin = text.wholeMatch(of: /(https?:\/\/[^\/]+)\/?/)?.1, let base, base.hasPrefix(origin)
        else { return nil }
        return pieces[1].bare
    }

    /// A page number or an offset that is counted from what the answer repeats.
    private func sum(_ parts: [JinjaValue], _ pages: inout CursorPages) throws -> FileMapping {
        var keys = FileMapping()
        if let number = parts.firstIndex(where: { $0.integerValue == 1 }), let page = parts[1 - number].later,
            page.root == .response || page.root == .nextPageToken
        {
            keys["type"] = .text("page_number")
            try send("{page.number}", as: "page_param", at: pages.place, in: &keys, pages.node)
            keys["base_page"] = .int(firstCursor.flatMap { Int($0) } ?? 1)
            return keys
        }
        guard parts.contains(where: { $0.later?.root == .response }), pages.place != .url else {
            throw LossError(.pageToken, RecordCondition.shown(.operation("add", parts)), at: pages.node)
        }
        keys["type"] = .text("offset")
        try send(pages: &keys, limit: parameter(holding: pages.size), size: pages.size, at: pages.place, pages.node)
        return keys
    }
}

extension FileValue {
    fileprivate func replacing(_ part: String, with text: String) -> FileValue {
        switch self {
        case .text(let written): return .text(written.replacing(part, with: text))
        case .list(let values): return .list(values.map { $0.replacing(part, with: text) })
        case .mapping(var mapping):
            for index in mapping.entries.indices {
                mapping.entries[index].value = mapping.entries[index].value.replacing(part, with: text)
            }
            return .mapping(mapping)
        case .plain, .null: return self
        }
    }
}
