import Testing

@testable import GarnerCatalog

struct WebAddressTests {
    /// RFC 3986, 5.4, without the fragments; nil: not http or https.
    private static let references: [(String, String?)] = [
        // 5.4.1
        ("g:h", nil), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        // 5.4.2
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g"), ("http:g", nil),
        // Beyond
        (" //g/x ", "http://g/x"), (" g ", "http://a/b/c/g"), ("?", "http://a/b/c/d;p?"),
        ("https://h/../x", "https://h/../x"),
        ("//u@g", nil), ("g h", "http://a/b/c/g%20h"), ("?q=\"ä\"", "http://a/b/c/d;p?q=%22%C3%A4%22"), ("a:b", nil),
        ("./a:b", "http://a/b/c/a:b"),
        ("//g?x", "http://g?x"), ("//", nil), ("g//h", "http://a/b/c/g//h"),
    ]

    @Test(arguments: references)
    func `a reference resolves as RFC 3986 says`(reference: String, url: String?) throws {
        let base = try #require(WebAddress("http://a/b/c/d;p?q"))
        #expect(base.resolving(reference)?.description == url)
    }

    @Test func `a reference resolves against an origin without a path`() throws {
        let base = try #require(WebAddress("http://a"))
        #expect(base.resolving("g")?.description == "http://a/g")
        #expect(base.resolving("../g?x")?.description == "http://a/g?x")
        #expect(base.resolving("?x")?.description == "http://a?x")
    }

    private static let kept = [
        "https://zoo.example/", "https://zoo.example", "https://zoo.example:8443/a//b/../c?x=%7e&&y=+#",
        "http://[::1]:80/?a=b?c/d",
        "http://[fe80::1%25eth0]/", "https://xn--bcher-kva.example/%C3%BC", "http://a/;p=1?q=!$'()*,:@",
    ]

    @Test(arguments: kept)
    func `a URL stays as it is written`(url: String) {
        #expect(WebAddress(url)?.description == url.replacing("#", with: ""))
    }

    private static let cleaned: [(String, String)] = [
        (" https://zoo.example/a b\n", "https://zoo.example/a%20b"), ("HTTPS://Zoo.example/A", "https://Zoo.example/A"),
        ("https://zoo.example/ü?é=\"<>\"", "https://zoo.example/%C3%BC?%C3%A9=%22%3C%3E%22"),
        ("https://zoo.example/100%", "https://zoo.example/100%25"),
        ("https://zoo.example/%4", "https://zoo.example/%254"),
        ("https://zoo.example/%zz%41", "https://zoo.example/%25zz%41"),
        ("https://zoo.example/a\\b|c^d`{e}", "https://zoo.example/a%5Cb%7Cc%5Ed%60%7Be%7D"),
        ("https://zoo.example/a\tb\u{7F}", "https://zoo.example/a%09b%7F"),
    ]

    @Test(arguments: cleaned)
    func `only what no URL may hold is encoded`(text: String, url: String) {
        #expect(WebAddress(text)?.description == url)
    }

    @Test(arguments: [
        "", " ", "zoo.example", "/a", "//zoo.example/", "ftp://zoo.example/", "file:///etc/passwd", "data:,x", "https:",
        "https:/x",
        "https://", "https:///x", "https://:80/", "https://u@zoo.example/", "https://u:p@zoo.example/",
        "https://zoo.example:x/",
        "https://zoo.example:65536/", "https://zoo.example:-1/", "https://zoo.example:+80/", "https://[::1/",
        "https://[::1]x/",
        "https://zoo.example:80:80/", "https://a\\@b.example/", "https://[", "https://[]/", "https://[zoo]/",
        "https://zoo[1]/",
    ])
    func `what is no http or https URL with a host is refused`(text: String) {
        #expect(WebAddress(text) == nil)
    }

    private static let origins: [(String, String)] = [
        ("https://Zoo.Example/a", "https://zoo.example"), ("https://zoo.example:443", "https://zoo.example"),
        ("https://zoo.example:/", "https://zoo.example"), ("http://zoo.example:80/", "http://zoo.example"),
        ("http://zoo.example:443/", "http://zoo.example:443"), ("https://zoo.example:80/", "https://zoo.example:80"),
        ("https://[2001:DB8::1]/", "https://[2001:db8::1]"), ("http://[::1]:8080/x", "http://[::1]:8080"),
    ]

    @Test(arguments: origins)
    func `an origin is scheme, host and port`(url: String, origin: String) {
        #expect(WebAddress(url)?.origin.description == origin)
    }

    private static let settings: [(String?, String)] = [
        (nil, "p=2"), ("", "p=2"), ("a=1", "a=1&p=2"), ("p=1", "p=2"), ("p", "p=2"), ("p=", "p=2"),
        ("a=1&p=1&b=%7e", "a=1&p=2&b=%7e"),
        ("p=1&a&p=9", "p=2&a"), ("%70=1", "p=2"), ("P=1", "P=1&p=2"), ("pp=1", "pp=1&p=2"), ("a=p", "a=p&p=2"),
    ]

    @Test(arguments: settings)
    func `setting a parameter leaves the others`(query: String?, expected: String) {
        let address = WebAddress(scheme: "https", authority: "a", path: "/", query: query)
        #expect(address.setting("p", to: "2").query == expected)
    }

    private static let values: [(String, String?)] = [
        ("p=1", "1"), ("a=2&p=1&p=3", "1"), ("p=a%20b+c%2B", "a b c+"), ("p", ""), ("p=", ""), ("%70=1", "1"),
        ("p=a=b", "a=b"),
        ("p=%C3%BC", "ü"), ("p=100%", "100%"), ("p=%4", "%4"), ("p=%zz", "%zz"), ("p=%+1", "% 1"), ("p=%+12", "% 12"),
        ("q=1", nil), ("", nil),
    ]

    @Test(arguments: values)
    func `a value is decoded`(query: String, value: String?) {
        #expect(WebAddress(scheme: "https", authority: "a", path: "/", query: query).value(of: "p") == value)
    }

    @Test(arguments: ["", "plain-._~", "a b", "ü🐼", "%41", "&=?#/+", "\"'\\", "\u{0}\n"])
    func `encoding and decoding are inverse`(text: String) {
        let encoded = PercentEncoding.encoded(text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=?#/+\"".utf8.contains($0) })
        #expect(PercentEncoding.decoded(encoded[...]) == text)
    }
}
