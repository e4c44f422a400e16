import JSON

/// The next request skips the records that came already.
struct OffsetPaging: PageFollower {
    let offsetParameter: String
    let limitParameter: String
    let limit: Int
    let total: Selector?

    func first(from address: WebAddress) -> WebAddress {
        let start = address.value(of: offsetParameter).flatMap { Int($0) } ?? 0
        return address.setting(offsetParameter, to: "\(start)").setting(limitParameter, to: "\(limit)")
    }

    func next(after page: ReceivedPage) -> WebAddress? {
        guard page.recordCount > 0 else { return nil }
        let offset = page.address.value(of: offsetParameter).flatMap { Int($0) } ?? 0
        let (following, overflow) = offset.addingReportingOverflow(page.recordCount)
        guard !overflow else { return nil }
        if let total = total?.first(in: page.root)?.pagingNumber {
            // A server may give fewer than were asked for; what it says about the whole counts.
            if following >= total { return nil }
        } else if page.recordCount < limit {
            return nil
        }
        return page.address.setting(offsetParameter, to: "\(following)")
    }
}
