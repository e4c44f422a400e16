import TestSupport

extension RunFault {
    /// From a page on, each page leads to one that was not there before, and has nothing new.
    static let endlessPages: [RunFault] = [
        endless("links to ever new pages with the same records", "repeated_page", #"{"id":1},{"id":2}"#)
            .with { $0.rows = { _ in 2 } },
        endless("links to ever new pages without records", "page", "").with {
            // The first empty page ends the read, which then counts as incomplete.
            $0.pages = [2]
            $0.readRows = 2
        },
        endless(
            "links to ever new pages without records, and stop_after_empty_page is false", "repeated_page", "",
            paginator: "{ type: json_link, next_url_path: $.next, stop_after_empty_page: false }"),
    ]

    private static func endless(
        _ name: String, _ outcome: String, _ records: String, paginator: String = "{ type: auto }"
    ) -> RunFault {
        RunFault(
            name: name, outcome: outcome,
            source: "streams: { animals: { path: animals, primary_key: id, paginator: \(paginator) } }"
        ).with {
            $0.isFaulty = { request, page in request.page >= page }
            $0.reply = { request, _ in .json(#"{"data":[\#(records)],"next":"?page=\#(request.page + 1)"}"#) }
        }
    }
}
