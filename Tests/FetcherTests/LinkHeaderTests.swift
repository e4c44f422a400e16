import Testing
@testable import GarnerFetcher

struct LinkHeaderTests {
    private static let fields: [(String, [LinkHeader.Link])] = [
        ("<https://a.example/?p=2>; rel=\"next\"", [.init(target: "https://a.example/?p=2", relations: ["next"])]),
        (
            "<a>; rel=prev, <b>; rel=next",
            [.init(target: "a", relations: ["prev"]), .init(target: "b", relations: ["next"])]
        ),
        ("<a>;rel=\"last  Next\"", [.init(target: "a", relations: ["last", "next"])]),
        ("<a,b;c>; title=\"x, <y>; rel=\\\"no\\\"\"; rel=next", [.init(target: "a,b;c", relations: ["next"])]),
        ("<a>; REL = next ; type=\"text/html\"", [.init(target: "a", relations: ["next"])]),
        ("<a>; rel=next; rel=prev", [.init(target: "a", relations: ["next"])]),
        ("<a>; flag; rel=next", [.init(target: "a", relations: ["next"])]),
        ("<a>; rel=next; anchor=\"#other\", <b>", [.init(target: "b", relations: [])]),
        ("<a>;;rel=next,,<b>;rel=x", [.init(target: "a", relations: ["next"]), .init(target: "b", relations: ["x"])]),
        ("<a>; rel='next'", [.init(target: "a", relations: ["next"])]),
        (
            "<a>; title='x; rel=\"no\"'; rel='prev next', <b>",
            [.init(target: "a", relations: ["prev", "next"]), .init(target: "b", relations: [])]
        ),
        ("<a>; title=it's; rel=next", [.init(target: "a", relations: ["next"])]),
        ("<a>; rel='next", [.init(target: "a", relations: ["'next"])]),
        ("<>; rel=next", [.init(target: "", relations: ["next"])]),
        ("<a; rel=next", []), ("a; rel=next", []), ("", []), (";", []),
        ("<a>; rel=\"next", [.init(target: "a", relations: ["next"])]),
        ("<\u{301}a>; title=\"\u{301}; rel=prev\"; rel=next", [.init(target: "\u{301}a", relations: ["next"])]),
    ]

    @Test(arguments: [
        ("<a; rel=next", true), ("a; rel=\"prev NEXT\"", true), ("<b>; rel=prev, a; x; rel=next", true),
        ("a;;;rel=next", true), ("<a>; rel=next", false), ("<a; rel=prev", false), ("next", false), ("", false),
        ("a; title=\"; rel=next\"", false), ("a;", false),
    ])
    func `a broken next link is distinguished from no next link`(field: String, isBroken: Bool) {
        #expect(LinkHeader.isBroken("next", in: field) == isBroken)
    }

    @Test(arguments: fields)
    func `a Link field is read`(field: String, links: [LinkHeader.Link]) {
        #expect(LinkHeader.links(in: field) == links)
    }
}
