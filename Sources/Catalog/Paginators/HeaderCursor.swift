extension Paginator {
    /// A paginator that reads the next page's cursor from a header, and sends it as a parameter.
    package struct HeaderCursor: CursorPaging {
        package static let type = "header_cursor"
        /// The headers with the cursor. The first that has one counts.
        package var cursorHeaders: [String]
        package var cursorParam: ParameterPlace
        package var firstCursor: String?

        package init(cursorHeader: String, cursorParam: ParameterPlace = "cursor") {
            self.init(cursorHeaders: [cursorHeader], cursorParam: cursorParam)
        }

        package init(cursorHeaders: [String], cursorParam: ParameterPlace = "cursor") {
            self.cursorHeaders = cursorHeaders
            self.cursorParam = cursorParam
        }

        static let keys = Keys(
            HeaderCursor(cursorHeader: ""),
            Key(
                "cursor_header", ValueFormat<String>.text { $0.headerName($1) }.alternatives, to: \.cursorHeaders,
                required: "add 'cursor_header: X-Next-Cursor'",
                "The header with the next page's cursor, or a list of which the first that has one counts."),
            Key("cursor_param", .parameter, to: \.cursorParam, "The parameter for the cursor; default: cursor."),
            Key(
                "first_cursor", .optional(.firstCursor), to: \.firstCursor,
                "The cursor of the first page, which has none by default."))

        package var evidence: PagingEvidence { .header }

        package func next(after page: PageView) -> Following {
            guard let cursor = cursorHeaders.lazy.compactMap(page.header).first(where: { !$0.isEmpty }) else {
                return .end
            }
            return .request(page.locator.setting(cursorParam, to: .text(.literal(cursor))))
        }

        package func places(on page: PageView) -> NamedPlaces? {
            let header = cursorHeaders.first { page.header($0) != nil }
            return NamedPlaces(isInHead: header != nil, cursorHeader: header)
        }
    }
}

extension Paginator.Kind {
    package static func headerCursor(_ method: Paginator.HeaderCursor) -> Self { Self(method) }
}
