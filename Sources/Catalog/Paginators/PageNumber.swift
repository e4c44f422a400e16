package import GarnerJSON

extension Paginator {
    package struct PageNumber: ConfiguredPaging {
        package static let type = "page_number"
        package var pageParam: ParameterPlace
        /// The first page's number.
        package var basePage: Int
        /// True if the first request has no number.
        package var omitsFirst: Bool
        package var pageSizeParam: ParameterPlace?
        package var pageSize: Int?
        /// The place of the number of all records.
        package var totalPath: Selector?
        package var totalPagesPath: Selector?
        /// The place of a value that is false on the last page, and true on the others.
        package var hasMorePath: Selector?
        /// True if the file says what the first page's number is; nil if the method is of no file. It is no part of the method.
        package private(set) var statesBasePage: Bool?

        package static func == (left: Self, right: Self) -> Bool {
            left.effectiveValues.elementsEqual(right.effectiveValues, by: ==)
        }

        package init(
            pageParam: ParameterPlace = "page", basePage: Int = 1, pageSizeParam: ParameterPlace? = nil,
            pageSize: Int? = nil, totalPath: Selector? = nil, totalPagesPath: Selector? = nil,
            hasMorePath: Selector? = nil, omitsFirst: Bool = false
        ) {
            self.pageParam = pageParam
            self.basePage = basePage
            self.pageSizeParam = pageSizeParam
            self.pageSize = pageSize
            self.totalPath = totalPath
            self.totalPagesPath = totalPagesPath
            self.hasMorePath = hasMorePath
            self.omitsFirst = omitsFirst
        }

        static let keys = Keys(
            PageNumber(),
            Key("page_param", .parameter, to: \.pageParam, "The parameter for the page number; default: page."),
            Key("base_page", .integer(0...Int(Int32.max)), to: \.basePage, "The first page's number; by default 1."),
            Key("omit_first", .setFlag, to: \.omitsFirst, "true: the first request has no page number."),
            Key("page_size_param", .optional(.parameter), to: \.pageSizeParam, "The parameter for the page size."),
            Key("page_size", .optional(.integer(1...Int(Int32.max))), to: \.pageSize, "The size of a page."),
            Key("total_path", .optional(.jsonPath), to: \.totalPath, "The JSONPath of the total number of records."),
            Key(
                "total_pages_path", .optional(.jsonPath), to: \.totalPagesPath,
                "The JSONPath of the total number of pages."),
            Key(
                "has_more_path", .optional(.jsonPath), to: \.hasMorePath,
                "The JSONPath of a value that is false on the last page.")
        ) { _, mapping, method in
            method.statesBasePage = mapping["base_page"] != nil
            method.hasMorePath?.refuseFlagOfEnd(at: mapping["has_more_path"])
            guard let parameter = mapping["page_size_param"], mapping["page_size"] == nil else { return }
            parameter.fail("'\(parameter.name)' has no size to send", hint: "add 'page_size: 100'")
        }

        package var evidence: PagingEvidence { .count(pageSize: pageSize) }
        package var sizeParameter: ParameterPlace? { pageSizeParam }

        package func first(from locator: PageLocator) -> PageLocator {
            let start = locator.number(at: pageParam) ?? basePage
            let first = omitsFirst ? locator : locator.setting(pageParam, to: start)
            guard let pageSizeParam, let pageSize else { return first }
            return first.setting(pageSizeParam, to: pageSize)
        }

        package var placeholder: PagePlaceholder? { .number }

        package func placed(at place: ParameterPlace) -> Self {
            var method = self
            (method.pageParam, method.pageSizeParam, method.omitsFirst) = (place, nil, false)
            return method
        }

        /// Ends at an empty page or at a total only, since a server may send fewer records than requested.
        package func next(after page: PageView) -> Following {
            let (following, overflow) = (page.locator.number(at: pageParam) ?? basePage).addingReportingOverflow(1)
            guard !overflow else { return .end }
            let next = page.locator.setting(pageParam, to: following)
            switch page.flag(at: hasMorePath) {
            case .last: return .end
            case .more: return .request(next, mayBeEndless: page.recordCount == 0)
            case .notUnderstood(let place, let node) where page.recordCount == 0:
                return .notUnderstood(place: place, node)
            case .notUnderstood, nil: break
            }
            if let totalPages = page.count(at: totalPagesPath) {
                let pages = following &- basePage
                if basePage == 0, pages == totalPages, page.recordCount > 0,
                    "\(totalPagesPath, default: "")".namesLastPage
                {
                    return .request(next, mayBeMissing: true)
                }
                return pages >= totalPages ? .end : .request(next)
            }
            if let total = page.count(at: totalPath) {
                return page.recordsRead >= total ? .end : .request(next, mayBeEndless: page.recordCount == 0)
            }
            guard page.recordCount > 0 else { return .end }
            return .request(next, mayBeMissing: true)
        }

        package func places(on page: PageView) -> NamedPlaces? {
            let flag = page.flag(at: hasMorePath)
            return NamedPlaces(
                nodes: [page.node(at: hasMorePath)].compactMap(\.self), saysLast: flag?.isLast == true,
                saysMore: flag?.isMore == true,
                total: page.place(at: totalPath),
                totalPages: page.place(at: totalPagesPath))
        }

        package func ignoringTotals() -> Self {
            var method = self
            (method.totalPath, method.totalPagesPath) = (nil, nil)
            return method
        }
    }
}

extension Paginator.Kind {
    package static func pageNumber(_ method: Paginator.PageNumber) -> Self { Self(method) }
}

extension String {
    /// True if a number at this JSONPath may be that of the last page, as well as how many pages there are. They differ where the first page
    /// is page 0. Then only the answer to one request more tells which it is.
    package var namesLastPage: Bool {
        let name = lowercased().filter(\.isLetter)
        return ["last", "lastpage", "maxpage"].contains(where: name.hasSuffix)
    }
}
