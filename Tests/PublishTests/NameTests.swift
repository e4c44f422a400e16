import GarnerModel
@testable import GarnerPublish
import Testing

struct NameTests {
    @Test(arguments: [
        ("id", "id"), ("createdAt", "createdat"), ("Größe", "größe"), ("ÄRGER", "Ärger"), ("xmin", "_xmin"),
        ("CTID", "_ctid"), ("tableoid", "_tableoid"), ("oid", "oid"), ("a\"b", "a\"b"),
        (String(repeating: "a", count: 63), String(repeating: "a", count: 63)),
        (String(repeating: "A", count: 64), String(repeating: "a", count: 54) + "_a5eb12da"),
    ])
    func `a name is one that SQL takes without quotes where it can`(name: String, published: String) {
        #expect(PublishedNames.column(name, taken: []).utf8.elementsEqual(published.utf8))
    }

    @Test func `long names differ, have room and end with a whole character`() {
        let names = (0..<50).map { String(repeating: "ü", count: 40) + "\($0)" }
        let published = names.map { PublishedNames.column($0, taken: []) }
        #expect(Set(published).count == names.count)
        #expect(published.allSatisfy { $0.utf8.count <= 63 && !$0.contains("\u{FFFD}") && $0.hasPrefix("üü") })
        let odd = PublishedNames.column("a" + String(repeating: "ü", count: 40), taken: [])
        #expect(odd.utf8.count <= 63 && !odd.contains("\u{FFFD}"))
    }

    @Test func `a name that is taken gets a number, and has room for it`() {
        let long = String(repeating: "a", count: 63)
        let taken = Set([long, "name", "name_2"].map { ExactText($0) })
        #expect(PublishedNames.column("Name", taken: taken) == "name_3")
        #expect(PublishedNames.table(long, taken: taken) == String(repeating: "a", count: 61) + "_2")
        // They look alike, and are two names.
        #expect(PublishedNames.table("caf\u{E9}", taken: [ExactText("cafe\u{301}")]) == "café")
    }

    @Test(arguments: [
        ("na\"me", #""na""me""#), ("a\\b", #""a\b""#), ("new\nline", #"U&"new\+00000aline""#),
        ("a\\\"\t\u{202E}", #"U&"a\\""\+000009\+00202e""#),
    ])
    func `a name in a line for people has no character that a terminal does not show`(name: String, shown: String) {
        #expect(SQLText.plainName(name) == shown)
    }

    @Test func `a number stays with its column`() {
        var definition = TableDefinition(for: [
            FileColumn("id", .integer, keyPosition: 0), FileColumn("XMIN", .text), FileColumn("_xmin", .text),
        ])
        #expect(definition.columns.map(\.name) == ["id", "_xmin", "_xmin_2", "_garner_rest"])
        // The first one is gone from the file, and another one comes.
        let later = [
            FileColumn("id", .integer, keyPosition: 0), FileColumn("_xmin", .text), FileColumn("_Xmin", .text),
        ]
        #expect(definition.add(later).map(\.name) == ["_xmin_3"])
        #expect(definition.column(of: later[1])?.name == "_xmin_2")
    }
}
