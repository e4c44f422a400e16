import GarnerJSON
import Testing

struct FilterSyntaxTests {
    static let operand = "a query such as @.name, a value or a function expected"
    static let untested = "a value or the result of a function must be compared, as in count(@.tags) > 2"
    static let plural = "a compared query must be of names and indices alone; use value(…) or count(…)"
    static let number = "a number as in JSON expected, such as -1.5e3"
    static let deep = "parentheses and filters may be nested 32 deep"

    @Test(
        arguments: [
            ("", 0, "an expression expected, such as @.type == 'order'"),
            ("  ", 2, "an expression expected, such as @.type == 'order'"),
            ("?@.a", 0, "leave out the '?', as in @.type == 'order'"),
            ("@.a @.b", 4, "'&&', '||' or the end expected"), ("@.a)", 3, "'&&', '||' or the end expected"),
            ("@.a & @.b", 4, "'&&', '||' or the end expected"), ("@.a and @.b", 4, "'&&', '||' or the end expected"),
            ("@.a == 1 == 2", 9, "'&&', '||' or the end expected"), ("(@.a) == 1", 6, "'&&', '||' or the end expected"),
            ("(@.a", 4, "'&&', '||' or ')' expected"), ("(@.a]", 4, "'&&', '||' or ')' expected"),
            ("!@.a == 1", 0, "'!' needs parentheses: !(… == …)"),
            ("@.a = 1", 4, "values are compared with '=='"),
            ("@.a =~ 'b'", 4, "there is no '=~', as patterns are not supported; values are compared with '=='"),
            ("@.a ==", 6, operand), ("@.a &&", 6, operand), ("|| @.a", 0, operand), ("!", 1, operand),
            ("!!@.a", 1, operand), ("()", 1, operand), ("@.a == (1)", 7, operand), ("@.a == +1", 7, operand),
            ("@.a == [1]", 7, operand), ("(1) ", 1, untested), ("count()==1", 6, operand), ("@.a == é", 7, operand),
            ("true", 0, untested), ("'a' || @.a", 0, untested), ("!1", 1, untested),
            ("@.a && length(@.b)", 7, untested),
            ("@.a == True", 7, "'True' is not a value; write a member as @.True, and a text in quotes"),
            ("type == 'x'", 0, "'type' is not a value; write a member as @.type, and a text in quotes"),
            ("count (@.a) == 1", 0, "'count' is not a value; write a member as @.count, and a text in quotes"),
            ("@.* == 1", 0, plural), ("1 < @..a", 4, plural), ("@[0:1] == 1", 0, plural), ("@[0,1] == 1", 0, plural),
            ("@[?@.a] == 1", 0, plural), ("$.a[*] == 1", 0, plural),
            ("@ == 01", 5, number), ("@ == 1.", 5, number), ("@ == -", 5, number), ("@ == 1e", 5, number),
            ("@ == 1-1", 5, number), ("-", 0, number),
            ("match(@.a, 'b')", 0, "match() and search() are not supported"),
            ("@.a && search(@.a, 'b')", 7, "match() and search() are not supported"),
            ("sum(@.a) == 1", 0, "'sum' is not a function; those are length(), count() and value()"),
            ("length(@.a, 1) == 1", 10, "')' expected, since length() takes one argument"),
            ("length(@.a == 1) == 1", 11, "')' expected, since length() takes one argument"),
            ("count(1) == 1", 6, "count() takes a query, such as @.tags[*]"),
            ("value( 'a') == 1", 7, "value() takes a query, such as @.tags[*]"),
            ("count(length(@.a)) == 1", 6, "count() takes a query, such as @.tags[*]"),
            ("length(@.*) == 1", 7, "length() takes one value; use count(…) for the values of a query"),
            ("@.a == 'b", 9, "a closing quote expected"),
            ("@.a == 'b\"", 10, "a closing quote expected"),
            (#"@.a == "\'""#, 9, #"an escape is one of \b \f \n \r \t \/ \\ \uXXXX, or '\' and the quote around it"#),
            ("@.", 2, "a name expected; write an odd one as ['odd name']"),
            ("@[a]", 2, "an index, a slice, a quoted name or '*' expected"),
            ("@[?]", 3, operand), ("@[?@.a", 6, "',' or ']' expected"), ("@[?@.a == 1 2]", 12, "',' or ']' expected"),
            (String(repeating: "(", count: 33) + "@", 33, deep), (String(repeating: "@[?", count: 33), 99, deep),
            (String(repeating: "length(", count: 33), 231, deep), (String(repeating: "!(", count: 500_000), 66, deep),
        ] as [(String, Int, String)])
    func `an invalid expression is refused with a reason`(expression: String, offset: Int, reason: String) throws {
        let error = try #require(throws: SelectorError.self) { try FilterExpression(parsing: expression) }
        #expect(error.reason == reason)
        #expect(error.offset == offset)
        #expect(error.selector == expression)
    }

    @Test(arguments: [
        String(repeating: "(", count: 32) + "@.a" + String(repeating: ")", count: 32),
        "@" + String(repeating: "[?@", count: 32) + String(repeating: "]", count: 32),
        String(repeating: "length(", count: 32) + "@" + String(repeating: ")", count: 32) + " != 1",
        String(repeating: "!(", count: 32) + "@.a" + String(repeating: ")", count: 32),
        "@.a" + String(repeating: " && @.a || @.a", count: 10_000),
        "@" + String(repeating: ".a", count: 10_000) + " || @.a",
    ])
    func `an expression may be as deep as the limit, and as long as it likes`(expression: String) throws {
        let filter = try FilterExpression(parsing: expression)
        let value = String(repeating: "[{\"a\":1},", count: 70) + "1" + String(repeating: "]", count: 70)
        #expect(try Document("{\"a\":\(value)}").withRoot { try filter.matches($0, root: $0) })
    }
}
