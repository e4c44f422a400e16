import Testing

@testable import GarnerJSON

struct SelectorTests {
    static let document = #"""
        {"data":[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]},{"id":3}],"odd key":{"it's":{"\\":"deep"}},"":"empty",
         "a.b":"dot","0":"zero","é":"accent","n":null,"x":1,"x":2,"meta":{"next":"/2","total":3},"":"last"}
        """#

    @Test(
        arguments: [
            ("$", nil), ("$.data[0].id", ["1"]), ("$.data[-1].id", ["3"]), ("$.data[-3].id", ["1"]), ("$.data[3]", []),
            ("$.data[-4]", []),
            ("$.data[*].id", ["1", "2", "3"]), ("$.data.*.id", ["1", "2", "3"]),
            ("$.data[*].tags[*]", ["\"a\"", "\"b\""]),
            ("$['data'][1]['id']", ["2"]), ("$[\"data\"][1][\"id\"]", ["2"]),
            ("$['odd key']['it\\'s']['\\\\']", ["\"deep\""]),
            ("$[\"odd key\"][\"it's\"].*", ["\"deep\""]), ("$['']", ["\"last\""]), ("$['a.b']", ["\"dot\""]),
            ("$.a.b", []), ("$.0", ["\"zero\""]),
            ("$['0']", ["\"zero\""]), ("$[0]", []), ("$.é", ["\"accent\""]), ("$['e\u{301}']", []), ("$.n", ["null"]),
            ("$.n.m", []), ("$.x", ["2"]),
            ("$.x.y", []), ("$.x[0]", []), ("$.x[*]", []), ("$.missing", []), ("$.missing[*].id", []),
            ("$.meta[*]", ["\"/2\"", "3"]),
            ("$.meta.*", ["\"/2\"", "3"]), ("$ .data [ 0 ] .id", ["1"]), ("$.data[ * ].id", ["1", "2", "3"]),
            ("$\n['meta']\t['total'] ", ["3"]),
            ("$.data[*]['tags'][-1]", ["\"b\""]), ("$.data[*][*]", nil), ("$.meta.next", ["\"/2\""]),
            ("$['x','n']", ["2", "null"]), ("$.data[2,0].id", ["3", "1"]), ("$.data[0,0].id", ["1", "1"]),
            ("$.meta['total',*]", ["3", "\"/2\"", "3"]), ("$.data[1:].id", ["2", "3"]),
            ("$.data[::-1].id", ["3", "2", "1"]),
            ("$.data[ -1 : : -2 ].id", ["3", "1"]), ("$.data[:1]", nil), ("$.data[::0]", []), ("$.x[:]", []),
            ("$.data[9007199254740991:-9007199254740991:-9007199254740991].id", ["3"]),
            ("$..id", ["1", "2", "3"]), ("$..total", ["3"]), ("$..['x']", ["2"]), ("$.data..*", nil), ("$..[0]", nil),
            ("$..tags[0]", ["\"a\""]), ("$.meta..next", ["\"/2\""]), ("$.x..*", []),
            (#"$['\u00e9']"#, ["\"accent\""]), (#"$["odd\u0020key"]['it\'s']["\\"]"#, ["\"deep\""]),
            (#"$['me\u0074a'].next"#, ["\"/2\""]),
            // What RFC 9535 forbids.
            ("$.data[00].id", ["1"]), ("$.data[-0].id", ["1"]), ("$.data[-01].id", ["3"]), ("$.x ", ["2"]),
        ] as [(String, [String]?)])
    func `a selector finds its values in a document`(selector: String, found: [String]?) throws {
        let document = try Document(Self.document)
        let selector = try Selector(parsing: selector)
        let elements = document.withRoot { selector.elements(in: $0).map(\.canonical) }
        if let found { #expect(elements == found) }
        // Whatever way it takes, a selection holds the same.
        var selected: [String] = []
        let selection = selector.select(in: document)
        selection.forEach { selected.append($0.canonical) }
        #expect(selected == elements)
        #expect(selection.count == elements.count)
        #expect(document.withRoot { selector.first(in: $0)?.canonical } == elements.first)
    }

    @Test(
        arguments: [
            ("", 0), ("data", 0), (".data", 0), ("@.data", 0), ("$data", 1), ("$.", 2), ("$..", 3), ("$...data", 3),
            ("$.. data", 3), ("$. data", 2), ("$[", 2), ("$[]", 2),
            ("$['a", 4), ("$['a'", 5), ("$['a]", 5), ("$[0", 3), ("$[*", 3), ("$[a]", 2), ("$[0,]", 4), ("$[,0]", 2),
            ("$[0 1]", 4),
            ("$[0:1:2:3]", 7), ("$[0:a]", 4), ("$[?(@.a)]", 2), ("$[0, ?@.a]", 5), ("$['a',b]", 6),
            ("$.data]", 6), ("$.odd key", 6), ("$['a\\x']", 5), ("$['\\\"']", 4), ("$['\\u12']", 7),
            ("$['\\uD800']", 5),
            ("$['\\uDC00']", 5), ("$['\\uD800\\u0041']", 5), ("$['\\", 4), ("$[-]", 2), ("$[1.5]", 3),
            ("$[99999999999999999999]", 2), ("$.a-b[", 6), (" $", 0),
            ("$.data[*].", 10), ("$[\"a']", 6),
        ] as [(String, Int)])
    func `an invalid selector is refused at its wrong character`(selector: String, offset: Int) {
        do throws(SelectorError) {
            _ = try Selector(parsing: selector)
            Issue.record("\(selector) was read")
        } catch {
            #expect(error.selector == selector)
            #expect(error.offset == offset, "\(error)")
        }
    }

    @Test(arguments: [
        ("$", true), ("$.a", true), ("$['a'][0]", true), ("$[*]", false), ("$.a.*", false), ("$[*].a", false),
        ("$[-1]", true), ("$[0,1]", false), ("$['a','b']", false), ("$[0:1]", false), ("$..a", false),
        ("$..[0]", false),
    ])
    func `a selector of names and indices is singular`(selector: String, isSingular: Bool) throws {
        #expect(try Selector(parsing: selector).isSingular == isSingular)
        #expect(try Selector(parsing: selector).description == selector)
    }

    @Test(arguments: ["a", "", "it's", "\\", "'\u{301}", "a\\\u{200D}'", "']['a", "$", "\n", "\u{301}"])
    func `a segment selects the member of its name`(name: String) throws {
        let escapes: [Unicode.Scalar: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"]
        let written = name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
        let document = try Document("{\"other\":1,\"\(written)\":2}")
        for segment in [Selector.segment(named: name), Selector.shortSegment(named: name)] {
            let selector = try Selector(parsing: "$" + segment)
            #expect(document.withRoot { selector.elements(in: $0).map(\.canonical) } == ["2"])
        }
    }

    @Test func `the short segment of a name is a dot and the name where that selects it`() {
        for name in ["a", "_", "Z9", "a_1"] { #expect(Selector.shortSegment(named: name) == ".\(name)") }
        for name in ["", "9", "a-b", "é", "a b", "a\u{301}"] {
            #expect(Selector.shortSegment(named: name) == Selector.segment(named: name))
        }
    }

    @Test func `the wildcard at the root of an array selects its values`() throws {
        let selection = try Selector(parsing: "$[*]").select(in: Document("[1,[2],{}]"))
        #expect(selection.count == 3)
        #expect(try Selector(parsing: "$[*]").select(in: Document("5")).count == 0)
        #expect(try Selector(parsing: "$[*]").select(in: Document("[]")).count == 0)
    }

    @Test(
        arguments: [
            ("$[?@.a]", "a filter here would end reads early; use the key 'record_filter' instead"),
            ("data", "a selector begins with '$', as in $.data[*]"), ("$data", "'.name' or '[…]' expected"),
            ("$.[0]", "a name expected; write an odd one as ['odd name']"), ("$[0;1]", "',' or ']' expected"),
            ("$[name]", "an index, a slice, a quoted name or '*' expected"), ("$[-]", "a digit expected after '-'"),
            ("$[9007199254740992]", "an index or step is between -(2^53-1) and 2^53-1"),
            ("$[:-9007199254740992]", "an index or step is between -(2^53-1) and 2^53-1"),
            ("$['a", "a closing quote expected"),
            (#"$['\x']"#, #"an escape is one of \b \f \n \r \t \/ \\ \uXXXX, or '\' and the quote around it"#),
            (#"$['\u12G4']"#, #"four hexadecimal digits expected after \u"#),
            (#"$['\uD83D']"#, #"a surrogate needs the other of its pair, as in \uD83D\uDE00"#),
        ])
    func `a refusal says why`(selector: String, reason: String) throws {
        let error = try #require(throws: SelectorError.self) { try Selector(parsing: selector) }
        #expect(error.reason == reason)
    }

    @Test(
        arguments: [
            ("$[01]", "an index or step has no leading zeros, and 0 no sign"),
            ("$['\n']", "a control character is written as an escape, such as \\n"),
            ("$.@type", "a name expected; write an odd one as ['odd name']"), ("$.a-b", "'.name' or '[…]' expected"),
            ("$ ", "'.name' or '[…]' expected"),
        ])
    func `the letter of the RFC refuses what configurations may contain`(selector: String, reason: String) throws {
        let error = try #require(throws: SelectorError.self) { try Selector(strict: selector) }
        #expect(error.reason == reason)
        _ = try Selector(parsing: selector)
    }

    @Test(
        arguments: [
            ("$.data[*]", true, ["$", "$.data"]), ("$['odd key'].*", true, ["$", "$['odd key']"]),
            ("$.data[1:]", true, ["$", "$.data"]), ("$['x','n']", true, ["$"]),
            ("$.data[*].id", false, ["$", "$.data"]), ("$['none','data','x'][*]", false, ["$", "$.data"]),
            ("$['none','other'][*]", false, ["$"]), ("$[0,'data'][*]", false, ["$"]),
            ("$.data..*", false, ["$", "$.data"]),
            ("$.data[0].id", false, ["$", "$.data", "$.data[0]", "$.data[0].id"]),
            ("$..id", false, ["$"]), ("$", false, ["$"]), ("$.missing[*]", true, ["$"]),
        ])
    func `the way to the values ends where there are several`(selector: String, ofOne: Bool, way: [String]) throws {
        let selector = try Selector(parsing: selector)
        #expect(selector.selectsChildren == ofOne)
        #expect(try Document(Self.document).withRoot { selector.way(in: $0).map(\.path) } == way)
    }
}
