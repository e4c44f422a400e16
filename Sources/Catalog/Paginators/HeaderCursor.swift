extension Paginator {
    /// A paginator that reads the next page's cursor from a header, and sends it as a parameter.
    package struct HeaderCursor: ConfiguredPaging {
        package static let type = "header_cursor"
        package var cursorHeader: String
        package var cursorParam: ParameterPlace

        package init(cursorHeader: String, cursorParam: ParameterPlace = "cursor") {
            self.cursorHeader = cursorHeader
            self.cursorParam = cursorParam
        }

        static let keys = Keys(
            HeaderCursor(cursorHeader: ""),
            Key(
                "cursor_header", .text { $0.headerName($1) }, to: \.cursorHeader,
                required: "add 'cursor_header: X-Next-Cursor'", "The header with the next page's cursor."),
            Key("cursor_param", .parameter, to: \.cursorParam, "The parameter for the cursor; default: cursor."))

        package var evidence: PagingEvidence { .header }

        package func next(after page: PageView) -> Following {
            guard let cursor = page.header(cursorHeader), !cursor.isEmpty else { return .end }
            return .request(page.locator.setting(cursorParam, to: .text(.literal(cursor))))
        }

        package func places(on page: PageView) -> NamedPlaces? {
            NamedPlaces(isInHead: page.header(cursorHeader) != nil)
        }
    }
}

extension Paginator.Kind {
    package static func headerCursor(_ method: Paginator.HeaderCursor) -> Self { Self(method) }
}
