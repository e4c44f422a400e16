// A parameter whose name begins with `$.` is a place in the request's JSON body, such as `$.page.cursor`, instead of a
// query parameter. Texts that end in `Path` are JSONPaths in the body of a response.

extension Paginator {
    /// The next URL stands in the body.
    package struct JSONLink: Sendable, Equatable {
        package var nextURLPath: String

        package init(nextURLPath: String) {
            self.nextURLPath = nextURLPath
        }
    }

    /// The next URL stands in a `Link` header with this relation (RFC 8288).
    package struct HeaderLink: Sendable, Equatable {
        package var relation: String

        package init(relation: String = "next") {
            self.relation = relation
        }
    }

    /// The next page's cursor stands in a header.
    package struct HeaderCursor: Sendable, Equatable {
        package var cursorHeader: String
        package var cursorParam: String

        package init(cursorHeader: String, cursorParam: String = "cursor") {
            self.cursorHeader = cursorHeader
            self.cursorParam = cursorParam
        }
    }

    /// The next page's cursor stands in the body.
    package struct Cursor: Sendable, Equatable {
        package var cursorPath: String
        package var cursorParam: String
        package var hasMorePath: String?

        package init(cursorPath: String, cursorParam: String = "cursor", hasMorePath: String? = nil) {
            self.cursorPath = cursorPath
            self.cursorParam = cursorParam
            self.hasMorePath = hasMorePath
        }
    }

    /// Records are counted.
    package struct Offset: Sendable, Equatable {
        package var offsetParam: String
        package var limitParam: String
        package var limit: Int
        package var totalPath: String?

        package init(
            offsetParam: String = "offset", limitParam: String = "limit", limit: Int = 100, totalPath: String? = nil
        ) {
            self.offsetParam = offsetParam
            self.limitParam = limitParam
            self.limit = limit
            self.totalPath = totalPath
        }
    }

    /// Pages are counted.
    package struct PageNumber: Sendable, Equatable {
        package var pageParam: String
        package var basePage: Int
        package var pageSizeParam: String?
        package var pageSize: Int?
        /// The number of all records.
        package var totalPath: String?
        package var totalPagesPath: String?
        package var hasMorePath: String?

        package init(
            pageParam: String = "page", basePage: Int = 1, pageSizeParam: String? = nil, pageSize: Int? = nil,
            totalPath: String? = nil, totalPagesPath: String? = nil, hasMorePath: String? = nil
        ) {
            self.pageParam = pageParam
            self.basePage = basePage
            self.pageSizeParam = pageSizeParam
            self.pageSize = pageSize
            self.totalPath = totalPath
            self.totalPagesPath = totalPagesPath
            self.hasMorePath = hasMorePath
        }
    }
}
