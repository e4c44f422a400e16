import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import Testing

/// Records that one statement stores.
@Suite(.timeLimit(.minutes(5)))
struct ManyRecordsTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// More than one statement stores, with values of each kind, and records that fit and that do not.
    private static let many = (1...700).map { id in
        switch id {
        case 5, 251, 252, 503: #"{"a":"no key"}"#
        case 260: RecordHashesTests.record(id, #""a wider type""#)
        case 300: RecordHashesTests.record(id, "1", #","later":true"#)
        case 301...310:
            RecordHashesTests.record(id, "null", #","later":false,"list":[1,{"x":"é"}],"deep":{"x":[],"y":1.5}"#)
        case 400: RecordHashesTests.record(399, "2")
        case 401: RecordHashesTests.record(399, "3")
        case 450: RecordHashesTests.record(id, "12345678901234567890")
        case 600...610: RecordHashesTests.record(id, "1", #","b":{"c":{"d":\#(id)}},"b":7"#)
        default: RecordHashesTests.record(id, "\(id % 3)", #","text":"line\n\#(id)""#)
        }
    }

    static let scripts = [
        ReadScript(
            "a large page", missing: .hard,
            [.read([many]), .read([many.reversed()]), .anew([many, RecordHashesTests.second])]),
        ReadScript(
            "a full table keeps the rest",
            [.read([[wide], many, [wide]]), .read([many.reversed(), [wide]])]),
        ReadScript(
            "values", changing: { $0.primaryKey = nil },
            [.read([(1...300).map { "\($0)" } + ["null", "[1]", #""x""#]]), .read([["7"]])]),
        ReadScript(
            "rows are appended",
            changing: {
                $0.primaryKey = nil
                $0.writeDisposition = .append
            }, [.read([many]), .read([many])]),
        ReadScript(
            "a merge strategy", changing: { $0.mergeStrategy = .insertOnly },
            [.read([RecordHashesTests.first]), .read([RecordHashesTests.one + many])]),
        ReadScript(
            "rows have versions", missing: .hard, changing: { $0.history = true },
            [
                .read([many, RecordHashesTests.first]), .read([many.reversed(), RecordHashesTests.one]),
                .alter("DELETE FROM animals WHERE id BETWEEN 10 AND 300"), .anew([many]), .anew([named(1...700)]),
                .read([named(2...800)]),
            ]),
        ReadScript(
            "rows without a key have versions",
            changing: {
                $0.primaryKey = nil
                $0.writeDisposition = .append
                $0.history = true
            }, [.read([many]), .read([many])]),
        ReadScript(
            "rows with a key of two fields have versions",
            changing: {
                $0.primaryKey = ["a", "id"]
                $0.history = true
            }, [.read([RecordHashesTests.first]), .read([RecordHashesTests.one + RecordHashesTests.second])]),
        ReadScript("members named as columns of Garner's own", [.read([named(1...60)]), .read([named(31...90)])]),
        ReadScript(
            "a contract refuses rows",
            changing: { $0.schemaContract = SchemaContract(columns: .discardRow, dataTypes: .quarantine) },
            [.read([RecordHashesTests.first, many]), .read([many])]),
    ]

    /// Records with members that are named as the columns of a virtual table.
    private static func named(_ ids: ClosedRange<Int>) -> [String] {
        ids.map { #"{"id":\#($0),"c1":\#($0 / 2),"c2":\#($0 + ids.lowerBound)}"# }
    }

    /// A record that leaves no room for another column.
    private static let wide =
        "{\"id\":9999,\((1...1996).map { "\"m\($0)\":\($0 % 7)" }.joined(separator: ","))}"

    @Test(arguments: RecordHashesTests.scripts + scripts)
    func `records that one statement stores leave what those leave that are stored one by one`(_ script: ReadScript)
        async throws
    {
        await fixture.writer.close()
        let (singly, together) = (try Fixture(reopening: fixture), try Fixture(reopening: fixture))
        // With a trigger of its owner, each row is a statement.
        for fixture in [singly, together] { try fixture.alter("CREATE TABLE own (x)") }
        try singly.alter("CREATE TRIGGER own_insert AFTER INSERT ON own BEGIN DELETE FROM own; END")
        let told = try await script.play(in: singly)
        #expect(try await script.play(in: together) == told)
        #expect(try together.content(except: []) == singly.content(except: []))
        try together.expectIntegrity()
    }
}
