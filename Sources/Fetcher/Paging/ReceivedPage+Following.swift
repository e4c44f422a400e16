import Catalog
import JSON
import Model

// How `auto` comes from what a page shows to the request of the next one.
extension ReceivedPage {
    /// The page that a sign leads to; nil where nothing tells how it is asked for.
    func following(_ sign: PaginationDetection.Sign) throws(FetchError.Kind) -> NextPage? {
        switch sign.kind {
        case .headerLink(let target):
            var next = try following(target)
            next.isFromHead = true
            return next
        case .link(let target): return try following(target)
        case .cursor(let value, let parameter?): return place(for: parameter).map { following($0, value) }
        case .parameters(let parameters):
            guard locator.body == nil else { return nil }
            return NextPage(
                locator: parameters.reduce(locator) { $0.setting(.query($1.name), to: .text(.literal($1.value))) })
        case .cursor(_, nil), .announcement: return nil
        }
    }

    /// Where the request takes the parameter; nil where the request has a body that does not name it.
    private func place(for parameter: String) -> ParameterPlace? {
        guard let body = locator.body else { return .query(parameter) }
        if let place = body.usualPlaces(for: parameter).lazy.compactMap(BodyPlace.init).first(where: {
            body.value(at: $0) != nil
        }) {
            return .body(place)
        }
        return locator.address.value(of: parameter) == nil ? nil : .query(parameter)
    }

    /// The next page by its number, or by the number of records before it, where the page counts and has told how much there is;
    /// nil where nothing tells that there is one.
    var followingByNumber: NextPage? {
        guard recordCount > 0, detection.signs.isEmpty, !detection.isEnd else { return nil }
        if let page = detection.page, page.value == locator.page ?? min(page.value, 1) {
            return following(page: page.value, named: parameter(of: page))
        }
        if let asked = locator.page, let name = locator.name(where: ParameterRole.isPage) {
            return following(page: asked, named: name)
        }
        if let offset = detection.offset, offset.value == locator.offset ?? 0, let total = detection.total {
            let name = locator.name(where: ParameterRole.isOffset) ?? offset.name
            let (following, overflow) = offset.value.addingReportingOverflow(recordCount)
            guard !overflow, following < total.value, let place = place(for: name) else { return nil }
            return numbered(place, following)
        }
        // WordPress and its like number their pages from 1, and tell how many there are in the head.
        if let pages = detection.totalPages, pages.path.hasPrefix("X-") { return following(page: 1, named: "page") }
        return nil
    }

    private func following(page number: Int, named name: String) -> NextPage? {
        guard number < Int(Int32.max), let place = place(for: name) else { return nil }
        if let pages = detection.totalPages {
            let isCountedFromZero = (history.filledPages == 0 ? number : history.firstPage) == 0
            return number < (isCountedFromZero ? pages.value - 1 : pages.value) ? numbered(place, number + 1) : nil
        }
        guard let total = detection.total, detection.size != nil || locator.limit != nil else { return nil }
        return recordsRead < total.value ? numbered(place, number + 1) : nil
    }

    private func numbered(_ place: ParameterPlace, _ number: Int) -> NextPage {
        var next = NextPage(locator: locator.setting(place, to: number))
        next.isNumbered = true
        return next
    }

    private func parameter(of page: PaginationDetection.Echo) -> String {
        locator.name(where: ParameterRole.isPage) ?? page.parameter
    }
}

extension PageLocator {
    /// Whether the request names its page by a number, so that records which come or go move others to another page.
    var isNumbered: Bool { page != nil || offset != nil }
}
