import TestSupport

/// The records that the server of the kills sends, in two editions.
enum Ledger {
    static let pages = 12
    static let recordsPerPage = 5

    enum Stream: String, CaseIterable, Sendable {
        /// Has a key; a later edition changes some, and some are missing.
        case animals
        /// Is appended, so that a record that is stored twice is there twice.
        case sightings
    }

    struct Animal: Equatable, Sendable {
        let id: Int
        let name: String
    }

    static func animals(_ page: Int, edition: Int) -> [Animal] {
        numbers(page).compactMap { number in
            if edition > 1, number % 7 == 0 { return nil }
            return Animal(id: number, name: number % 3 == 0 ? "animal \(number) of \(edition)" : "animal \(number)")
        }
    }

    static func sightings(_ page: Int, edition: Int) -> [Int] { numbers(page).map { edition * 1000 + $0 } }

    static func reply(to request: LoopbackRequest, edition: Int) -> LoopbackReply {
        guard let stream = stream(of: request) else { return .status(404) }
        let page = page(of: request)
        let records =
            switch stream {
            case .animals:
                // On later pages a column comes, and another gets a wider type.
                animals(page, edition: edition).map {
                    let weight = page < 4 ? "\($0.id)" : page < 8 ? "\($0.id).5" : "\"heavy\""
                    let diet = page > 6 ? #","diet":"worms""# : ""
                    return #"{"id":\#($0.id),"name":"\#($0.name)","weight":\#(weight)\#(diet)}"#
                }
            case .sightings: sightings(page, edition: edition).map { #"{"at":\#($0)}"# }
            }
        let next = page < pages ? #""?page=\#(page + 1)""# : "null"
        // With a total that fits, rows that are missing need no second look. Pages are asked for one after another.
        let count = (1...pages).reduce(0) {
            $0 + (stream == .animals ? animals($1, edition: edition).count : recordsPerPage)
        }
        return .json(#"{"data":[\#(records.joined(separator: ","))],"total":\#(count),"next":\#(next)}"#)
    }

    static func stream(of request: LoopbackRequest) -> Stream? {
        Stream(rawValue: String(request.target.dropFirst().prefix { $0 != "?" }))
    }

    static func page(of request: LoopbackRequest) -> Int {
        request.target.firstRange(of: "page=").flatMap { Int(request.target[$0.upperBound...]) } ?? 1
    }

    static func configuration(_ url: String) -> String {
        """
        version: 1
        database: garner.db
        sources:
          zoo:
            base_url: \(url)
            retry: { max_attempts: 1 }
            max_concurrency: 1
            streams:
              animals: { path: animals, primary_key: id, delete_missing: hard, max_delete_ratio: 0.9 }
              sightings: { path: sightings, write_disposition: append }
        """
    }

    private static func numbers(_ page: Int) -> ClosedRange<Int> {
        (page - 1) * recordsPerPage + 1...page * recordsPerPage
    }
}
