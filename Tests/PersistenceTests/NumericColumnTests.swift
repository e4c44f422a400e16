import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import Testing

/// Columns of fields that are `numeric`: SQL has the nearest number, and who shows a record has all of its digits.
struct NumericColumnTests {
    private static let long = "1234567890123456789012345678901234567890"
    private static let digits = "0.1234567890123456789012345678901234567890"

    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static func stream(_ type: FieldType?, _ change: (inout StreamConfiguration) -> Void = { _ in })
        -> StreamConfiguration
    {
        var stream = StreamConfiguration.animals()
        stream.history = true
        if let type, let field = FieldPath("v") { stream.fields.types = [.init(field: field, type: type)] }
        change(&stream)
        return stream
    }

    private static func page(_ values: [String]) -> String {
        "[\(values.enumerated().map { #"{"id":\#($0),"v":\#($1)}"# }.joined(separator: ","))]"
    }

    /// The values as SQL sees them, and what was set aside.
    private func stored(_ table: String = "animals") throws -> [String] {
        try fixture.rows("SELECT v, _garner_rest FROM \(table) ORDER BY _rowid_")
    }

    /// The values as they are shown in a format.
    private func shown(_ format: RowFormat = .ndjson, of table: String = "animals") throws -> [String] {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        var output: [UInt8] = []
        try reader.rows(for: RowRequest(table: table, columns: ["v"], order: "id")).write(as: format) { output += $0 }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let values: [(value: String, stored: String, shown: String)] = [
        ("0.1", "0.1 NULL", "0.1"), ("12", "12.0 NULL", "12.0"), ("12.0", "12.0 NULL", "12.0"),
        ("1.10", #"1.1 '{"v":1.10}'"#, "1.10"), ("1e3", #"1000.0 '{"v":1e3}'"#, "1e3"),
        (long, #"1.2345678901234568e+39 '{"v":\#(long)}'"#, long),
        (digits, #"0.12345678901234568 '{"v":\#(digits)}'"#, digits),
        ("9007199254740993", #"9007199254740992.0 '{"v":9007199254740993}'"#, "9007199254740993"),
        ("1e400", #"NULL '{"v":1e400}'"#, "1e400"), (#""19.99""#, #"19.99 '{"v":"19.99"}'"#, "19.99"),
        (#""\#(long)""#, #"1.2345678901234568e+39 '{"v":"\#(long)"}'"#, #""\#(long)""#),
        (#""n/a""#, #"NULL '{"v":"n/a"}'"#, #""n/a""#), ("true", #"1.0 '{"v":true}'"#, "true"),
        ("null", "NULL NULL", "null"),
    ]

    @Test func `a column has the nearest numbers, and each record is shown with all digits`() async throws {
        let page = Self.page(Self.values.map(\.value))
        try await fixture.sync(Self.stream(.numeric), page)
        #expect(try fixture.columns(of: "animals").contains("v REAL"))
        #expect(try stored() == Self.values.map(\.stored))
        #expect(try shown() == Self.values.map { #"{"v":\#($0.shown)}"# })
        #expect(try shown(.csv).contains(Self.long))
        #expect(try shown(.markdown).contains("| \(Self.digits) |"))
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let rows = try reader.rows(for: RowRequest(table: "animals", columns: ["v"], order: "id"))
        var texts: [String] = []
        while let row = try rows.next() { texts.append(row.text(at: 0)) }
        #expect(Array(texts[3...8]) == Self.values[3...8].map(\.shown))
        // The same records change nothing; one digit does.
        let again = try await fixture.sync(Self.stream(.numeric), page)
        #expect(again.counts.ofRecords == "\(Self.values.count) unchanged")
        let other = page.replacing(Self.digits, with: Self.digits.dropLast() + "1")
        #expect(
            try await fixture.sync(Self.stream(.numeric), other).counts.ofRecords
                == "1 updated, \(Self.values.count - 1) unchanged")
        #expect(try fixture.rows("SELECT count(*) FROM _garner_history_animals WHERE id = 6") == ["2"])
        try fixture.expectIntegrity()
    }

    @Test func `what somebody writes into the column counts more than the digits`() async throws {
        try await fixture.sync(Self.stream(.numeric), Self.page([Self.long]))
        try fixture.alter("UPDATE animals SET v = 7.5")
        #expect(try shown() == [#"{"v":7.5}"#])
    }

    @Test func `rows of arrays have their digits, too`() async throws {
        let stream = Self.stream(nil) {
            $0.childTables = true
            if let field = FieldPath("$.a.v") { $0.fields.types = [.init(field: field, type: .numeric)] }
        }
        try await fixture.sync(stream, #"[{"id":1,"a":[{"v":\#(Self.long)},{"v":1.5}]}]"#)
        #expect(try stored("animals__a") == [#"1.2345678901234568e+39 '{"v":\#(Self.long)}'"#, "1.5 NULL"])
    }

    /// The type of a column, the one that is configured then, and what the next read leaves of rows that do not come again.
    private static let changes: [(from: FieldType?, to: FieldType?, values: [String], shown: [String])] = [
        (.text, .numeric, [long, "1.10", "19.99", "1e400", #""n/a""#], [long, "1.10", "19.99", "1e400", #""n/a""#]),
        (.numeric, .text, [long, "1.10", digits], [#""\#(long)""#, #""1.10""#, #""\#(digits)""#]),
        (.numeric, .integer, [digits, "12"], [digits, "12"]), (.numeric, .real, [long, "1.10"], [long, "1.10"]),
        (.real, .numeric, [long, "1.5"], [long, "1.5"]), (.integer, .numeric, ["7", "1.5"], ["7.0", "1.5"]),
        (nil, .numeric, ["12", long], ["12.0", long]),
    ]

    @Test(arguments: changes)
    func `another type loses no digit`(
        from: FieldType?, to: FieldType?, values: [String], shown: [String]
    ) async throws {
        // As the fields are shaped before they are stored.
        let spelled = from == .text ? values.map { $0.hasPrefix("\"") ? $0 : "\"\($0)\"" } : values
        try await fixture.sync(Self.stream(from), Self.page(spelled))
        try await fixture.sync(Self.stream(to), #"[{"id":100,"v":\#(to == .text ? "\"x\"" : "null")}]"#)
        #expect(try self.shown().prefix(shown.count) == shown.map { #"{"v":\#($0)}"# }[...])
        // The versions say the same, but for numbers that were set aside as they were no integers.
        guard from != .integer else { return }
        let texts = try fixture.rows(
            "SELECT v IS NULL, _garner_rest IS NULL FROM _garner_history_animals WHERE _garner_valid_to IS NULL AND id < 100"
        )
        #expect(texts == (try fixture.rows("SELECT v IS NULL, _garner_rest IS NULL FROM animals WHERE id < 100")))
        try fixture.expectIntegrity()
    }

    @Test func `integers become numbers with digits when the first of those comes`() async throws {
        try await fixture.sync(Self.stream(.integer), Self.page(["7", "9007199254740993"]))
        for _ in 0..<2 {
            try await fixture.sync(Self.stream(.numeric), Self.page(["7", "9007199254740993", "1.10", Self.long]))
        }
        #expect(try fixture.columns(of: "animals").contains("v REAL"))
        #expect(
            try shown() == ["7.0", "9007199254740993", "1.10", Self.long].map { #"{"v":\#($0)}"# })
    }

    @Test func `another contract stores all digits as a text`() async throws {
        let stream = Self.stream(.numeric) { $0.schemaContract.dataTypes = .evolve }
        try await fixture.sync(stream, Self.page(["1.5", Self.long]))
        #expect(try shown() == [#"{"v":"1.5"}"#, #"{"v":"\#(Self.long)"}"#])
    }
}
