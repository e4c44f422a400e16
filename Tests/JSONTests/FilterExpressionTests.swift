import Testing

@testable import GarnerJSON

struct FilterExpressionTests {
    @Test(
        arguments: [
            // Whether a query selects anything does not depend on what it selects.
            ("@.deleted", #"{"deleted":false}"#, true), ("@.deleted", #"{"deleted":null}"#, true),
            ("@.deleted", "{}", false), ("!@.deleted", "{}", true), ("@[*]", "[]", false),
            ("@..id", #"[[{"id":1}]]"#, true),
            ("@", "null", true), ("$.all", "1", true), ("!$.none", "1", true),
            // && binds more tightly than ||.
            ("@.a || @.b && @.c", #"{"a":1}"#, true), ("(@.a || @.b) && @.c", #"{"a":1}"#, false),
            ("@.type == 'order' && !(@.n > 3 || @.tags[0])", #"{"type":"order","n":3,"tags":[]}"#, true),
            ("@.type == 'order' && !(@.n > 3 || @.tags[0])", #"{"type":"order","n":3,"tags":[1]}"#, false),
            // Nothing equals Nothing, and is neither less nor greater.
            ("@.a == @.b", "{}", true), ("@.a != @.b", "{}", false), ("@.a <= @.b", "{}", true),
            ("@.a < @.b", "{}", false), ("@.a == null", "{}", false), ("@.a == null", #"{"a":null}"#, true),
            ("@.a != null", "{}", true), ("@.a <= 1", "{}", false), ("length(@.a) == @.b", #"{"a":1}"#, true),
            // Only numbers and texts have an order.
            ("@.a < '2'", #"{"a":1}"#, false), ("@.a >= false", #"{"a":true}"#, false),
            ("@.a >= true", #"{"a":true}"#, true), ("@.a <= @.b", #"{"a":[1],"b":[2]}"#, false),
            ("@.a <= @.b", #"{"a":[1],"b":[1.0]}"#, true), ("@.a <= null", #"{"a":null}"#, true),
            ("@.a == '1'", #"{"a":1}"#, false), ("@.a == 1", #"{"a":true}"#, false),
            // Texts are in the order of scalars, not of UTF-16, and are not normalized.
            ("'\u{FFFF}' < '\u{10000}'", "1", true), ("'\u{212B}' > '\u{100}'", "1", true), ("'' < 'a'", "1", true),
            ("'a' < 'aa'", "1", true),
            ("'Z' < 'a'", "1", true), ("@ == 'é'", "\"e\u{301}\"", false), ("@ == 'é'", "\"\\u00e9\"", true),
            (#"@ == "it's""#, "\"it's\"", true), (#"@ == '\u0069\t\'\uD83D\uDE00'"#, "\"i\\t'😀\"", true),
            // Arrays and objects are equal as deep as they go.
            ("@.a == @.b", #"{"a":{"x":1,"y":[1,{"z":null}]},"b":{"y":[1.0,{"z":null}],"x":1}}"#, true),
            ("@.a == @.b", #"{"a":{"x":1,"y":[1,{"z":null}]},"b":{"y":[1,{"z":0}],"x":1}}"#, false),
            ("@.a == @.b", #"{"a":{"x":1},"b":{"x":1,"y":1}}"#, false), ("@.a == @.b", #"{"a":[1],"b":[1,1]}"#, false),
            ("@.a == @.b", #"{"a":{"x":1,"x":2},"b":{"x":2}}"#, true), ("@.a == @.b", #"{"a":[],"b":{}}"#, false),
            // Functions.
            ("length(@) == 3", #""é😀a""#, true), ("length(@) == 2", "[1,[2,3]]", true),
            ("length(@) == 1", #"{"a":[1,2]}"#, true), ("length(@) == 0", #""""#, true),
            ("length('ab') == 2", "1", true),
            ("length(@) == 4", "1234", false), ("length(length(@)) == @.a", "1", true),
            ("length(value(@..a)) == 2", #"[{"a":"xy"}]"#, true),
            ("count(@.*) == 2", "[1,2]", true), ("count(@[0,0]) == 2", "[1]", true), ("count(@.a) == 0", "[1]", true),
            ("count(@..*) == 4", #"{"a":[1,{"b":2}]}"#, true), ("count(@) == 1", "1", true),
            ("count(@..[0,0]) == 4", "[[1]]", true), ("count(@..*..*) == 3", "[[[[]]]]", true),
            ("value(@..a) == 1", #"[{"a":1}]"#, true), ("value(@..a) == 1", #"[{"a":1},{"a":1}]"#, false),
            ("value(@[0,0]) == 1", "[1]", false), ("value(@.a[*]) == @.b", #"{"a":[]}"#, true),
            // Queries may have filters, whose @ is another.
            ("@.a[?@.b > 1]", #"{"a":[{"b":1},{"b":2}]}"#, true), ("@.a[?@.b > 2]", #"{"a":[{"b":1},{"b":2}]}"#, false),
            ("count(@.a[?@ == $.all]) == 2", #"{"a":[7,8,7]}"#, true), ("@[?@[?@[?@ == 1]]]", "[[[1]]]", true),
            ("@..[?@.a].b", #"[{"x":{"a":1,"b":2}}]"#, true),
            // Negative indices, slices, and names that configurations may contain.
            ("@[-1] == 3", "[1,2,3]", true), ("count(@[1:]) == 2", "[1,2,3]", true), ("@[::-1]", "[]", false),
            ("@.@odata.type == 'x'", #"{"@odata":{"type":"x"}}"#, true), ("@.a-b > -1", #"{"a-b":0}"#, true),
            (" \n@.a\t== 1 ", #"{"a":1}"#, true), ("@.a==1&&@.b==2||@.c", #"{"a":1,"b":2}"#, true),
        ])
    func `an expression holds or not`(expression: String, value: String, holds: Bool) throws {
        let filter = try FilterExpression(parsing: expression)
        try Document(#"{"all":7,"value":\#(value)}"#).withRoot { root in
            let node = try #require(root["value"])
            #expect(try filter.matches(node, root: root) == holds)
            var evaluation = FilterEvaluation(filter, root: root)
            #expect(try evaluation.matches(node) == holds)
            #expect(try evaluation.matches(node) == holds, "the second time")
        }
        #expect(filter.description == expression)
        #expect(try filter == FilterExpression(parsing: expression))
        #expect(try filter != FilterExpression(parsing: "\(expression) && @.x"))
    }

    @Test func `expressions differ by their literals`() throws {
        #expect(try FilterExpression(parsing: "@ == 1").expression != FilterExpression(parsing: "@ == 2").expression)
        #expect(try FilterExpression(parsing: "@ == 1").expression != FilterExpression(parsing: "@ == '1'").expression)
        #expect(try FilterExpression(parsing: "@==1").expression == FilterExpression(parsing: "@ == 1").expression)
    }

    @Test func `one evaluation is for many values`() throws {
        let filter = try FilterExpression(parsing: "@.id == value($..max) && @.parts[?@.ok]")
        let document = try Document(
            #"{"rows":[{"id":1,"parts":[{"ok":1}]},{"id":2,"parts":[{"ok":1}]},{"id":2}],"meta":[{"max":2}]}"#)
        try document.withRoot { root in
            var evaluation = FilterEvaluation(filter, root: root)
            let verdicts = try root["rows"]?.elements.map { try evaluation.matches($0) }
            #expect(verdicts == [false, true, false])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `selectors with lists take no time that grows with the number of duplicates`() throws {
        let depth = 100
        let query = "@" + String(repeating: "[0,0]", count: depth)
        let document = try Document(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1))
        let short = "@" + String(repeating: "[0,0]", count: 40)
        let descendants = "@" + String(repeating: "..[0]", count: 50)
        for expression in [
            query, "!\(query)[1]", "count(\(query)) == \(Int.max)", "count(\(short)) == \(1 << 40)",
            "\(descendants)[0]",
        ] {
            let filter = try FilterExpression(parsing: expression)
            #expect(try document.withRoot { try filter.matches($0, root: $0) }, "\(expression)")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["@", "$"])
    func `nested filters take no time that grows with the number of ways through them`(origin: String) throws {
        let text = (0..<30).reduce("@ == 1") { inner, _ in "\(origin)..[?\(inner)]" }
        let values = String(repeating: "[0,", count: 40) + "0" + String(repeating: "]", count: 40)
        let filter = try FilterExpression(parsing: text)
        #expect(try !Document(values).withRoot { try filter.matches($0, root: $0) })
    }

    private static let expensive = [
        "$..[?@..x]", "@..[?count(@..*) < 0]", "$..[?length($.long) < 0]", "$..[?@ == $.whole && 1 == 2]",
        "$..[?@ < $.digits && 1 == 2]", "$..[?$.list[-1] == 2]",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: expensive)
    func `an expression that takes the square of a document's length is given up`(expression: String) throws {
        let nested = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let list = (0..<8).map { _ in nested }.joined(separator: ",") + String(repeating: ",1", count: 2_000)
        let long = String(repeating: "1", count: 4_000)
        let document = try Document(
            #"{"list":[\#(list)],"long":"\#(long)","digits":\#(long),"whole":[\#(list)]}"#)
        let filter = try FilterExpression(parsing: expression)
        #expect(throws: FilterLimitError.self) {
            try document.withRoot { root throws(FilterLimitError) in try filter.matches(root, root: root) }
        }
    }

    @Test(arguments: [
        "@..a..b", "@..[?@.id == 7]", "count($..id) > 1000 && @.id >= 0", "@.id >= $.list[0].id",
        "length(@.name) == 5 || @.name > 'z'",
    ])
    func `an expression that fits a page of many records is not given up`(expression: String) throws {
        let records = (0..<2000).map { #"{"id":\#($0),"name":"zebra","a":[{"c":{"b":1}}]}"# }
        let document = try Document(#"{"list":[\#(records.joined(separator: ","))]}"#)
        let filter = try FilterExpression(parsing: expression)
        try document.withRoot { root in
            var evaluation = FilterEvaluation(filter, root: root)
            let list = try #require(root["list"])
            var count = 0
            for record in list.elements where try evaluation.matches(record) { count += 1 }
            #expect(count == (expression.contains("== 7") ? 0 : 2000))
        }
    }

    @Test func `equal values may be as deep as a document`() throws {
        let value = String(repeating: "[{\"a\":", count: 250) + "1" + String(repeating: "}]", count: 250)
        let filter = try FilterExpression(parsing: "@[0] == @[1] && @[0] != @[2]")
        let other = value.replacing("1", with: "2")
        #expect(try Document("[\(value),\(value),\(other)]").withRoot { try filter.matches($0, root: $0) })
    }
}
