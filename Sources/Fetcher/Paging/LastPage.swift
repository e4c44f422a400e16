import GarnerCatalog
import GarnerJSON

/// The numbers of the last page, such as its number or offset, as its address on another page names it: `Link` with `rel="last"`, `links.last`.
struct LastPage: Hashable, Sendable {
    /// The JSONPath, or the name of a field of the head.
    let place: String
    /// The numbers in the address by the names of their parameters: `page`, `offset`, or as they are written. Sizes are left out.
    private let numbers: [String: Int]

    fileprivate static let field = "Link"
    var isInHead: Bool { place == Self.field }

    /// Returns nil if the link leads nowhere, or has no number.
    init?(_ place: String, link: String, on locator: PageLocator) {
        guard let address = locator.address.resolving(link) else { return nil }
        (self.place, numbers) = (place, Self.numbers(of: PageLocator(address: address, body: nil)))
        if numbers.isEmpty { return nil }
    }

    private static func numbers(of locator: PageLocator) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (name, value) in locator.numbers where !ParameterRole.isSize(name) {
            // They are stored, and the server may repeat a secret in its links.
            if SensitiveName.isParameter(name, value: "\(value)") { continue }
            numbers[ParameterRole.isPage(name) ? "page" : ParameterRole.isOffset(name) ? "offset" : name] = value
        }
        return numbers
    }

    /// The last page by a number that may be that of the last record as well: `{ "page": 1, "of": 11 }`.
    init(_ place: String, pagesOrRecords number: Int) { (self.place, numbers) = (place, [Self.either: number]) }

    /// The name of such a number, which no parameter has.
    private static let either = ""

    /// Returns the difference of the numbers to those of a request; nil if they have none in common.
    private func distance(to locator: PageLocator, isFirstPage: Bool = false, stated: Int? = nil) -> Int? {
        var own = Self.numbers(of: locator)
        if let stated, own["page"] == nil { own["page"] = stated }
        if isFirstPage, numbers["page"] != nil, own["page"] == nil { own["page"] = 1 }
        if isFirstPage, numbers["offset"] != nil, own["offset"] == nil { own["offset"] = 0 }
        let distances = numbers.compactMap { name, value in
            own[name].map { value.subtractingReportingOverflow($0).partialValue }
        }
        return distances.min().map { $0 < 0 ? $0 : distances.max() ?? 0 }
    }

    /// Returns true if it lies behind the requested page. Where a request names no page, as by a token, the pages that have come are counted,
    /// once more records than pages have.
    ///
    /// - Parameter stated: The number that the answer states, which counts where the request names none.
    func isBehind(_ locator: PageLocator, isFirstPage: Bool, stated: Int?, pages: Int, records: Int) -> Bool {
        if let distance = distance(to: locator, isFirstPage: isFirstPage, stated: stated) { return distance > 0 }
        return (numbers["page"] ?? numbers[Self.either]).map { $0 > pages && $0 < records } ?? false
    }

    /// Returns true if it lies before the requested page, which therefore need not be there, or if the request names no page.
    func isBefore(_ locator: PageLocator) -> Bool { distance(to: locator).map { $0 < 0 } ?? true }

    var members: [(String, JSONText)] {
        [("last_place", .string(place)), ("last_numbers", .texts(numbers.mapValues { "\($0)" }))]
    }

    init?(stored root: Node) {
        guard let place = root["last_place"]?.string, let texts = root["last_numbers"]?.storedTexts else { return nil }
        (self.place, numbers) = (place, texts.compactMapValues { Int($0) })
    }
}

extension ResponseHead {
    /// The last page, as a link in the head names it; nil if none does.
    func lastPage(asked locator: PageLocator) -> LastPage? {
        linksToLast.lazy.compactMap { LastPage(LastPage.field, link: $0, on: locator) }.first
    }
}
