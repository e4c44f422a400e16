import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync
import TestSupport
import Testing

/// Columns of numbers and booleans, and values that are none.
@Suite(.timeLimit(.minutes(5)))
struct SetAsideTests {
    /// Syncs lists of values of one field, each with the same keys, and calls `body` after the last one.
    ///
    /// - Parameter type: The type that is configured from the second list on; nil for none.
    private static func sync(
        _ lists: [[String]], _ type: FieldType? = nil,
        _ body: @escaping @Sendable (SyncRig) throws -> Void
    ) async throws {
        let now = Watched<[String]>([])
        try await SyncRig.run({ _ in
            .json("[\(now.value.enumerated().map { #"{"id":\#($0),"v":\#($1)}"# }.joined(separator: ","))]")
        }) { rig in
            for (place, list) in lists.enumerated() {
                now.value = list
                let outcome = try await rig.sync(
                    rig.stream {
                        $0.paginator = Paginator(.singlePage)
                        $0.schemaContract.dataTypes = .setAside
                        $0.history = true
                        guard place > 0, let type, let field = FieldPath("v") else { return }
                        $0.fields.types = [.init(field: field, type: type)]
                    })
                #expect(outcome.failure == nil && outcome.record?.counts.quarantined == 0)
            }
            try body(rig)
        }
    }

    @Test(arguments: [#""n/a""#, #""A12""#, "7"])
    func `an empty object that came before its column is there with the next read`(value: String) async throws {
        let atOnce = Watched<[String]>([])
        try await Self.sync([["{}", value]]) { rig in atOnce.value = try Self.shown(rig) }
        #expect(atOnce.value.first?.contains("{}") == true)
        try await Self.sync([["{}"], ["{}", value], ["{}", value]]) { rig in
            let shown = try Self.shown(rig)
            #expect(shown == atOnce.value)
        }
    }

    private static func type(_ rig: SyncRig) throws -> String? {
        try rig.texts("SELECT type FROM pragma_table_info('animals') WHERE name = 'v'").first
    }

    /// The values as SQL sees them, with their types.
    private static func stored(_ rig: SyncRig) throws -> [String] {
        try rig.texts("SELECT coalesce(CAST(v AS TEXT), 'NULL') || ' ' || typeof(v) FROM animals ORDER BY id")
    }

    /// The values as they are exported in JSON.
    private static func shown(_ rig: SyncRig) throws -> [String] {
        let reader = try ReadOnlyDatabase(path: rig.path)
        let output = Watched<[UInt8]>([])
        _ = try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock()), limits: .none) {
            try reader.rows(for: RowRequest(table: "animals", columns: ["v"], order: "id"))
                .write(as: .ndjson) { bytes in output.change { $0 += bytes } }
        }
        return String(decoding: output.value, as: UTF8.self).split(separator: "\n").map {
            String($0.dropFirst(5).dropLast())
        }
    }

    @Test(
        arguments: [
            (["1", "2", #""n/a""#], "INTEGER", ["1 integer", "2 integer", "NULL null"]),
            (["1.5", "null", #""""#, "2"], "REAL", ["1.5 real", "NULL null", "NULL null", "2.0 real"]),
            (["true", "false", #""unknown""#], "BOOLEAN", ["1 integer", "0 integer", "NULL null"]),
            (["true", "false", "true", #""false""#], "BOOLEAN", ["1 integer", "0 integer", "1 integer", "0 integer"]),
            (
                ["1", "[]", "{}", "2", "3"], "INTEGER",
                ["1 integer", "NULL null", "NULL null", "2 integer", "3 integer"]
            ),
            (["1", #""2""#, #""-7""#], "INTEGER", ["1 integer", "2 integer", "-7 integer"]),
            (["1.5", #""2.50""#, #""3""#], "REAL", ["1.5 real", "2.5 real", "3.0 real"]),
            (["1", #""1.5""#], "REAL", ["1.0 real", "1.5 real"]),
            (["true", #""1""#], "INTEGER", ["1 integer", "1 integer"]),
            (["1", #""A12""#], "TEXT", ["1 text", "A12 text"]), (["1", #""012""#], "TEXT", ["1 text", "012 text"]),
            (["1", #""+49""#], "TEXT", ["1 text", "+49 text"]), (["1", #"[1]"#], "TEXT", ["1 text", "[1] text"]),
            (["1", #""12345678901234567890""#], "TEXT", ["1 text", "12345678901234567890 text"]),
            (["1", #""n/a""#, #""none""#], "TEXT", ["1 text", "n/a text", "none text"]),
            ([#""1""#, #""2""#], "TEXT", ["1 text", "2 text"]),
            ([#""n/a""#, "null"], "TEXT", ["n/a text", "NULL null"]),
            (["1", #""a text of more than 32 bytes, such as this one""#], "TEXT", nil),
        ] as [([String], String, [String]?)])
    func `placeholders and spellings leave a column what it is, and other values widen it`(
        values: [String], type: String, stored: [String]?
    ) async throws {
        // On the page that makes the table, in a table of numbers, and before them.
        let first = Array(repeating: values.first ?? "", count: values.count)
        let nulls = Array(repeating: "null", count: values.count)
        for lists in [[values], [first, values], [nulls, values]] {
            // A column of texts stays one.
            guard lists.count == 1 || !values[0].hasPrefix("\"") else { continue }
            try await Self.sync(lists) { rig in
                #expect(try Self.type(rig) == type, "\(lists)")
                if let stored { #expect(try Self.stored(rig) == stored, "\(lists)") }
                let isText = type == "TEXT"
                for (shown, value) in zip(try Self.shown(rig), values) where value.hasPrefix("\"") && !isText {
                    let isNumber = Double(value.dropFirst().dropLast()) != nil || value == #""false""#
                    #expect(isNumber || shown == value)
                }
            }
        }
    }

    @Test func `what was set aside is put back where the column becomes text, in old versions, too`() async throws {
        let (first, second) = (["1", #""2.50""#, #""n/a""#, "3.5"], ["1", #""2.50""#, #""n/a""#, #""A1""#])
        try await Self.sync([first, second]) { rig in
            let stored = try Self.stored(rig)
            let left = try rig.integers("SELECT count(*) FROM animals WHERE _garner_rest IS NOT NULL")
            let old = try rig.texts("SELECT v FROM _garner_history_animals WHERE id = 2")
            #expect(stored == ["1.0 text", "2.50 text", "n/a text", "A1 text"])
            #expect(left == [0] && old == ["n/a"])
        }
    }

    @Test func `one word for a time of no values does not outweigh the numbers of the table`() async throws {
        let added = Watched(0)
        try await SyncRig.run({ _ in
            added.value == 0
                ? .json(#"[{"id":1,"v":1},{"id":2,"v":2},{"id":3,"v":3}]"#)
                : .json(#"[{"id":\#(9 + added.value),"v":"n/a"}]"#)
        }) { rig in
            for round in 0...4 {
                added.value = round
                _ = try await rig.sync(rig.stream { $0.schemaContract.dataTypes = .setAside })
                #expect(try Self.type(rig) == (round < 4 ? "INTEGER" : "TEXT"))
            }
        }
    }

    /// Each page makes the column wider. The second read has all records on one page, so that each is compared with its row.
    @Test(arguments: [
        ["true", "false", "1.5", "true", #""A12""#, "false"], ["1", "{}", "2", #""A12""#, "{}", "null"],
        [#""a""#, "{}", "[]", "null", "{}", #""b""#], ["[1]", "{}", "[2]", "{}", "null", #""b""#],
    ])
    func `records that come again as they were change no row, whatever their column became`(values: [String])
        async throws
    {
        let pageSize = Watched(1)
        try await SyncRig.run({ request in
            let first = (request.page - 1) * pageSize.value
            let records = values.enumerated().dropFirst(first).prefix(pageSize.value).map {
                #"{"id":\#($0),"v":\#($1)}"#
            }
            let next = first + pageSize.value < values.count ? #""?page=\#(request.page + 1)""# : "null"
            return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
        }) { rig in
            for size in [1, 6] {
                pageSize.value = size
                let outcome = try await rig.sync(rig.stream { $0.history = true })
                #expect(outcome.record?.counts.updated == 0 && outcome.failure == nil, "\(outcome)")
                let shown = try Self.shown(rig)
                #expect(shown == values.map { $0 == "null" || $0.hasPrefix("\"") ? $0 : "\"\($0)\"" })
            }
        }
    }

    /// Lists of values, the type that is configured from the second one on, and what SQL sees and what is shown then.
    private static let columns: [([[String]], FieldType?, stored: [String]?, shown: [String]?)] = [
        // Texts that spell whole numbers in another way leave the column one of integers.
        (
            [["5", "6", "7"], [#""5.0""#, #""1e2""#, "7"]], nil, ["5 integer", "100 integer", "7 integer"],
            ["5", "100", "7"]
        ),
        // A boolean stays one as its column becomes one of integers and of texts.
        (
            [booleans, spelled + ["true", "true"], spelled + ["true", "5"]], nil, nil, ["true", "false", "true", "5"]
        ),
        (
            [booleans, spelled + ["true", "true"], spelled + ["1", "5"], spelled + ["1", #""x1""#]], nil, nil,
            [#""true""#, #""false""#, #""1""#, #""x1""#]
        ),
        // A double that is set aside keeps all of its digits.
        ([reals, reals], .integer, Array(repeating: "NULL null", count: 5), reals),
        // A configured type sets aside what does not fit, and makes a column of text one of numbers.
        (
            [codes, codes], .integer, ["1 integer", "NULL null", "NULL null", "7 integer"],
            ["1", #""A12""#, #""n/a""#, "7"]
        ),
        // A number keeps its digits beside the nearest one, also of a text.
        (
            [amounts, amounts], .numeric, ["19.99 real", "1.1 real", "9.00719925474099e+15 real", "NULL null"],
            ["19.99", "1.10", "9007199254740993", #""n/a""#]
        ),
        ([["1", #""n/a""#], ["1", #""n/a""#]], .text, ["1 text", "n/a text"], nil),
        ([["5", "50"], [#""A12""#, "50"], [#""A12""#, "50"]], nil, ["A12 text", "50 text"], nil),
        ([["1", "2"], ["1", "{}"]], nil, ["1 integer", "NULL null"], ["1", "{}"]),
    ]

    private static let (booleans, spelled) = (["true", "false", "true", "true"], [#""true""#, #""false""#])
    private static let reals = ["1.5", "3.141592653589793", "0.30000000000000004", "5e-324", "1.7976931348623157e308"]
    private static let amounts = [#""19.99""#, #""1.10""#, #""9007199254740993""#, #""n/a""#]
    private static let codes = ["1", #""A12""#, #""n/a""#, #""7""#]

    @Test(arguments: columns)
    private func `a value that the column does not hold is set aside, and shown as it came`(
        lists: [[String]], type: FieldType?, stored: [String]?, shown: [String]?
    ) async throws {
        try await Self.sync(lists, type) { rig in
            let (seen, exported) = (try Self.stored(rig), try Self.shown(rig))
            #expect(stored == nil || seen == stored)
            #expect(shown == nil || exported == shown)
        }
    }

    @Test func `versions follow a column that becomes one of numbers again`() async throws {
        try await Self.sync([["5", #""A12""#, "7"], ["5", #""A12""#, "7"]], .integer) { rig in
            let table = try Self.stored(rig)
            let versions = try rig.texts(
                "SELECT coalesce(CAST(v AS TEXT), 'NULL') || ' ' || typeof(v) FROM _garner_history_animals WHERE _garner_valid_to IS NULL ORDER BY id"
            )
            #expect(table == ["5 integer", "NULL null", "7 integer"])
            #expect(versions == table)
        }
    }

    @Test func `a value is set aside and another column becomes text on one page, with a history that knew of neither`()
        async throws
    {
        let now = Watched(#"[{"id":1,"a":1,"b":1},{"id":2,"a":2,"b":2}]"#)
        try await SyncRig.run({ _ in .json(now.value) }) { rig in
            let stream = rig.stream { ($0.paginator, $0.history) = (Paginator(.singlePage), true) }
            _ = try await rig.sync(stream)
            now.value = #"[{"id":1,"a":"-","b":"A12"},{"id":2,"a":5,"b":6}]"#
            #expect(try await rig.sync(stream).failure == nil)
            #expect(try rig.texts("SELECT b FROM animals ORDER BY id") == ["A12", "6"])
        }
    }

    @Test func `numbers that were set aside come back when a configured type holds them`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"v":1.5},{"id":2,"v":5},{"id":3,"v":6}]"#) }) { rig in
            guard let field = FieldPath("v") else { return }
            for (type, values) in [(FieldType.integer, ["NULL", "5", "6"]), (.real, ["1.5", "5.0", "6.0"])] {
                _ = try await rig.sync(
                    rig.stream {
                        $0.paginator = Paginator(.singlePage)
                        $0.fields.types = [.init(field: field, type: type)]
                    })
                #expect(try rig.texts("SELECT coalesce(v, 'NULL') FROM animals ORDER BY id") == values)
            }
        }
    }

    @Test(arguments: [
        (["9.5", "10", "3.0"], FieldType.integer, ["NULL null", "10 integer", "3 integer"], ["9.5", "10", "3"]),
        (["0", "1", "7"], .boolean, ["0 integer", "1 integer", "NULL null"], ["false", "true", "7"]),
        (["0.5", "1", "0"], .boolean, ["NULL null", "1 integer", "0 integer"], ["0.5", "true", "false"]),
    ])
    func `a column of numbers becomes narrower, and keeps the numbers that do not fit as numbers`(
        values: [String], type: FieldType, stored: [String], shown: [String]
    ) async throws {
        // The rows do not come again: an incremental source gives the first one only.
        let now = Watched(values.enumerated().map { #"{"id":\#($0),"v":\#($1)}"# })
        try await SyncRig.run({ _ in .json("[\(now.value.joined(separator: ","))]") }) { rig in
            _ = try await rig.sync(rig.stream { $0.paginator = Paginator(.singlePage) })
            now.value = [#"{"id":9,"v":null}"#]
            guard let field = FieldPath("v") else { return }
            _ = try await rig.sync(
                rig.stream {
                    $0.paginator = Paginator(.singlePage)
                    $0.fields.types = [.init(field: field, type: type)]
                })
            let (rows, exported) = (try Self.stored(rig), try Self.shown(rig))
            #expect(Array(rows.prefix(3)) == stored)
            #expect(Array(exported.prefix(3)) == shown)
        }
    }

    @Test func `a column named true has its values counted`() async throws {
        let now = Watched(#"[{"id":1,"true":1},{"id":2,"true":2}]"#)
        try await SyncRig.run({ _ in .json(now.value) }) { rig in
            _ = try await rig.sync(rig.stream { $0.paginator = Paginator(.singlePage) })
            now.value = #"[{"id":1,"true":1},{"id":2,"true":"n/a"}]"#
            _ = try await rig.sync(rig.stream { $0.paginator = Paginator(.singlePage) })
            let columns = try ReadOnlyDatabase(path: rig.path).history(of: rig.stream().name)?.oddColumns
            #expect(columns?.map(\.odd) == [1])
        }
    }

    @Test func `a value that the owner has written since counts`() async throws {
        try await Self.sync([["1", "2", #""n/a""#]]) { rig in
            try rig.alter("UPDATE animals SET v = 0 WHERE id = 2")
            let shown = try Self.shown(rig)
            #expect(shown == ["1", "2", "0"])
        }
    }

    @Test func `a search finds what was set aside, and children are asked for by it`() async throws {
        try await SyncRig.run({ request in
            request.target.hasPrefix("/animals")
                ? .json(#"[{"id":1,"v":1},{"id":2,"v":2},{"id":3,"v":"n/a"}]"#)
                : .json(#"[{"id":"\#(request.target)"}]"#)
        }) { rig in
            _ = try await rig.sync(
                rig.stream {
                    $0.schemaContract.dataTypes = .setAside
                    $0.search = ["v"]
                })
            let reader = try ReadOnlyDatabase(path: rig.path)
            try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock()), limits: .none) {
                let found = try reader.search("animals", for: .words("n/a"), limit: nil)
                let row = try found.next()
                #expect(row?.integer(at: 0) == 3)
            }
            let children = rig.stream("visits") {
                $0.request.path = "visits/{parent.v}"
                $0.parent = Parent(stream: StreamName(source: "zoo", stream: "animals"))
            }
            _ = try await rig.sync(children)
            #expect(Set(rig.server.requests.dropFirst().map(\.target)) == ["/visits/1", "/visits/2", "/visits/n%2Fa"])
        }
    }
}
