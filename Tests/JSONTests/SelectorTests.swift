import JSON
import Testing

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
            ("", 0), ("data", 0), (".data", 0), ("@.data", 0), ("$data", 1), ("$.", 2), ("$..data", 2),
            ("$.data..id", 7), ("$[", 2), ("$[]", 2),
            ("$['a", 4), ("$['a'", 5), ("$['a]", 5), ("$[0", 3), ("$[*", 3), ("$[a]", 2), ("$[0:2]", 3), ("$[0,1]", 3),
            ("$[?(@.a)]", 2), ("$['a','b']", 5),
            ("$.data]", 6), ("$.odd key", 6), ("$['a\\n']", 5), ("$[-]", 2), ("$[1.5]", 3),
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
    ])
    func `a selector without a wildcard is singular`(selector: String, isSingular: Bool) throws {
        #expect(try Selector(parsing: selector).isSingular == isSingular)
        #expect(try Selector(parsing: selector).description == selector)
    }

    @Test(arguments: ["a", "", "it's", "\\", "'\u{301}", "a\\\u{200D}'", "']['a", "$", "\n", "\u{301}"])
    func `a segment selects the member of its name`(name: String) throws {
        let escapes: [Unicode.Scalar: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"]
        let written = name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
        let document = try Document("{\"other\":1,\"\(written)\":2}")
        let selector = try Selector(parsing: "$" + Selector.segment(named: name))
        #expect(document.withRoot { selector.elements(in: $0).map(\.canonical) } == ["2"])
    }

    @Test func `the wildcard at the root of an array selects its values`() throws {
        let selection = try Selector(parsing: "$[*]").select(in: Document("[1,[2],{}]"))
        #expect(selection.count == 3)
        #expect(try Selector(parsing: "$[*]").select(in: Document("5")).count == 0)
        #expect(try Selector(parsing: "$[*]").select(in: Document("[]")).count == 0)
    }
}
