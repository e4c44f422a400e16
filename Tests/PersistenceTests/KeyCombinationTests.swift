import GarnerJSON
import Testing

@testable import GarnerPersistence

struct KeyCombinationTests {
    /// Pages of records, and the fields that identify these.
    private static let lists: [([[String]], [String]?)] = [
        // Readings by time: each time comes once for every sensor.
        ([(0..<12).map { Self.reading("abc", $0) }], ["sensor", "ts"]),
        // Readings by sensor: on the first page, the time alone differs.
        ([(0..<6).map { Self.reading("a", $0) }], ["ts"]),
        ([(0..<6).map { Self.reading("a", $0) }, (0..<6).map { Self.reading("b", $0) }], ["sensor", "ts"]),
        (
            [
                (0..<24).map {
                    #"{"bus":"can\#($0 % 2)","ts":\#(1_700_000_000 + $0 / 6),"sensor":"\#($0 / 2 % 3)x","value":1}"#
                }
            ],
            ["bus", "sensor", "ts"]
        ),
        // Measures and what a correction changes are no parts of a key.
        (
            [
                (0..<6).map {
                    #"{"value":\#($0).5,"rssi":-\#($0 + 40),"status":"s\#($0)","updated_at":"2026-01-0\#($0)"}"#
                }
            ], nil
        ),
        // A record that has only moved to the next page is the same one.
        ([(0..<6).map { Self.reading("a", $0) }, (5..<9).map { Self.reading("a", $0) }], ["ts"]),
        ([[#"{"code":"x"}"#, #"{"code":"x"}"#]], nil),
        ([[#"{"a":"x","ts":1}"#, #"{"a":"x","ts":2}"#, #"{"a":"y","ts":1}"#]], nil),
        ([["1", "2"]], nil), ([[]], nil),
    ]

    @Test(arguments: lists)
    func `the fewest telling fields that differ together are the key`(pages: [[String]], key: [String]?) throws {
        let selections = try pages.map { page in
            let document = try Document(parsing: Bytes(Array("[\(page.joined(separator: ","))]".utf8)))
            return document.withRoot { Selection(valuesOf: $0, in: document) }
        }
        #expect(KeyInference.combination(in: selections) == key)
    }

    @Test func `fields that other records share are passed over`() throws {
        let records = (0..<6).map { #"{"day":\#($0),"sensor":"a","hour":\#($0)}"# }.joined(separator: ",")
        let document = try Document(parsing: Bytes(Array("[\(records)]".utf8)))
        let selection = document.withRoot { Selection(valuesOf: $0, in: document) }
        #expect(KeyInference.combination(in: [selection]) { $0 != ["day"] } == ["hour"])
    }

    private static func reading(_ sensors: String, _ number: Int) -> String {
        let letters = Array(sensors)
        let time = "2026-01-31T0\(number / letters.count):00:00Z"
        let quality = number % 4 == 0 ? "suspect" : "good"
        return
            #"{"ts":"\#(time)","sensor":"\#(letters[number % letters.count])","value":\#(number).5,"unit":"C","quality":"\#(quality)"}"#
    }
}
