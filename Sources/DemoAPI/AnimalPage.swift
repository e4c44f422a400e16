/// A run of animals and where it stands among all of them.
struct AnimalPage: Sendable {
    static let defaultSize = 20
    static let maximumSize = 100

    let animals: ArraySlice<Animal>
    /// Counted from 1; a page past the last one is empty.
    let number: Int
    let size: Int
    let total: Int

    var pageCount: Int { (total + size - 1) / size }
    var nextNumber: Int? { number < pageCount ? number + 1 : nil }

    /// Reads the parameters as they were sent, and throws a `Refusal` for what is not a page.
    init(of animals: [Animal], page: Substring?, perPage: Substring?) throws {
        number = try Self.positive(page, named: "page", default: 1, atMost: Int.max)
        size = try Self.positive(perPage, named: "per_page", default: Self.defaultSize, atMost: Self.maximumSize)
        total = animals.count
        // A page number may be as large as an Int; the product of it may not.
        let (start, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        self.animals = overflow ? [] : animals.dropFirst(start).prefix(size)
    }

    func nextURL(baseURL: String) -> String? {
        nextNumber.map { "\(baseURL)animals?page=\($0)&per_page=\(size)" }
    }

    func json(baseURL: String) -> JSONValue {
        .object([
            ("data", .array(animals.map { $0.json(baseURL: baseURL) })),
            ("page", .integer(number)),
            ("per_page", .integer(size)),
            ("total", .integer(total)),
            ("total_pages", .integer(pageCount)),
            ("next", nextURL(baseURL: baseURL).map(JSONValue.string) ?? .null),
        ])
    }

    private static func positive(
        _ text: Substring?, named name: String, default: Int, atMost limit: Int
    ) throws -> Int {
        guard let text else { return `default` }
        guard let number = Int(digits: text), (1...limit).contains(number) else {
            let bounds = limit == Int.max ? "of at least 1" : "from 1 to \(limit)"
            throw Refusal.malformed("\(name) must be a whole number \(bounds), not '\(text)'")
        }
        return number
    }
}
