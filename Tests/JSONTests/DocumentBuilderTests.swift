import GarnerJSON
import Testing

/// Documents that are composed of the values of others.
@Suite struct DocumentBuilderTests {
    private func string(_ text: String, _ builder: inout DocumentBuilder) -> ComposedString {
        Array(text.utf8).withUnsafeBufferPointer { builder.string($0) }
    }

    /// Composes the records of a text without their members `secret`, with `at` renamed to `time`.
    private func composed(_ text: String) throws -> Selection {
        let document = try Document(parsing: Bytes(text.utf8))
        let records = document.withRoot { Selection(valuesOf: $0, in: document) }
        var builder = DocumentBuilder(from: document)
        let time = string("time", &builder)
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
        let minus = string("-12", &builder)
        builder.append(integer: -12, spelled: minus)
        let seven = string("7", &builder)
        builder.append(integer: 7, spelled: seven)
        let half = string("2.50", &builder)
        builder.append(real: 2.5, spelled: half)
        builder.append(boolean: true)
        builder.append(boolean: nil)
        let long = string(String(repeating: "x", count: 40_000), &builder)
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
