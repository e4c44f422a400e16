import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// What becomes of the records of a response before they are stored.
struct RecordTransformTests {
    private static let selectors = [
        "$..data[*]", "$.data[0:3]", "$.data[0,1]", "$['data','items'][*]", "$.*[*]", "$.data[*]", "$.data[*].x",
        "$..id",
    ]

    /// A body with a selector, the line of the advice, and what follows it.
    @Test(arguments: [
        (#"{"data":[{"id":1},{"id":2}],"meta":{"count":2}}"#, "$[*]", "record_selector: $.data[*]", "$.data[*]"),
        (
            #"{"data":[{"id":1,"attributes":{"a":2}}]}"#, "$.data[*].attributes", "record_selector: $.data[*]",
            "$.data[*]"
        ),
        (#"[["NAME","POP"],["Alabama","5"]]"#, "$[*]", "record_shape: { type: rows, names: first }", nil),
    ])
    func `records that are likely to be parts of others are told of with the line for all of them`(
        body: String, selector: String, line: String, mended: String?
    ) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = selector }
        #expect(page.warning?.hasSuffix("write \(line)") == true, "\(page.warning ?? "")")
        guard let mended else { return }
        let right = try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = mended }
        #expect(right.warning == nil && right.recordCount > 0)
    }

    @Test(arguments: [("state", "opne", true), ("limit", "5", false), ("since", "{now}", false)])
    func `an empty first list names the parameters that may be the reason`(
        name: String, value: String, isTold: Bool
    ) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: "[]") {
            $0.request.params = [.init(name: name, value: .literal(value))]
        }
        #expect(page.warning == (isTold ? "the list is empty; if it should not be, look at \(name) in params" : nil))
    }

    @Test(arguments: [
        ("@.gone == null", "@.gone is missing, which is not null: write (@.gone == null || !@.gone)"),
        ("@.shut == 'false'", "@.shut is false, which is written without quotes"),
        ("@.shut == true", "@.shut is false"),
    ])
    func `what a filter compares and does not find is told`(filter: String, finding: String) async throws {
        let body = #"[{"id":1,"shut":false},{"id":2,"gone":3,"shut":false}]"#
        let page = try await scriptedPage(Paginator(.singlePage), body: body) {
            $0.recordFilter = try? FilterExpression(parsing: filter)
        }
        #expect(page.facts.filterMismatch == finding)
    }

    @Test(arguments: selectors, [#"{"mood":"bad"}"#, #"{"error":"busy"}"#, #"{"data":"x"}"#])
    func `a body without the list that a selector names is no empty page`(selector: String, body: String) async {
        switch await storingProblem(body, at: selector, { _ in }) {
        case .missingPath, .noArray, .refusal: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(arguments: selectors.dropLast(), [#"{"data":[]}"#])
    func `an empty list is an empty page`(selector: String, body: String) async throws {
        #expect(try await storedTexts(body, at: selector) { _ in } == [])
    }

    @Test(arguments: ["$..a..b", "$[0,0][0,0][0,0][0,0]", "$[0,-1][0,-1][0,-1][0,-1]"])
    func `a selector that multiplies its values is refused`(selector: String) async {
        #expect(await storingProblem("[]", at: selector) { _ in }?.category == .misconfigured)
    }

    private static func rules(_ change: (inout FieldRules) -> Void) -> FieldRules {
        var rules = FieldRules()
        change(&rules)
        return rules
    }

    private static func path(_ names: String) -> FieldPath {
        guard let path = FieldPath(names) else { preconditionFailure("\(names) is no path") }
        return path
    }

    private static let losses: [([String], Document.Notes)] = [
        (["none"], [.duplicateKeys, .replacedSurrogates]), (["a"], .replacedSurrogates), (["t"], .duplicateKeys),
        (["a", "t"], []),
    ]

    @Test(arguments: losses)
    func `what is left out is not told as not preserved`(dropped: [String], notes: Document.Notes) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: #"[{"id":1,"a":1,"a":2,"t":"\ud800"}]"#) {
            $0.fields = Self.rules { $0.drop = dropped.map(Self.path) }
        }
        guard case .records(let records) = page.content else {
            Issue.record("the page has no records")
            return
        }
        #expect(records.document.notes == notes)
    }

    private static let record =
        #"[{"id":1.0,"name":"Otto","contact":{"email":"o@x","tel":[{"n":1,"x":2},{"n":3}]},"n":null}]"#

    private static let treatments: [(FieldRules, String)] = [
        (rules { $0.keep = [path("id"), path("n")] }, #"{"id":1.0,"n":null}"#),
        (
            rules { $0.keep = [path("$.contact.email")] }, #"{"contact":{"email":"o@x"}}"#
        ),
        (
            rules { $0.drop = [path("contact"), path("none")] }, #"{"id":1.0,"name":"Otto","n":null}"#
        ),
        (
            rules { $0.drop = [path("$.contact.tel.x"), path("name"), path("n")] },
            #"{"id":1.0,"contact":{"email":"o@x","tel":[{"n":1},{"n":3}]}}"#
        ),
        (
            rules {
                $0.keep = [path("id"), path("contact")]
                $0.drop = [path("$.contact.tel")]
            }, #"{"id":1.0,"contact":{"email":"o@x"}}"#
        ),
        (
            rules {
                $0.keep = [path("id"), path("name")]
                $0.renames = [.init(field: path("name"), name: "title"), .init(field: path("id"), name: "name")]
            }, #"{"name":1.0,"title":"Otto"}"#
        ),
        (
            rules {
                $0.keep = [path("name"), path("n"), path("id")]
                $0.renames = [.init(field: path("name"), name: "who")]
                $0.hash = .init(fields: [path("who"), path("n"), path("id")], key: Secret("key"))
            },
            // printf Otto | openssl dgst -sha256 -hmac key; the same of 1.0
            #"{"id":"\#(hmacOfNumber)","who":"\#(hmacOfName)","n":null}"#
        ),
        // A type of the whole takes nothing from the rules for its members.
        (
            rules {
                $0.keep = [path("$.contact.tel.x")]
                $0.types = [.init(field: path("contact"), type: .text)]
            }, #"{"contact":"{\"tel\":[{\"x\":2},{}]}"}"#
        ),
        (
            rules {
                $0.drop = [path("$.contact.email"), path("id"), path("n")]
                $0.types = [.init(field: path("contact"), type: .integer)]
            }, #"{"name":"Otto","contact":{"tel":[{"n":1,"x":2},{"n":3}]}}"#
        ),
        (
            rules {
                $0.keep = [path("contact")]
                $0.drop = [path("$.contact.tel")]
                $0.hash = .init(fields: [path("$.contact.email")], key: Secret("key"))
                $0.types = [.init(field: path("contact"), type: .text)]
            }, #"{"contact":"{\"email\":\"\#(hmacOfMail)\"}"}"#
        ),
    ]

    private static let hmacOfMail = "2657d9d1ae800fbda5f91e721710c13dfd4a8e0a0220a58f15dd00e580e1688c"
    private static let hmacOfName = "2c52c8182d369ff5480a28f05f64e0b7653a7eed8a08a1298bdf707dc7f4427b"
    private static let hmacOfNumber = "a41eb38d3683b8e636a86734b4d4f18ac95cc6dfd3ae2656c299fc28c20b6795"

    @Test(arguments: treatments)
    func `fields are kept, dropped, renamed and hashed in this order`(rules: FieldRules, record: String) async throws {
        #expect(try await storedTexts(Self.record) { $0.fields = rules } == [canonicalRecord(record)])
    }

    private static func adding(_ templates: FieldTemplate...) -> FieldRules {
        rules { $0.additions = [AddedColumn(name: "new", content: .composed(templates))] }
    }

    private static func record(_ path: String...) -> FieldTemplate { FieldTemplate(parts: [.record(path)]) }

    /// Columns of what is in a record, and their values.
    private static let composed: [(FieldRules, String)] = [
        (adding(record("id")), "1.0"), (adding(record("contact", "email")), #""o@x""#),
        (adding(record("contact", "tel", "0", "x")), "2"), (adding(record("contact", "tel", "2")), "null"),
        (adding(record("contact", "tel")), #"[{"n":1,"x":2},{"n":3}]"#), (adding(record("none", "x")), "null"),
        (adding(record("n"), record("none"), record("name"), record("id")), #""Otto""#),
        (adding(FieldTemplate(parts: [.record(["name"]), .literal(" "), .record(["id"])])), #""Otto 1.0""#),
        (adding(FieldTemplate(parts: [.record(["name"]), .record(["n"])]), record("id")), "1.0"),
    ]

    @Test(arguments: composed)
    func `a column is made of members as they come, also of those that are dropped`(
        added: FieldRules, value: String
    ) async throws {
        var rules = added
        rules.drop = [Self.path("contact"), Self.path("name"), Self.path("n")]
        #expect(
            try await storedTexts(Self.record) { $0.fields = rules } == [
                canonicalRecord(#"{"id":1.0,"new":\#(value)}"#)
            ])
    }

    /// Columns of a record with empty texts, and their values.
    private static let empties: [(FieldRules, String)] = [
        (adding(record("e")), "\"\""), (adding(record("e"), record("id")), "1"),
        (adding(record("e"), record("e")), "null"),
        (adding(FieldTemplate(parts: [.record(["e"]), .record(["e"])]), record("id")), "1"),
        (adding(FieldTemplate(parts: [.record(["e"]), .literal("-")]), record("id")), #""-""#),
        (adding(record("list"), record("id")), "[]"),
    ]

    @Test(arguments: empties)
    func `an empty text in a list of members is no value`(added: FieldRules, value: String) async throws {
        let texts = try await storedTexts(#"[{"id":1,"e":"","list":[]}]"#) { $0.fields = added }
        #expect(texts == [canonicalRecord(#"{"id":1,"e":"","list":[],"new":\#(value)}"#)])
    }

    @Test func `a record with the name of such a column is refused, unless that field is dropped`() async throws {
        var rules = Self.adding(Self.record("a", "id"))
        #expect(
            await storingProblem(#"[{"a":{"id":1},"new":2}]"#) { $0.fields = rules }
                == .shape(reason: "a record has the field 'new', which 'add' makes of others"))
        rules.drop = [Self.path("new"), Self.path("a")]
        #expect(try await storedTexts(#"[{"a":{"id":1},"new":2}]"#) { $0.fields = rules } == [#"{"new":1}"#])
    }

    @Test(arguments: [
        (Template.Placeholder.incrementalStart, nil, "null"), (.incrementalStart, "7", "7"),
        (.incrementalStart, "2026-01-31T00:00:00Z", #""2026-01-31T00:00:00Z""#), (.incrementalEnd, nil, #""9z""#),
    ])
    func `a column has a bound of the read`(bound: Template.Placeholder, start: String?, value: String) async throws {
        let fetcher = try scriptedFetcher(Paginator(.singlePage), body: #"[{"id":1}]"#) {
            $0.incremental = Incremental(cursorField: "id")
            $0.fields = Self.adding(FieldTemplate(parts: [.value(bound)]))
        }
        let position = try fetcher.firstPosition(filling: [:], window: ReadWindow(start: start, end: "9z"))
        #expect(try await fetcher.page(at: position).texts == [#"{"id":1,"new":\#(value)}"#])
    }

    private static let lookalikes: [(FieldRules, String)] = [
        (rules { $0.drop = [path("\u{E9}")] }, "{\"e\u{301}\":2,\"id\":3}"),
        (rules { $0.keep = [path("id"), path("e\u{301}")] }, "{\"e\u{301}\":2,\"id\":3}"),
        (
            rules { $0.renames = [.init(field: path("\u{E9}"), name: "y")] }, "{\"y\":1,\"e\u{301}\":2,\"id\":3}"
        ),
        (
            rules {
                $0.renames = [.init(field: path("id"), name: "\u{E9}")]
                $0.drop = [path("\u{E9}")]
                $0.types = [.init(field: path("\u{E9}"), type: .text)]
            }, "{\"e\u{301}\":2,\"\u{E9}\":\"3\"}"
        ),
    ]

    @Test(arguments: lookalikes)
    func `a rule for a name does not hold for another one that looks like it`(
        rules: FieldRules, record: String
    ) async throws {
        let texts = try await storedTexts("[{\"\u{E9}\":1,\"e\u{301}\":2,\"id\":3}]") { $0.fields = rules }
        // Strings of Swift would be equal, too, if they looked alike.
        #expect(texts.map { Array($0.utf8) } == [Array(canonicalRecord(record).utf8)])
    }

    private static let typed: [(FieldType, String, String)] = [
        (.text, "123456789012345678901234567890.10", #""123456789012345678901234567890.10""#),
        (.text, "-0", #""-0""#), (.text, "true", #""true""#), (.text, #""a\"b""#, #""a\"b""#), (.text, "null", "null"),
        (.text, #"{"b":1.0,"a":["x"]}"#, #""{\"a\":[\"x\"],\"b\":1.0}""#),
        (.integer, #""12""#, "12"), (.integer, #""-9223372036854775808""#, "-9223372036854775808"),
        (.integer, #""9223372036854775808""#, #""9223372036854775808""#), (.integer, #""012""#, #""012""#),
        (.integer, #""+1""#, #""+1""#), (.integer, #""-0""#, #""-0""#), (.integer, #"" 1""#, #"" 1""#),
        (.integer, #""1.0""#, #""1.0""#), (.integer, "1.0", "1.0"), (.integer, "\"\"", #""""#),
        (.real, #""1.5""#, "1.5"), (.real, "12", "12.0"), (.real, #""-3""#, "-3.0"),
        (.real, "9007199254740993", "9007199254740993"),
        (.real, #""0.1000000000000000055""#, #""0.1000000000000000055""#),
        (.real, #""1e400""#, #""1e400""#), (.real, #""NaN""#, #""NaN""#), (.real, #""[1]""#, #""[1]""#),
        (.real, #""1 ""#, #""1 ""#),
        (.boolean, #""true""#, "true"), (.boolean, "0", "false"), (.boolean, "1", "true"), (.boolean, "2", "2"),
        (.boolean, #""yes""#, #""yes""#), (.boolean, "1.0", "1.0"),
        (.numeric, #""19.99""#, "19.99"), (.numeric, #""1.10""#, "1.10"), (.numeric, #""12""#, "12"),
        (.numeric, "12", "12"), (.numeric, "1.10", "1.10"), (.numeric, #""-0""#, "-0"),
        (.numeric, #""1e400""#, "1e400"),
        (.numeric, #""1234567890123456789012345678901234567890""#, "1234567890123456789012345678901234567890"),
        (.numeric, #""012""#, #""012""#), (.numeric, #""n/a""#, #""n/a""#), (.numeric, "true", "true"),
    ]

    @Test(arguments: typed)
    func `a value gets its declared type if that loses nothing, else it stays`(
        type: FieldType, value: String, stored: String
    ) async throws {
        let rules = Self.rules {
            $0.renames = [.init(field: Self.path("a"), name: "b")]
            $0.types = [.init(field: Self.path("b"), type: type), .init(field: Self.path("$.c.d"), type: type)]
        }
        let texts = try await storedTexts(#"[{"a":\#(value),"c":[{"d":\#(value)}],"e":"12"}]"#) { $0.fields = rules }
        #expect(texts == [canonicalRecord(#"{"b":\#(stored),"c":[{"d":\#(stored)}],"e":"12"}"#)])
    }

    @Test func `records that do not meet the condition are counted, and not stored`() async throws {
        let body = #"{"data":[{"id":1,"n":5},{"id":2,"n":6},{"id":3}],"total":6}"#
        let page = try await scriptedPage(Paginator(.offset(.init(limit: 3, totalPath: "$.total"))), body: body) {
            $0.recordFilter = try? FilterExpression(parsing: "@.n >= 6")
        }
        #expect(page.texts == [#"{"id":2,"n":6}"#])
        // The page was full, so that another follows.
        #expect(page.next?.url == "https://zoo.example/v1/animals?offset=3&limit=3")
    }

    @Test func `the condition sees fields as they come, and records of another shape`() async throws {
        let texts = try await storedTexts(#"{"a":[1,2],"secret":["x","y"]}"#) {
            $0.recordShape = .columns
            $0.recordFilter = try? FilterExpression(parsing: "@.secret == 'y'")
            $0.fields = Self.rules { $0.drop = [Self.path("secret")] }
        }
        #expect(texts == [#"{"a":2}"#])
    }

    private static let tombstones = #"[{"id":1,"n":5,"x":1},{"id":2,"gone":true},{"id":3},{"id":4,"gone":true,"n":7}]"#

    @Test func `a deleted record is told apart whatever the filter asks for, and before fields are left out`()
        async throws
    {
        let page = try await scriptedPage(Paginator(.singlePage), body: Self.tombstones) {
            $0.recordFilter = try? FilterExpression(parsing: "@.n")
            $0.deletedWhen = try? FilterExpression(parsing: "@.gone == true")
            $0.fields = Self.rules { $0.keep = [Self.path("id")] }
        }
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#, #"{"id":4}"#])
        #expect(page.deletions == [1, 2])
    }

    @Test func `where a table is replaced, a deleted record is told apart, too`() async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: Self.tombstones) {
            $0.writeDisposition = .replace
            $0.deletedWhen = try? FilterExpression(parsing: "@.gone")
        }
        #expect(page.texts.count == 4)
        #expect(page.deletions == [1, 3])
    }

    @Test func `a mark that asks for presence alone deletes no record that has it with false`() async throws {
        let body = #"[{"id":1,"gone":true},{"id":2,"gone":false},{"id":3}]"#
        let page = try await scriptedPage(Paginator(.singlePage), body: body) {
            $0.deletedWhen = try? FilterExpression(parsing: "@.gone")
        }
        #expect(page.texts.count == 3 && page.deletions == [0])
        #expect(page.verdict?.completeness == .unknown)
        #expect(
            page.doubt?.reason?.hasSuffix(
                #"@.gone is false; write deleted_when: "@.gone == true" if they are not deleted"#) == true)
    }

    @Test func `a new name that a record has already is refused`() async {
        let rules = Self.rules { $0.renames = [.init(field: Self.path("a"), name: "b")] }
        #expect(
            await storingProblem(#"[{"a":1,"b":2}]"#) { $0.fields = rules }
                == .shape(reason: "a record has the field 'b', which another is renamed to"))
    }

    private static let freed: [([String: String], [String], String)] = [
        (["a": "b"], ["b"], #"{"b":1}"#), (["a": "b", "b": "c"], [], #"{"b":1,"c":2}"#),
        (["a": "c"], [], #"{"b":2,"c":1}"#),
    ]

    @Test(arguments: freed)
    func `a field that has the new name of another may be dropped or renamed`(
        names: [String: String], dropped: [String], record: String
    ) async throws {
        let rules = Self.rules {
            $0.renames = names.map { .init(field: Self.path($0.key), name: $0.value) }
            $0.drop = dropped.map(Self.path)
        }
        #expect(try await storedTexts(#"[{"a":1,"b":2}]"#) { $0.fields = rules } == [record])
    }

    @Test func `nothing but the fields to keep is kept where a text stands in the place of an object`() async throws {
        let rules = Self.rules { $0.keep = [Self.path("$.a.b"), Self.path("c")] }
        let texts = try await storedTexts(
            #"[{"a":{"b":1,"x":2},"c":"y"},{"a":"x","c":{"x":3}},{"a":["x",{"b":4,"x":5},[6]]},"x",7]"#
        ) { $0.fields = rules }
        #expect(
            texts == [
                #"{"a":{"b":1},"c":"y"}"#, #"{"a":null,"c":{"x":3}}"#, #"{"a":[null,{"b":4},[null]]}"#, "null", "null",
            ])
    }

    @Test func `records that are no objects stay as they are`() async throws {
        #expect(
            try await storedTexts("[1,[2]]", at: "$[*]") { $0.fields = Self.rules { $0.drop = [Self.path("a")] } } == [
                "1", "[2]",
            ])
    }

    @Test func `fields that no record of the page has are named`() async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: #"[{"id":1,"a":{"b":1}},{"c":2}]"#) {
            $0.fields = Self.rules {
                $0.drop = ["c", "d", "$.a.b", "$.a.x"].map(Self.path)
                $0.renames = [.init(field: Self.path("e"), name: "f")]
            }
        }
        #expect(page.unseenFields.map(\.field.text) == ["d", "a.x", "e"])
        #expect(page.unseenFields.allSatisfy { $0.meant == nil }, "two records are too few to tell")
    }
}
