import Catalog
import JSON

/// The next request skips the records that came already.
struct OffsetPaging: PageFollower {
    let offsetParameter: ParameterPlace
    let limitParameter: ParameterPlace
    let pageSize: Int
    let total: Selector?

    var counts: Bool { true }
    var limit: Int? { pageSize }

    func places(on page: ReceivedPage) -> NamedPlaces? {
        total.map { NamedPlaces(total: $0.first(in: page.root)) }
    }

    func first(from locator: PageLocator) -> PageLocator {
        let start = locator.value(of: offsetParameter).flatMap { Int($0) } ?? 0
        return locator.setting(offsetParameter, to: start).setting(limitParameter, to: pageSize)
    }

    /// A server may give fewer than were asked for, so only an empty page or the total tells the last one.
    func next(after page: ReceivedPage) -> NextPage? {
        let offset = page.locator.value(of: offsetParameter).flatMap { Int($0) } ?? 0
        let (following, overflow) = offset.addingReportingOverflow(page.recordCount > 0 ? page.recordCount : pageSize)
        guard !overflow else { return nil }
        let next = page.locator.setting(offsetParameter, to: following)
        if let total = total?.first(in: page.root)?.pagingNumber {
            return following >= total ? nil : NextPage(locator: next)
        }
        guard page.recordCount > 0 else { return nil }
        return NextPage(locator: next, mayBeMissing: page.recordCount < pageSize)
    }
}
