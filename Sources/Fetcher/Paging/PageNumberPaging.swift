import Catalog
import JSON

/// The pages are numbered.
struct PageNumberPaging: PageFollower {
    let parameter: ParameterPlace
    /// The first page's number.
    let base: Int
    let sizeParameter: ParameterPlace?
    let size: Int?
    let total: Selector?
    let totalPages: Selector?
    /// Where it selects false, this was the last page; where true, it was not.
    let hasMore: Selector?

    var counts: Bool { true }
    var limit: Int? { size }

    func places(on page: ReceivedPage) -> NamedPlaces? {
        let more = hasMore?.first(in: page.root)
        return NamedPlaces(
            nodes: [more].compactMap(\.self), saysLast: more?.kind == .false, total: total?.first(in: page.root),
            totalPages: totalPages?.first(in: page.root))
    }

    func first(from locator: PageLocator) -> PageLocator {
        let start = locator.value(of: parameter).flatMap { Int($0) } ?? base
        let first = locator.setting(parameter, to: start)
        guard let sizeParameter, let size else { return first }
        return first.setting(sizeParameter, to: size)
    }

    /// A server may give fewer records than were asked for, so only an empty page or a total tells the last one.
    func next(after page: ReceivedPage) -> NextPage? {
        let number = page.locator.value(of: parameter).flatMap { Int($0) } ?? base
        let (following, overflow) = number.addingReportingOverflow(1)
        guard !overflow else { return nil }
        let next = page.locator.setting(parameter, to: following)
        switch hasMore?.first(in: page.root)?.kind {
        case .false: return nil
        case .true: return NextPage(locator: next, mayBeEndless: page.recordCount == 0)
        default: break
        }
        if let totalPages = totalPages?.first(in: page.root)?.pagingNumber {
            return following &- base >= totalPages ? nil : NextPage(locator: next)
        }
        if let total = total?.first(in: page.root)?.pagingNumber {
            return page.recordsRead >= total ? nil : NextPage(locator: next, mayBeEndless: page.recordCount == 0)
        }
        guard page.recordCount > 0 else { return nil }
        return NextPage(locator: next, mayBeMissing: size.map { page.recordCount < $0 } ?? true)
    }
}
