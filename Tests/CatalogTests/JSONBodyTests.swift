import GarnerCatalog
import Foundation
import Testing

struct JSONBodyTests {
    @Test(arguments: [
        ("1", BodyValue.number("1")), ("-0", .number("-0")), ("1.50", .number("1.50")), ("-2.5e+3", .number("-2.5e+3")),
        ("123456789012345678901234567890", .number("123456789012345678901234567890")),
        ("true", .flag(true)), ("False", .flag(false)), ("yes", .text(.literal("yes"))),
        ("\"1\"", .text(.literal("1"))), ("!!str 1", .text(.literal("1"))), ("\"null\"", .text(.literal("null"))),
        ("1_000", .text(.literal("1_000"))), ("1:30", .text(.literal("1:30"))), ("a", .text(.literal("a"))),
        ("2024-01-01", .text(.literal("2024-01-01"))), ("1.2.3", .text(.literal("1.2.3"))),
        ("\"${T}\"", .text(.secret(Secret("s3")))), ("{}", .object([])), ("[]", .array([])),
        ("[null, ~, 1]", .array([.null, .null, .number("1")])),
        (
            "{ b: { a: [x] }, a: }",
            .object([
                .init(name: "b", value: .object([.init(name: "a", value: .array([.text(.literal("x"))]))])),
                .init(name: "a", value: .null),
            ])
        ),
        ("{ password: x }", .object([.init(name: "password", value: .text(.secret(Secret("x"))))])),
        ("{ \"\": 1 }", .object([.init(name: "", value: .number("1"))])),
        (
            "{ &a 1: x, b: *a }",
            .object([.init(name: "1", value: .text(.literal("x"))), .init(name: "b", value: .number("1"))])
        ),
    ])
    func `any value can be sent`(text: String, expected: BodyValue) throws {
        let request = try Fixture.stream("json: \(text)", environment: ["T": "s3"]).request
        #expect(request.body == expected)
        #expect(request.method == .post)
    }

    @Test(arguments: ["+5", ".5", "5.", "012", "0x1F", "0o17", ".inf", "-.inf", ".nan", "1.e5", "-.5", "00"])
    func `a number that JSON cannot spell is refused`(text: String) {
        let issues = Fixture.issues(Fixture.streamText("json: [\(text)]"))
        #expect(issues.map(\.message) == ["'json[0]' is a number that JSON cannot spell"])
        #expect(issues.first?.hint?.contains("quotes") == true)
    }

    @Test(arguments: [
        ("json:", "'json' is empty"), ("json: ~", "'json' is empty"),
        ("json: { a: !x 1 }", "'json.a' has an unknown tag, '!x'"),
        ("json: [!x 1]", "'json[0]' has an unknown tag, '!x'"), ("json: { [a]: 1 }", "a key must be text"),
        ("json: { a: \"${\" }", "'json.a' has '${' without '}'"),
        ("method: post", "'method' cannot be 'post'"),
        ("method: DELETE", "'method' cannot be 'DELETE'"),
        ("form:", "'form' must be a mapping, not empty"), ("form: { a: }", "'form.a' must be text, not empty"),
        ("form: { a: [] }", "'form.a' is empty"),
        ("body: [a]", "'body' must be text, not a list"),
        ("json: {}\nform: { a: b }", "'zoo.animals' has 'json' and 'form', but a request has one body"),
        ("body: a\nform: { a: b }", "'zoo.animals' has 'form' and 'body', but a request has one body"),
        ("params: { a: [] }", "'params.a' is empty"),
    ])
    func `any other body says what is wrong`(lines: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.map(\.message) == [message])
    }

    @Test func `POST needs no body`() throws {
        #expect(try Fixture.stream("method: POST").request.method == .post)
        #expect(try Fixture.stream("method: POST").request.body == nil)
        #expect(try Fixture.stream("").request.method == .get)
        #expect(try Fixture.stream("method: POST\njson: []").request.body == .array([]))
    }

    @Test func `a body prints as JSON without its secrets`() throws {
        let body = BodyValue.object([
            .init(name: "a\"\n\u{1}", value: .array([.null, .flag(true), .number("1e5")])),
            .init(name: "s", value: .text(.secret(Secret("hunter2")))), .init(name: "ü", value: .text(.literal("\\🦒"))),
        ])
        #expect(body.description == #"{"a\"\n\u0001":[null,true,1e5],"s":"***","ü":"\\🦒"}"#)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(body.description.utf8)) }
    }

    @Test(arguments: [
        ("cursor, cursor_path: $.c, cursor_param: $.after", "{}", nil),
        ("cursor, cursor_path: $.c, cursor_param: $.page.after", "{ page: { size: 1 } }", nil),
        ("cursor, cursor_path: $.c, cursor_param: $.page.after", "{ page: 1 }", "has no place in the 'json'"),
        ("cursor, cursor_path: $.c, cursor_param: $.after", "[]", "has no place in the 'json'"),
        ("offset, offset_param: $.skip, limit_param: $.größe", "{}", nil),
        ("page_number, page_param: $.p, page_size: 5, page_size_param: $.s.t", "{ s: x }", "'$.s.t'"),
        ("header_cursor, cursor_header: X-Next, cursor_param: '$.a[0]'", "{}", "is no place in the body"),
        ("header_cursor, cursor_header: X-Next, cursor_param: $.", "{}", "is no place in the body"),
        ("header_cursor, cursor_header: X-Next, cursor_param: $..a", "{}", "is no place in the body"),
        ("header_cursor, cursor_header: X-Next, cursor_param: \"$.a['b']\"", "{}", "is no place in the body"),
        ("header_cursor, cursor_header: X-Next, cursor_param: $.*", "{}", "is no place in the body"),
        ("header_cursor, cursor_header: X-Next, cursor_param: $top", "{}", nil),
    ])
    func `a paginator may count in the body`(keys: String, json: String, problem: String?) {
        let issues = Fixture.issues(Fixture.streamText("paginator: { type: \(keys) }\njson: \(json)"))
        #expect(issues.count == (problem == nil ? 0 : 1), "\(issues)")
        if let problem { #expect(issues.first?.message.contains(problem) == true, "\(issues)") }
    }

    @Test(arguments: ["", "\njson: {}", "\nform: { a: b }", "\nbody: a"], [RequestTemplate.Method.put, .get])
    func `PUT and GET may have any body`(lines: String, method: RequestTemplate.Method) throws {
        #expect(try Fixture.stream("method: \(method.rawValue)\(lines)").request.method == method)
    }

    @Test func `a form has texts, lists and secrets`() throws {
        let request = try Fixture.stream(
            "form: { a: 1, b: [x, \"y z\"], c: \"${T}\", d: \"\" }", environment: ["T": "s3cret"]
        ).request
        #expect(request.method == .post && request.bodyFormat == .form)
        #expect(request.body?.description == #"{"a":"1","b":["x","y z"],"c":"***","d":""}"#)
        #expect(
            request.body?.withoutSecrets.revealed(as: .form, withSecretsOf: request.body).reveal()
                == "a=1&b=x&b=y+z&c=s3cret&d=")
        #expect(request.body?.withoutSecrets.revealed(as: .form, withSecretsOf: nil).reveal() == "a=1&b=x&b=y+z&d=")
    }

    @Test func `a raw body is sent as it is written`() throws {
        let request = try Fixture.stream("body: 'SELECT \"é\" & {x y}'").request
        #expect(request.method == .post && request.bodyFormat == .text)
        #expect(request.body?.revealed(as: .text, withSecretsOf: request.body).reveal() == "SELECT \"é\" & {x y}")
    }

    @Test(arguments: [
        ("form: { a: b }", "$.after", 0), ("form: { a: b }", "$.page.after", 1), ("body: a", "$.after", 1),
    ])
    func `a paginator counts in a field of a form, and never in a raw body`(body: String, place: String, count: Int) {
        let keys = "paginator: { type: cursor, cursor_path: $.c, cursor_param: \(place) }"
        #expect(Fixture.issues(Fixture.streamText("\(body)\n\(keys)")).count == count)
    }

    @Test func `a paginator cannot count in a body that is not sent`() {
        let issues = Fixture.issues(Fixture.streamText("paginator: { type: offset, offset_param: $.at }"))
        #expect(
            issues.map(\.message) == ["'$.at' of 'paginator' is a place in 'json', which 'zoo.animals' does not have"])
    }
}
