/// An object beside the records, or around them, tells of these things by its name. All that looks into such objects shares this table.
///
/// Names are in lower case, without `_` and `-`.
struct Wrapper: OptionSet {
    let rawValue: UInt8

    /// It describes the whole page.
    static let page = Wrapper(rawValue: 1)
    /// Nothing but a list is counted in it.
    static let counts = Wrapper(rawValue: 2)
    /// It repeats what was asked for.
    static let request = Wrapper(rawValue: 4)
    /// It tells how the request went, where it stands beside the list.
    static let outcome = Wrapper(rawValue: 8)
    /// It may also wrap one record.
    static let record = Wrapper(rawValue: 16)
    /// It tells of a search: numbers in it count what was found. Words that lead on do not count.
    static let search = Wrapper(rawValue: 32)

    /// It repeats bounds, which may be those of the request or of the records.
    static let range = Wrapper(rawValue: 64)

    /// Looks a name up; empty for a name that no such object has.
    init(_ name: String) { self = Self.table[name] ?? [] }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    private static let table: [String: Wrapper] = [
        "meta": [.page, .counts], "pageinfo": [.page, .counts], "pagination": [.page, .counts, .outcome],
        "paging": [.page, .counts, .outcome], "metadata": .page, "pager": [.page, .outcome], "page": [.page, .outcome],
        // Last.fm has the attributes of its XML there.
        "links": .page, "@attr": .page, "pageable": .page, "responsemetadata": .page, "responseheader": .page,
        "view": .page,
        "resultinfo": [.page, .outcome], "result": [.page, .outcome, .record], "response": [.page, .record],
        "hits": [.page, .record], "info": [.page, .record],
        "header": [.outcome, .search], "headers": .outcome, "responsestatus": .outcome,
        "arguments": .request, "criteria": .request, "filter": .request, "filters": .request, "parameters": .request,
        "params": .request, "query": [.request, .search], "request": .request,
        "daterange": [.request, .range], "interval": [.request, .range],
        "range": [.request, .range], "timeframe": [.request, .range], "window": [.request, .range],
        "collection": .search, "list": .search, "listinfo": .search, "resultset": .search,
        "context": .search, "search": .search, "searchinfo": .search, "searchinformation": .search,
        "searchmeta": .search, "searchmetadata": .search, "searchresult": .search, "searchstats": .search,
        "searchsummary": .search,
    ]
}
