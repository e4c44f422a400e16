import JSON

/// The pages are numbered.
struct PageNumberPaging: PageFollower {
    let parameter: String
    /// The first page's number.
    let base: Int
    let sizeParameter: String?
    let size: Int?
    let total: Selector?
    let totalPages: Selector?

    func first(from address: WebAddress) -> WebAddress {
        let start = address.value(of: parameter).flatMap { Int($0) } ?? base
        let first = address.setting(parameter, to: "\(start)")
        guard let sizeParameter, let size else { return first }
        return first.setting(sizeParameter, to: "\(size)")
    }

    func next(after page: ReceivedPage) -> WebAddress? {
        let number = page.address.value(of: parameter).flatMap { Int($0) } ?? base
        let (following, overflow) = number.addingReportingOverflow(1)
        return overflow || isLast(page, number: number) ? nil : page.address.setting(parameter, to: "\(following)")
    }

    private func isLast(_ page: ReceivedPage, number: Int) -> Bool {
        let pagesRead = number &- base &+ 1
        if let totalPages = totalPages?.first(in: page.root)?.pagingNumber { return pagesRead >= totalPages }
        if page.recordCount == 0 { return true }
        if let total = total?.first(in: page.root)?.pagingNumber {
            // Without a configured size, a page that is not the last one shows it.
            let (recordsRead, overflow) = pagesRead.multipliedReportingOverflow(by: size ?? page.recordCount)
            return overflow || recordsRead >= total
        }
        return size.map { page.recordCount < $0 } ?? false
    }
}
