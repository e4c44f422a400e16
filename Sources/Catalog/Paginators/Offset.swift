package import GarnerJSON

extension Paginator {
    /// A paginator whose next request skips the records that were received.
    package struct Offset: ConfiguredPaging {
        package static let type = "offset"
        package var offsetParam: ParameterPlace
        /// The first page's offset; nil for 0.
        package var baseOffset: Int?
        /// True if the first request has no offset.
        package var omitsFirst: Bool
        package var limitParam: ParameterPlace
        package var limit: Int
        /// The place of the number of all records.
        package var totalPath: Selector?

        package init(
            offsetParam: ParameterPlace = "offset", baseOffset: Int? = nil, limitParam: ParameterPlace = "limit",
            limit: Int = 100, totalPath: Selector? = nil, omitsFirst: Bool = false
        ) {
            self.offsetParam = offsetParam
            self.baseOffset = baseOffset
            self.limitParam = limitParam
            self.limit = limit
            self.totalPath = totalPath
            self.omitsFirst = omitsFirst
        }

        static let keys = Keys(
            Offset(),
            Key(
                "offset_param", .parameter, to: \.offsetParam,
                "The parameter for the offset; default: offset."),
            Key(
                "base_offset", .optional(.integer(0...Int(Int32.max))), to: \.baseOffset,
                "The first page's offset; by default 0."),
            Key("omit_first", .setFlag, to: \.omitsFirst, "true: the first request has no offset."),
            Key("limit_param", .parameter, to: \.limitParam, "The parameter for the page size; default: limit."),
            Key("limit", .integer(1...Int(Int32.max)), to: \.limit, "The size of a page; by default 100."),
            Key("total_path", .optional(.jsonPath), to: \.totalPath, "The JSONPath of the total number of records."))

        package var evidence: PagingEvidence { .count(pageSize: limit) }
        package var sizeParameter: ParameterPlace? { limitParam }

        package func first(from locator: PageLocator) -> PageLocator {
            let start = locator.number(at: offsetParam) ?? baseOffset ?? 0
            let first = omitsFirst ? locator : locator.setting(offsetParam, to: start)
            if case .placeholder = offsetParam { return first }
            return first.setting(limitParam, to: limit)
        }

        package var placeholder: PagePlaceholder? { .offset }

        package func placed(at place: ParameterPlace) -> Self {
            var method = self
            (method.offsetParam, method.omitsFirst) = (place, false)
            return method
        }

        /// Ends at an empty page or at the total only, since a server may send fewer records than requested.
        package func next(after page: PageView) -> Following {
            let asked = page.locator.number(at: offsetParam) ?? baseOffset ?? 0
            let offset = asked == 0 && page.countsFromOne ? 1 : asked
            let (following, overflow) = offset.addingReportingOverflow(page.recordCount > 0 ? page.recordCount : limit)
            guard !overflow else { return .end }
            let next = page.locator.setting(offsetParam, to: following)
            if let total = page.count(at: totalPath) {
                let skipped = following &- (baseOffset ?? 0)
                // A list that counts from 1 still has the record whose number is the total.
                let isLeft = skipped == total && page.recordsRead == total - 1
                return skipped < total || isLeft ? .request(next) : .end
            }
            return page.recordCount > 0 ? .request(next, mayBeMissing: true) : .end
        }

        package func places(on page: PageView) -> NamedPlaces? {
            totalPath.map { NamedPlaces(total: page.place(at: $0)) }
        }

        package func ignoringTotals() -> Self {
            var method = self
            method.totalPath = nil
            return method
        }
    }
}

extension Paginator.Kind {
    package static func offset(_ method: Paginator.Offset) -> Self { Self(method) }
}
