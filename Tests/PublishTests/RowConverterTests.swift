import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPostgres
@testable import GarnerPublish
import Testing

/// A value of the file, and what becomes of it in PostgreSQL.
struct ConvertedValue: Sendable, CustomTestStringConvertible {
    /// The file's column when the table was made.
    let made: FileColumn
    /// Its type now.
    var type: ColumnType?
    let value: Value
    /// The row's own `_garner_rest`.
    var own: String?
    /// The column as a text.
    let column: String?
    /// The published `_garner_rest` as a text.
    var rest: String?
    var misfits: [Misfit] = []

    init(
        _ made: FileColumn, now type: ColumnType? = nil, _ value: Value, own: String? = nil, _ column: String?,
        rest: String? = nil, _ misfits: Misfit...
    ) {
        (self.made, self.type, self.value, self.own) = (made, type ?? made.type, value, own)
        (self.column, self.rest, self.misfits) = (column, rest, misfits)
    }

    var testDescription: String {
        "\(made.publishedType?.rawValue ?? ""), \(type?.rawValue ?? ""): \(String(describing: value).prefix(60)) \(own?.prefix(60) ?? "")"
    }

    static let boolean = FileColumn("v", .boolean)
    static let bigint = FileColumn("v", .integer)
    static let double = FileColumn("v", .real)
    static let numeric = FileColumn("v", .real, isNumeric: true)
    static let instant = FileColumn("v", .text, holdsInstants: true)
    static let json = FileColumn("v", .json)
    static let text = FileColumn("v", .text)

    static let all = booleans + integers + doubles + numerics + instants + jsons + texts + rests

    static let booleans = [
        Self(boolean, .integer(1), "true"), Self(boolean, .integer(0), "false"), Self(boolean, .null, nil),
        Self(boolean, .integer(2), nil, rest: #"{"v": 2}"#, .otherType),
        // It was widened to INTEGER, REAL or TEXT.
        Self(boolean, now: .integer, .integer(1), own: #"{"v":true}"#, "true", rest: #"{"v": true}"#, .rounded),
        Self(boolean, now: .integer, .integer(1), "true", rest: #"{"v": 1}"#, .rounded),
        Self(boolean, now: .integer, .integer(7), nil, rest: #"{"v": 7}"#, .otherType),
        Self(boolean, now: .real, .real(0.5), nil, rest: #"{"v": 0.5}"#, .otherType),
        Self(boolean, now: .text, .text("false"), "false"),
        Self(boolean, now: .text, .text("n/a"), nil, rest: #"{"v": "n/a"}"#, .otherType),
        // It was set aside by the file.
        Self(boolean, .null, own: #"{"v":"n/a"}"#, nil, rest: #"{"v": "n/a"}"#),
    ]

    static let integers = [
        Self(bigint, .integer(.max), "9223372036854775807"), Self(bigint, .integer(.min), "-9223372036854775808"),
        Self(bigint, now: .real, .real(5), "5"),
        Self(bigint, now: .real, .real(1.5), nil, rest: #"{"v": 1.5}"#, .otherType),
        Self(bigint, now: .real, .real(1e300), nil, rest: nil, .otherType),
        Self(bigint, now: .text, .text("12"), "12"),
        Self(bigint, now: .text, .text("1e3"), "1000", rest: #"{"v": "1e3"}"#, .rounded),
        Self(bigint, now: .text, .text("-0"), "0", rest: #"{"v": "-0"}"#, .rounded),
        Self(bigint, now: .text, .text("012"), nil, rest: #"{"v": "012"}"#, .otherType),
        Self(
            bigint, now: .text, .text("1234567890123456789012345678901234567890"), nil,
            rest: #"{"v": "1234567890123456789012345678901234567890"}"#, .otherType),
        Self(bigint, .integer(5), own: #"{"v":"5.0"}"#, "5", rest: #"{"v": "5.0"}"#),
    ]

    static let doubles = [
        Self(double, .real(0.1 + 0.2), "0.30000000000000004"), Self(double, .real(-0.0), "-0"),
        Self(double, .real(.leastNonzeroMagnitude), "5e-324"), Self(double, .real(.infinity), "Infinity"),
        Self(double, now: .integer, .integer(7), "7"),
        Self(
            double, now: .integer, .integer(9_007_199_254_740_993), "9.007199254740992e+15",
            rest: #"{"v": 9007199254740993}"#, .rounded),
        Self(double, now: .text, .text("1.5"), "1.5"), Self(double, now: .text, .text("5"), "5"),
        Self(double, now: .text, .text("1.50"), "1.5", rest: #"{"v": "1.50"}"#, .rounded),
        Self(
            double, now: .text, .text("0.1234567890123456789012345678901234567890"), "0.12345678901234568",
            rest: #"{"v": "0.1234567890123456789012345678901234567890"}"#, .rounded),
        Self(double, now: .text, .text("1e400"), nil, rest: #"{"v": "1e400"}"#, .outOfRange),
        Self(double, now: .text, .text("Infinity"), nil, rest: #"{"v": "Infinity"}"#, .otherType),
        Self(double, now: .text, .text("1,5"), nil, rest: #"{"v": "1,5"}"#, .otherType),
    ]

    static let numerics = [
        Self(numeric, .real(19.99), "19.99"), Self(numeric, .real(1e21), "1000000000000000000000"),
        Self(numeric, .integer(-7), "-7"), Self(numeric, .real(0), "0"),
        Self(numeric, .real(12345.0678), "12345.0678"),
        Self(numeric, .real(0.00012), "0.00012"), Self(numeric, .null, nil),
        Self(numeric, .real(12.5), own: #"{"v":"12.50"}"#, "12.50", rest: #"{"v": "12.50"}"#),
        Self(
            numeric, .real(1.2345678901234568e39),
            own: #"{"v":1234567890123456789012345678901234567890}"#,
            "1234567890123456789012345678901234567890", rest: #"{"v": 1234567890123456789012345678901234567890}"#),
        Self(
            numeric, .null, own: #"{"v":"0.1234567890123456789012345678901234567890"}"#,
            "0.1234567890123456789012345678901234567890", rest: #"{"v": "0.1234567890123456789012345678901234567890"}"#),
        // Somebody has written into the column since.
        Self(numeric, .real(3), own: #"{"v":"12.50"}"#, "3", rest: #"{"v": "12.50"}"#),
        Self(numeric, .null, own: #"{"v":"n/a"}"#, nil, rest: #"{"v": "n/a"}"#),
        Self(numeric, .null, own: #"{"v":1e200000}"#, nil, rest: #"{"v": "1e200000"}"#, .outOfRange),
        Self(numeric, .real(.infinity), nil, rest: #"{"v": "Infinity"}"#, .outOfRange),
        Self(
            numeric, now: .text, .text("1234567890123456789012345678901234567890.5"),
            "1234567890123456789012345678901234567890.5"),
        Self(numeric, now: .text, .text("-0.00"), "0.00"), Self(numeric, now: .text, .text("1.5E-3"), "0.0015"),
        Self(numeric, now: .text, .text("12e4"), "120000"),
        Self(numeric, now: .text, .text("100200003e-4"), "10020.0003"),
        Self(numeric, now: .text, .text("12 EUR"), nil, rest: #"{"v": "12 EUR"}"#, .otherType),
        Self(numeric, now: .text, .text("1e-16384"), nil, rest: #"{"v": "1e-16384"}"#, .outOfRange),
    ]

    static let instants =
        [
            Self(instant, .text("2026-01-31T08:05:00Z"), "2026-01-31 08:05:00+00"),
            Self(instant, .text("2026-01-31t08:05:00.123456+01:30"), "2026-01-31 06:35:00.123456+00"),
            Self(instant, .text("1969-12-31 23:59:59.5-00:00"), "1969-12-31 23:59:59.5+00"),
            Self(instant, .text("0001-01-01T00:00:00Z"), "0001-01-01 00:00:00+00"),
            Self(instant, .text("9999-12-31T23:59:59.999999Z"), "9999-12-31 23:59:59.999999+00"),
            Self(instant, .text("2026-01-31T08:05:00.120000000Z"), "2026-01-31 08:05:00.12+00"),
            Self(
                instant, .text("2026-01-31T08:05:00.1234565Z"), "2026-01-31 08:05:00.123457+00",
                rest: #"{"v": "2026-01-31T08:05:00.1234565Z"}"#, .rounded),
            Self(instant, .null, nil),
        ]
        + [
            "2026-01-31T08:05:00", "2026-02-30T08:05:00Z", "2026-01-31", "soon", "", "2026-01-31T24:00:00Z",
            "2016-12-31T23:59:60Z", "2026-01-31T08:05:00.Z", "2026-01-31T08:05:00+0100", "infinity",
            "2026-01-31T08:05:00Z ", "２０２６-01-31T08:05:00Z",
        ].map { Self(instant, .text($0), nil, rest: #"{"v": "\#($0)"}"#, .noInstant) }

    static let jsons = [
        Self(json, .text(#"{"b":[1,"é",null],"a":1e2}"#), #"{"a": 100, "b": [1, "é", null]}"#),
        Self(json, .text("[]"), "[]"), Self(json, .text("{}"), "{}"),
        Self(
            json, .text(#"["a\u0000b","\uD83D","\uDE00x","\ud83d\ude00"]"#), #"["a�b", "�", "�x", "😀"]"#,
            .replacedCharacter),
        Self(json, .text(#"[1e999999,"a"]"#), nil, rest: #"{"v": "[1e999999,\"a\"]"}"#, .refusedJSON),
        Self(
            json, .text("[1234567890123456789012345678901234567890.10]"),
            "[1234567890123456789012345678901234567890.10]"),
        Self(json, .text("[1e131071]"), "[1" + String(repeating: "0", count: 131_071) + "]"),
        Self(json, .text("[1e-16383]"), "[0." + String(repeating: "0", count: 16_382) + "1]"),
        Self(json, .text("[1,]"), nil, rest: #"{"v": "[1,]"}"#, .refusedJSON),
        Self(json, now: .text, .text("n/a"), nil, rest: #"{"v": "n/a"}"#, .otherType),
        Self(json, now: .text, .text("[1,2]"), "[1, 2]"),
        Self(
            json, .text(String(repeating: "[", count: 512) + String(repeating: "]", count: 512)),
            String(repeating: "[", count: 512) + String(repeating: "]", count: 512)),
        Self(
            json, .text(String(repeating: "[", count: 9000) + String(repeating: "]", count: 9000)), nil,
            rest: #"{"v": ""# + String(repeating: "[", count: 9000) + String(repeating: "]", count: 9000) + #""}"#,
            .refusedJSON),
    ]

    static let texts = [
        Self(text, .text("é😀'\"\\"), "é😀'\"\\"), Self(text, .text(""), ""),
        Self(text, .text("a\0b\0"), "a�b�", .replacedCharacter), Self(text, now: .integer, .integer(7), "7"),
        Self(text, now: .real, .real(0.5), "0.5"), Self(text, now: .boolean, .integer(1), "true"),
        Self(text, .blob([0, 0xAB]), nil, rest: #"{"v": "\\x00ab"}"#, .bytes),
        Self(text, .text(String(repeating: "x", count: 100_000)), String(repeating: "x", count: 100_000)),
    ]

    /// The row's own rest.
    static let rests = [
        Self(
            text, .null, own: #"{"a":"x\u0000y","b":1e999999,"b c":[1]}"#, nil,
            rest: #"{"a": "x�y", "b": "1e999999", "b c": [1]}"#, .replacedCharacter),
        Self(text, .null, own: #"{"a": "#, nil, rest: #"{"_garner_rest": "{\"a\": "}"#, .refusedJSON),
        Self(text, .null, own: "[1]", nil, rest: #"{"_garner_rest": "[1]"}"#, .refusedJSON),
        Self(bigint, now: .text, .text("n/a"), own: " { } ", nil, rest: #"{"v": "n/a"}"#, .otherType),
        Self(
            bigint, now: .text, .text("n/a"), own: #"{"z":1,"y":"\u0000"}"#, nil,
            rest: #"{"v": "n/a", "y": "�", "z": 1}"#, .otherType, .replacedCharacter),
        Self(bigint, now: .text, .text("a\0\"\\\n"), nil, rest: #"{"v": "a�\"\\\n"}"#, .otherType, .replacedCharacter),
    ]
}

struct RowConverterTests {
    @Test(arguments: ConvertedValue.all)
    func `a value comes to PostgreSQL by COPY and by UPDATE`(_ test: ConvertedValue) async throws {
        let place = try await TableWorkplace()
        var file = [
            FileColumn("id", .integer, keyPosition: 0), test.made, FileColumn("_garner_rest", .text, role: .rest),
        ]
        let definition = try await place.create(file)
        file[1].type = test.type
        var converter = RowConverter(definition, of: file)
        func row(_ id: Int64) -> TestRow {
            TestRow([.integer(id), test.value, test.own.map { .text($0) } ?? .null])
        }
        try await place.copy([row(1), TestRow([.integer(2), .null, .null])], with: &converter)
        let misfits = Dictionary(grouping: converter.notes.sorted, by: \.note.misfit).mapValues { $0.map(\.count) }
        #expect(misfits == Dictionary(uniqueKeysWithValues: test.misfits.map { ($0, [1]) }))
        #expect(try await place.update([row(2)], with: &converter) == 1)
        // 1e300 is all zeros there.
        let rest = test.value == .real(1e300) ? "1" + String(repeating: "0", count: 300) : nil
        let expected = [test.column, rest.map { #"{"v": \#($0)}"# } ?? test.rest]
        let texts = try await place.texts("id,v,_garner_rest")
        #expect(texts == [["1"] + expected, ["2"] + expected])
    }

    @Test func `rows are found by all kinds of keys, and deleted by them`() async throws {
        let place = try await TableWorkplace()
        let file = [
            FileColumn("b", .text, keyPosition: 0), FileColumn("n", .real, keyPosition: 1),
            FileColumn("j", .json, keyPosition: 2), FileColumn("t", .boolean, keyPosition: 3), FileColumn("v", .text),
        ]
        var converter = RowConverter(try await place.create(file), of: file)
        let keys: [[Value]] = [
            [.text("a"), .real(0.1 + 0.2), .text("[1]"), .integer(1)],
            [.text("a"), .real(0.3), .text("[1.0]"), .integer(1)],
            [.text("A\0"), .real(1), .text("[1]"), .integer(0)],
        ]
        try await place.copy(keys.map { TestRow($0 + [.text("old")]) }, with: &converter)
        #expect(try await place.update(keys.dropFirst().map { TestRow($0 + [.text("new")]) }, with: &converter) == 2)
        #expect(try await place.texts("b,v", orderedBy: "b, v") == [["A�", "new"], ["a", "new"], ["a", "old"]])
        #expect(
            try await place.delete([keys[0], keys[2], [.null, .null, .null, .null], [.integer(1)]], with: &converter)
                == 2)
        #expect(try await place.texts("n") == [["0.3"]])
    }

    @Test func `a table without a key has the number of the row`() async throws {
        let place = try await TableWorkplace()
        let file = [FileColumn("v", .text)]
        var converter = RowConverter(try await place.create(file), of: file)
        try await place.copy([TestRow([.text("a")], row: 7), TestRow([.null], row: -3)], with: &converter)
        try await place.update([TestRow([.text("b")], row: 7)], with: &converter)
        #expect(try await place.texts("_garner_row,v", orderedBy: "_garner_row") == [["-3", nil], ["7", "b"]])
        #expect(try await place.delete([[.integer(7)], [.integer(8)]], with: &converter) == 1)
    }

    @Test(arguments: [Value.text("A12"), .text("012"), .text("1.0"), .null, .blob([1])])
    func `a key that does not fit is an error, and leaves arrays as they were`(key: Value) async throws {
        let definition = TableDefinition(for: [FileColumn("id", .integer, keyPosition: 0), FileColumn("v", .integer)])
        let file = [FileColumn("v", .text), FileColumn("id", .text, keyPosition: 0)]
        var converter = RowConverter(definition, of: file)
        var arrays = converter.updateArrays()
        try converter.append(TestRow([.text("1"), .text("12")]), to: &arrays)
        let before = arrays.parameters
        #expect { try converter.append(TestRow([.text("n/a"), key]), to: &arrays) } throws: { error in
            (error as? KeyMisfit)?.column == "id" && "\(error)" == "a value of the key 'id' is no bigint"
        }
        #expect(arrays.parameters == before && arrays.count == 1)
        #expect(before == [.integers([12]), .integers([1]), .texts([nil])])
    }

    @Test func `columns that the file has lost are left alone`() async throws {
        let place = try await TableWorkplace()
        let id = FileColumn("id", .integer, keyPosition: 0)
        let deleted = FileColumn("_garner_deleted_at", .text, role: .deletedAt)
        let definition = try await place.create([id, FileColumn("gone", .text), deleted])
        var converter = RowConverter(definition, of: [deleted, id])
        try await place.copy([TestRow([.text("2026-01-31T08:05:00.000Z"), .integer(1)])], with: &converter)
        try await place.connection.execute("UPDATE animals SET gone = 'kept'")
        try await place.update([TestRow([.null, .integer(1)])], with: &converter)
        #expect(try await place.texts("id,gone,_garner_deleted_at,_garner_rest") == [["1", "kept", nil, nil]])
    }

    @Test func `texts that are no UTF-8 are repaired`() async throws {
        let place = try await TableWorkplace()
        let file = [FileColumn("v", .text), FileColumn("j", .json), FileColumn("_garner_rest", .text, role: .rest)]
        var converter = RowConverter(try await place.create(file), of: file)
        let bytes: [UInt8] = Array("{\"a\":\"".utf8) + [0xFF, 0xC3] + Array("\"}".utf8)
        try await place.copy([BytesRow(Array(repeating: bytes, count: 3))], with: &converter)
        #expect(
            try await place.texts("v,_garner_rest") == [
                [#"{"a":"��"}"#, #"{"a": "��", "j": "{\"a\":\"��\"}"}"#]
            ])
        #expect(converter.notes.counts.values.reduce(0, +) == 4)
    }

    @Test func `what was changed is told without the values`() throws {
        let file = [FileColumn("id", .integer, keyPosition: 0), FileColumn("Age", .integer), FileColumn("note", .text)]
        let definition = TableDefinition(for: file)
        var converter = RowConverter(definition, of: [file[0], FileColumn("Age", .text), file[2]])
        var arrays = converter.updateArrays()
        for text in ["n/a", "12", "unknown"] {
            try converter.append(TestRow([.integer(1), .text(text), .text("secret\0")]), to: &arrays)
        }
        #expect(
            converter.notes.sentences(of: "people", definition) == [
                "people.Age: 2 values are no bigint, which PostgreSQL's column is; the column is NULL there, and _garner_rest has them",
                "people.note: 3 values have NUL or another character that PostgreSQL does not hold; it is U+FFFD there",
            ])
    }

    @Test(arguments: [
        (
            FileColumn("v", .boolean), FileColumn("v", .integer), Value?.some(.integer(1)),
            "has another spelling or more digits than PostgreSQL's boolean; the nearest is there, and _garner_rest has the exact one"
        ),
        (
            FileColumn("v", .boolean), FileColumn("v", .integer), .integer(7),
            "is no boolean, which PostgreSQL's column is; the column is NULL there, and _garner_rest has it"
        ),
        (
            FileColumn("v", .text, holdsInstants: true), FileColumn("v", .text), .text("2016-12-31T23:59:60Z"),
            "is no time with an offset that PostgreSQL's timestamptz holds; the column is NULL there, and _garner_rest has it"
        ),
        (
            FileColumn("v", .real), FileColumn("v", .text), .text("1e999"),
            "is beyond what PostgreSQL's double precision holds; the column is NULL there, and _garner_rest has it"
        ),
        (
            FileColumn("v", .text), FileColumn("v", .text), nil,
            "is too long for _garner_rest in PostgreSQL; only the file has it"
        ),
    ])
    func `the one sentence on a value is what the row has`(
        published: FileColumn, now: FileColumn, value: Value?, words: String
    ) throws {
        let id = FileColumn("id", .integer, keyPosition: 0)
        let definition = TableDefinition(for: [id, published])
        var converter = RowConverter(definition, of: [id, now])
        var arrays = converter.updateArrays()
        let long = Value.blob(Array(repeating: 1, count: 16 << 20 + 1))
        try converter.append(TestRow([.integer(1), value ?? long]), to: &arrays)
        #expect(converter.notes.sentences(of: "t", definition) == ["t.v: 1 value \(words)"])
    }

    @Test(arguments: [
        ("2026-01-31T08:05:00Z", true), ("2026-01-31 08:05:00.123456+00:00", true),
        ("2026-01-31T08:05:00.123456Z", true),
        ("2026-01-31t08:05:00.1z", true), ("2026-01-31T08:05:00.1234560Z", false),
        ("2026-01-31T08:05:00.0000000-01:00", false), ("2026-01-31T08:05:00", false), ("2026-01-31", false),
        ("", false),
    ])
    func `a column of times has an offset and six decimals at most`(text: String, isUsual: Bool) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { InstantText.isUsual($0) } == isUsual)
    }
}

/// A row of texts that are any bytes.
private final class BytesRow: FileRow {
    let row: Int64 = 1
    private let texts: [UnsafeMutableBufferPointer<UInt8>]

    init(_ values: [[UInt8]]) {
        texts = values.map { bytes in
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = buffer.initialize(from: bytes)
            return buffer
        }
    }

    deinit { for text in texts { text.deallocate() } }

    func value(at column: Int) -> StoredBytes { .text(UnsafeBufferPointer(texts[column])) }
}
