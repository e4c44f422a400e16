import GarnerCatalog
import GarnerJSON

/// The number or the offset of the last page, as its address on another page names it: `Link` with `rel="last"`, `links.last`.
struct LastPage: Hashable, Sendable {
    /// The JSONPath, or the name of a field of the head.
    let place: String
    let number: Int
    let isOffset: Bool

    fileprivate static let field = "Link"
    var isInHead: Bool { place == Self.field }

    /// Returns nil if the link leads nowhere, or names neither a page by its number nor an offset.
    init?(_ place: String, link: String, on locator: PageLocator) {
        guard let address = locator.address.resolving(link) else { return nil }
        let last = PageLocator(address: address, body: nil)
        guard let number = last.page ?? last.offset else { return nil }
        (self.place, self.number, isOffset) = (place, number, last.page == nil)
    }

    /// Returns true if it lies behind the requested page. A request that names no page says nothing, except the first one.
    func isBehind(_ locator: PageLocator, isFirstPage: Bool) -> Bool {
        let first = isFirstPage ? isOffset ? 0 : 1 : nil
        return (isOffset ? locator.offset : locator.page).map { $0 < number } ?? first.map { $0 < number } ?? false
    }

    /// Returns true if it lies before the requested page, which therefore need not be there, or if the request names no page.
    func isBefore(_ locator: PageLocator) -> Bool {
        (isOffset ? locator.offset : locator.page).map { $0 > number } ?? true
    }

    var members: [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        members.add("last_place", place)
        members.add("last_number", number)
        members.add("last_is_offset", if: isOffset)
        return members
    }

    init?(stored root: Node) {
        guard let place = root["last_place"]?.string, let number = root["last_number"]?.storedCount else { return nil }
        (self.place, self.number, isOffset) = (place, number, root["last_is_offset"]?.kind == .true)
    }
}

extension ResponseHead {
    /// The last page, as a link in the head names it; nil if none does.
    func lastPage(asked locator: PageLocator) -> LastPage? {
        linksToLast.lazy.compactMap { LastPage(LastPage.field, link: $0, on: locator) }.first
    }
}
