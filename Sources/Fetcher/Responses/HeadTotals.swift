import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The totals that the head of a response states. They may change while the body and its validator stay the same.
struct HeadTotals {
    private static let records = [
        "X-Total", "X-Total-Count", "X-WP-Total", "X-Pagination-Total-Count", "Total", "Total-Count", "X-Total-Records",
        "X-Result-Count", "Pagination-Count",
    ]
    /// Names that may count the records of the page alone. Only a greater number is a total.
    private static let counts: Set = ["X-Result-Count", "Pagination-Count"]

    /// Returns the names of fields of the head that are built of words for a number and for all records, such as `X-Total-Items`. They may
    /// count the records of the page alone, too.
    private static func built(_ head: ResponseHead) -> [String] {
        head.headers.all.map(\.name).filter(PossibleSign.countsAll(field:))
    }

    private static let pages = [
        "X-Total-Pages", "X-WP-TotalPages", "X-Pages", "X-Pagination-Page-Count", "X-Page-Count", "Total-Pages",
        "X-Last-Page", "X-Pagination-Last-Page", "X-Pagination-Total-Pages",
    ]

    private static let objects = ["X-Pagination", "Pagination", "Paging-Headers"]

    private static let flag = "X-Has-More"
    private static let truths: Set = ["1", "true", "y", "yes"]

    static let names = records + pages + objects + ["Content-Range", flag]

    private(set) var total: PaginationDetection.Count?
    private(set) var totalPages: PaginationDetection.Count?
    /// The field that says that another page follows; nil if none does.
    private(set) var more: String?

    /// - Parameter count: The number of records on the page. A smaller total is none.
    init(_ head: ResponseHead, count: Int) {
        for name in Self.records + Self.built(head) {
            let stated = head.headers.values(of: name).compactMap { StatedCount($0) }
            for one in stated
            where one.value > count || one.value == count && Self.records.contains(name) && !Self.counts.contains(name)
            {
                // A header that is sent twice says two things.
                let isExact = one.isExact && stated.allSatisfy { $0.value == one.value }
                total = .greater(
                    total,
                    .init(value: one.value, isExact: isExact, isLeast: one.isLeast && stated.count == 1, path: name))
            }
        }
        for name in Self.pages {
            guard let value = head.headers[name].flatMap({ Int($0) }), value >= 0 else { continue }
            totalPages = .greater(totalPages, .init(value: value, path: name))
        }
        if let flag = head.headers[Self.flag], Self.truths.contains(flag.lowercased()) { more = Self.flag }
        readPagination(head, count: count)
        guard let range = head.headers.rangeOfUnits, let value = range.split(separator: "/").last.flatMap({ Int($0) }),
            value >= count
        else { return }
        total = .greater(total, .init(value: value, path: "Content-Range"))
    }

    /// Reads the JSON object in which ASP.NET services describe the page.
    private mutating func readPagination(_ head: ResponseHead, count: Int) {
        for header in Self.objects {
            guard let text = head.headers[header], let document = try? Document(parsing: Bytes(text.utf8)) else {
                continue
            }
            document.withRoot { root in
                for (key, node) in root.members {
                    let name = Envelope.normalized(key.text)
                    if PagingWord(name) == .more, node.truth(named: name) == true { more = header }
                    guard let value = node.pagingCount else { continue }
                    switch name {
                    case _ where PaginationDetection.totals.contains(name):
                        if value >= count { total = .greater(total, .init(value: value, path: header)) }
                    case _ where PaginationDetection.pageTotals.union(["pages", "pagecount"]).contains(name):
                        totalPages = .greater(totalPages, .init(value: value, path: header))
                    default: continue
                    }
                }
            }
        }
    }

    /// Returns a number for what a head says of totals, of more and of what is missing; 0 if it says nothing.
    ///
    /// A body that came before is read again beside a status or a link that did not stand beside it, and without a link that did.
    static func digest(of head: ResponseHead) -> UInt64 {
        var hash = StableHash()
        if head.status != 200 { hash.add("status: \(head.status)\n".utf8) }
        if let link = head.oddLink(besides: "next") { hash.add("\(link.path)\n".utf8) }
        for relation in head.relations { hash.add("Link: \(relation)\n".utf8) }
        for name in names + built(head) {
            if let value = head.headers[name] { hash.add("\(name): \(value)\n".utf8) }
        }
        // The values may be other ones in each answer.
        if let sign = PossibleSign(head) { hash.add("\(sign.statement.path)\n".utf8) }
        if let said = head.partMissing ?? head.cutOff { hash.add("\(said.path)\n".utf8) }
        return hash == StableHash() ? 0 : hash.value
    }
}
