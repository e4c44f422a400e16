package import JSON

extension Paginator {
    /// A paginator that reads the next page's cursor from the body, and sends it as a parameter.
    package struct Cursor: ConfiguredPaging {
        package static let type = "cursor"
        package var cursorPath: Selector
        package var cursorParam: ParameterPlace
        /// The place of a value that is false on the last page.
        package var hasMorePath: Selector?

        package init(cursorPath: Selector, cursorParam: ParameterPlace = "cursor", hasMorePath: Selector? = nil) {
            self.cursorPath = cursorPath
            self.cursorParam = cursorParam
            self.hasMorePath = hasMorePath
        }

        static let keys = Keys(
            Cursor(cursorPath: "$"),
            Key(
                "cursor_path", .jsonPath, to: \.cursorPath, required: "add 'cursor_path: $.next_cursor'",
                "The JSONPath of the next cursor."),
            Key("cursor_param", .parameter, to: \.cursorParam, "The parameter for the cursor; default: cursor."),
            Key(
                "has_more_path", .optional(.jsonPath), to: \.hasMorePath,
                "The JSONPath of a value that is false on the last page.")
        )

        package var evidence: PagingEvidence { .body }

        package func next(after page: PageView) -> Following {
            if page.node(at: hasMorePath)?.kind == .false { return .end }
            guard let cursor = page.node(at: cursorPath) else { return .end }
            // Elasticsearch's search_after is sent in the body as the array that it is.
            let isArray = if case .body = cursorParam { cursor.kind == .array } else { false }
            guard isArray || cursor.pagingText?.isEmpty == false else { return .end }
            return .request(page.locator.setting(cursorParam, to: BodyValue(cursor)))
        }

        package func places(on page: PageView) -> NamedPlaces? {
            let more = page.node(at: hasMorePath)
            return NamedPlaces(
                nodes: [page.node(at: cursorPath), more].compactMap(\.self), saysLast: more?.kind == .false,
                saysMore: more?.kind == .true)
        }
    }
}

extension Paginator.Kind {
    package static func cursor(_ method: Paginator.Cursor) -> Self { Self(method) }
}
