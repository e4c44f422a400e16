import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// Records of other forms than a list of objects.
struct RecordShapeTests {
    private static let shapes: [(RecordShape, String?, String, [String])] = [
        (
            .columns, "$.hourly", #"{"hourly":{"time":["a","b"],"t":[1.50,12345678901234567890123]}}"#,
            [#"{"time":"a","t":1.50}"#, #"{"time":"b","t":12345678901234567890123}"#]
        ),
        (.columns, nil, #"{"a":[],"b":[]}"#, []),
        (.columns, "$[*]", #"[{"a":[1]},{"a":[2]}]"#, [#"{"a":1}"#, #"{"a":2}"#]),
        (
            .entries(keyField: "symbol", valueField: "value"), "$.rates", #"{"rates":{"EUR":1.10,"US\"D":{"x":[1]}}}"#,
            [#"{"symbol":"EUR","value":1.10}"#, #"{"symbol":"US\"D","x":[1]}"#]
        ),
        (
            .entries(keyField: "k", valueField: "v"), nil, #"{"a":null,"b":[1],"c":{}}"#,
            [#"{"k":"a","v":null}"#, #"{"k":"b","v":[1]}"#, #"{"k":"c"}"#]
        ),
        (
            .rows(.list(["a", "b"])), "$.data", #"{"data":[[1,"x"],[2,null]]}"#,
            [#"{"a":1,"b":"x"}"#, #"{"a":2,"b":null}"#]
        ),
        (.rows(.first), nil, #"[["a","b"],[1,2]]"#, [#"{"a":1,"b":2}"#]), (.rows(.first), nil, "[]", []),
        (.rows(.path("$.names")), "$.data", #"{"names":["a"],"data":[[1]]}"#, [#"{"a":1}"#]),
        (.rows(.path("$.cols[*].name")), "$.data", #"{"cols":[{"name":"a"}],"data":[[7]]}"#, [#"{"a":7}"#]),
        (.rows(.list(["a"])), "$.data", #"{"data":null}"#, []),
    ]

    @Test(arguments: shapes)
    func `records are taken out of other forms, to the last digit`(
        shape: RecordShape, selector: String?, body: String, records: [String]
    ) async throws {
        #expect(try await storedTexts(body, at: selector) { $0.recordShape = shape } == records.map(canonicalRecord))
    }

    private static let misshapen: [(RecordShape, String, String)] = [
        (.columns, #"{"a":[1,2],"b":[1]}"#, "'a' has 2 values, and 'b' 1"), (.columns, #"{"a":1}"#, "'a' is no array"),
        (.columns, "[1]", "$ selects no object of arrays"), (.columns, "{}", "$ selects an object without arrays"),
        (.entries(keyField: "k", valueField: "v"), "[1]", "$ selects no object of entries"),
        (.entries(keyField: "k", valueField: "v"), #"{"a":{"k":1}}"#, "entry 1 has a field 'k' of its own"),
        (.rows(.list(["a"])), "[[1,2]]", "row 1 has 2 values for 1 name"),
        (.rows(.list(["a"])), "[1]", "row 1 is no array"),
        (.rows(.list(["a"])), #"{"a":1}"#, "the rows are no array"),
        (.rows(.first), "[[1]]", "the first row has no names"),
        (.rows(.path("$.x")), "[[1]]", "$.x does not select the names of the values"),
    ]

    @Test(arguments: misshapen)
    func `another form is refused, and nothing of it is stored`(
        shape: RecordShape, body: String, reason: String
    ) async {
        guard case .shape(reason, _)? = await storingProblem(body, { $0.recordShape = shape }) else {
            Issue.record("it is not refused as \(reason)")
            return
        }
    }

    @Test(arguments: [#"{"error":"busy"}"#, #"{"success":false,"error":"x"}"#, #"{"error":{"code":5,"message":"no"}}"#])
    func `a refusal is no entry, unless the records have a place of their own`(body: String) async throws {
        for shape in [RecordShape.entries(keyField: "k", valueField: "v"), .columns] {
            guard case .refusal? = await storingProblem(body, { $0.recordShape = shape }) else {
                Issue.record("\(shape)")
                continue
            }
        }
        let texts = try await storedTexts(body, at: "$") { $0.recordShape = .entries(keyField: "k", valueField: "v") }
        #expect(!texts.isEmpty)
    }

    @Test func `a place that is missing is named`() async {
        #expect(
            await storingProblem(#"{"data":{}}"#, at: "$.rates") { $0.recordShape = .columns }
                == .missingPath(selector: "$.rates", found: ["data"]))
    }

    @Test(arguments: [
        (#"[["id","t"],[2,3]]"#, true), (#"[["2","3"]]"#, false), (#"[["t","id"],[3,2]]"#, false), ("[]", true),
    ])
    func `rows that are named by the first of them are so on each page, also in a read that goes on`(
        rows: String, areAccepted: Bool
    ) async throws {
        func page(_ body: String, at position: PagePosition? = nil) async throws -> Page {
            let fetcher = try scriptedFetcher(Paginator(), body: body) {
                ($0.recordShape, $0.recordSelector) = (.rows(.first), "$.data")
            }
            return try await fetcher.page(at: position ?? fetcher.firstPosition)
        }
        let first = try await page(#"{"data":[["id","t"],[1,2]],"next":"?page=2"}"#)
        let next = try #require(first.next.flatMap { PagePosition(checkpoint: $0.checkpoint) })
        let kind = await failureKind { try await page(#"{"data":\#(rows),"next":null}"#, at: next) }
        guard !areAccepted else {
            #expect(kind == nil)
            return
        }
        guard case .shape(let reason, _)? = kind else {
            Issue.record("\(String(describing: kind))")
            return
        }
        #expect(reason.hasPrefix("the first row has other names than on the page before"))
    }

    @Test(arguments: [
        RecordShape.columns, .entries(keyField: "k", valueField: "v"), .rows(.first),
    ])
    func `a body that is null has no records, and does not say that there are none`(shape: RecordShape) async {
        #expect(await storingProblem("null") { $0.recordShape = shape } == .scalar(found: "null"))
    }

    @Test(arguments: [
        #"{"message":"Internal error"}"#, #"{"status":500}"#, #"{"error":"","message":"x","code":7}"#,
        #"{"type":"about:blank","title":"Gone","detail":"x","status":410}"#,
    ])
    func `an error in place of a map is no map`(body: String) async {
        guard case .refusal? = await storingProblem(body, { $0.recordShape = .entries(keyField: "k", valueField: "v") })
        else {
            Issue.record("the error was taken for records")
            return
        }
    }

    @Test(arguments: [RecordShape.columns, .rows(.first)])
    func `records may not become larger than a body may be`(shape: RecordShape) async {
        let name = String(repeating: "x", count: 500)
        let numbers = (0..<20).map { "\($0)" }
        let body =
            shape == .columns
            ? #"{"\#(name)":[\#(numbers.joined(separator: ","))]}"#
            : #"[["\#(name)"],\#(numbers.map { "[\($0)]" }.joined(separator: ","))]"#
        #expect(
            await storingProblem(body) {
                $0.recordShape = shape
                $0.limits.body = 4_000
            } == .bodyTooLarge(limit: 4_000))
    }
}
