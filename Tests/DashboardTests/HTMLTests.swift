import Dashboard
import GarnerModel
import GarnerPresentation
import Testing

@Suite struct HTMLTests {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a & b", "a &amp; b"), ("it's \"so\"", "it&#39;s &quot;so&quot;"),
        // To Swift, a quote under a combining mark is another character; to a browser it is a quote.
        ("\"\u{301} onfocus=x", "&quot;\u{301} onfocus=x"), ("<\u{338}b>", "&lt;\u{338}b&gt;"),
        ("a\0b", "a\u{FFFD}b"), ("\u{202E}txt", "\u{202E}txt"),
    ])
    func `what is interpolated is escaped byte by byte`(text: String, escaped: String) {
        let html: HTML = "<p title=\"\(text)\">\(text[...])</p>"
        #expect(html.bytes == Array("<p title=\"\(escaped)\">\(escaped)</p>".utf8))
        #expect(HTML(text).bytes == Array(escaped.utf8))
    }

    @Test func `markup within markup is kept, and what is nil is left out`() {
        let inner: HTML = "<b>\("&")</b>"
        let nothing: HTML? = nil
        let html: HTML = "<i>\(inner)\(nothing)\([inner, inner])\(3)</i>"
        #expect(html == "<i><b>&amp;</b><b>&amp;</b><b>&amp;</b>3</i>")
    }

    @Test(arguments: [
        (Link("tables", "a/b"), "/tables/a%2Fb"), (Link("tables", "x.json"), "/tables/x%2Ejson"),
        (Link("tables", "\u{FC}\"<"), "/tables/%C3%BC%22%3C"), (Link(), "/"), (Link().as(.json), "/index.json"),
        (Link("tables", "a").as(.csv), "/tables/a.csv"),
        (Link("runs").adding("q", "a&b=c +d"), "/runs?q=a%26b%3Dc%20%2Bd"),
    ])
    func `an address is encoded, and read again as it was`(link: Link, text: String) {
        #expect(link.text == text)
        let request = WebRequest(target: text)
        #expect(request.components == link.components)
        #expect(request.query == link.query)
        #expect(request.format == link.format)
    }

    @Test(arguments: [
        ("/tables/a%2Ejson", ["tables", "a.json"], RowFormat?.none), ("/tables/a.json", ["tables", "a"], .json),
        ("//tables///a", ["tables", "a"], nil), ("/%", ["%"], nil), ("/%zz%4", ["%zz%4"], nil),
        ("/%FF", ["\u{FFFD}"], nil), ("/.json", [".json"], nil), ("/..%2F..", ["../.."], nil),
    ])
    func `a hostile path is read without a fault`(target: String, components: [String], format: RowFormat?) {
        let request = WebRequest(target: target)
        #expect(request.components == components)
        #expect(request.format == format)
    }
}
