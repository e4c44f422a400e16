import GarnerJSON
import Testing

/// Documents that are composed of the values of others.
@Suite struct DocumentBuilderTests {
    /// Composes the records of a text without their members `secret`, with `at` renamed to `time`.
    private func composed(_ text: String) throws -> Selection {
        let document = try Document(parsing: Bytes(text.utf8))
        let records = document.withRoot { Selection(valuesOf: $0, in: document) }
        var builder = DocumentBuilder(from: document)
        let time = builder.string("time".utf8)
        records.forEach { record in
            let object = builder.begin(record)
            for (key, value) in record.members where key.text != "secret" {
                if key.text == "at" { builder.append(time) } else { builder.append(key) }
                builder.append(value)
            }
            builder.end(object)
        }
        return Selection(valuesOf: builder.document(), composedOf: records)
    }

    @Test("a composed record is spelled with its members alone, and outlives the document it was made from")
    func spelling() throws {
        let records = try composed(
            #"[ {"id": 1, "secret": {"a": [1, 2]}, "at": 1.50, "x": { "b" : [ true, null ] }}, {}, {"secret": "é\n"} ]"#
        )
        var spellings: [String] = []
        records.forEach { spellings.append($0.source) }
        #expect(spellings == [#"{"id":1,"time":1.50,"x":{ "b" : [ true, null ] }}"#, "{}", "{}"])
    }

    @Test("the records as they came stand beside the composed ones")
    func received() throws {
        let records = try composed(#"[{"id":1,"secret":2},{"id": 2}]"#)
        var spellings: [String] = []
        records.asReceived.forEach { spellings.append($0.text) }
        #expect(spellings == [#"{"id":1,"secret":2}"#, #"{"id": 2}"#])
        #expect(records.count == 2)
    }

    @Test("values that are made have their kind, their number and exactly their spelling")
    func values() throws {
        let document = try Document(parsing: Bytes("[]".utf8))
        var builder = DocumentBuilder(from: document)
        builder.append(integer: -12, spelled: "-12".utf8)
        builder.append(integer: 7, spelled: "7".utf8)
        builder.append(real: 2.5, spelled: "2.50".utf8)
        builder.append(boolean: true)
        builder.append(boolean: nil)
        let long = builder.string(String(repeating: "x", count: 40_000).utf8)
        builder.append(long)
        builder.document().withRoot { root in
            let values = Array(root.elements)
            #expect(values.map(\.kind) == [.integer, .integer, .real, .true, .null, .string])
            #expect(values.prefix(5).map(\.text) == ["-12", "7", "2.50", "true", "null"])
            #expect(values[0].integer == -12 && values[2].real == 2.5)
            #expect(values[5].text.utf8.count == 40_000)
        }
    }
}
