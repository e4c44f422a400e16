import GarnerCatalog
import TestSupport

extension Fault {
    /// The page is good, but what it says of the next one is not.
    static let paging: [Fault] = [
        linked("links to the page itself", .pageThenError("repeated_page")) { "<\(FaultServer.target($0))>; rel=next" },
        linked("links to the first page", .pageThenError("repeated_page")) { _ in "<\(FaultServer.target(0))>; rel=next"
        },
        linked("links to another origin", .error("link_to_other_origin")) { _ in
            "<https://zoo.example/v1/animals>; rel=next"
        },
        linked("links to another port", .error("link_to_other_origin")) { _ in
            "<http://127.0.0.1:1/v1/animals>; rel=next"
        },
        linked("links to ftp:", .error("invalid_link")) { _ in "<ftp://zoo.example/>; rel=next" },
        linked("links to what is no URL", .error("invalid_link")) { _ in "<http://[>; rel=next" },
        linked("sends a Link that is none", .end) { _ in "no link" },
        linked("sends a Link without its end", .error("invalid_link")) { _ in "</v1/animals?page=9; rel=next" },
        linked("sends a Link of another relation without marks", .end) { _ in "/v1/animals?page=9; rel=prev" },
        linked("sends a Link without marks", .error("invalid_link")) { _ in "/v1/animals?page=9; rel=next" },
        next("announces another page, and not where", #""has_more":true"#, .error("unclear_paging")),
        next("announces another page by a text", #""has_more":"true","next":null"#, .error("unclear_paging")),
        next("announces another page by a number", #""hasMore":1,"next":null"#, .error("unclear_paging")),
        next("announces the first page", #""next":"/v1/animals""#, .pageThenError("repeated_page")),
        next("announces a token that no parameter takes", #""next":"abc""#, .error("unclear_paging")),
        next("announces another origin", #""next":"https://zoo.example/""#, .error("link_to_other_origin")),
    ]

    private static func linked(_ name: String, _ outcome: Outcome, _ link: @escaping @Sendable (_ page: Int) -> String)
        -> Fault
    {
        spoilt(name, outcome) { answer, page in
            // Nothing but the head tells of a next page.
            let records = FaultServer.records(page).joined(separator: ",")
            answer.body = Array(#"{"data":[\#(records)]}"#.utf8)
            answer.fields.append(("Link", link(page)))
        }
    }

    /// A fault whose page has the given members beside its records.
    private static func next(_ name: String, _ members: String, _ outcome: Outcome) -> Fault {
        spoilt(name, outcome) { answer, page in
            let records = FaultServer.records(page).joined(separator: ",")
            answer.body = Array(#"{"data":[\#(records)],\#(members)}"#.utf8)
        }
    }

    private static func spoilt(
        _ name: String, _ outcome: Outcome, _ spoil: @escaping @Sendable (inout GoodAnswer, _ page: Int) -> Void
    ) -> Fault {
        Fault(name, outcome, in: .all) { occasion in
            let page = occasion.request.target == FaultServer.target(0) ? 0 : 1
            return occasion.answer.with { spoil(&$0, page) }.reply
        }
    }
}
