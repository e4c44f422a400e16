import GarnerDatabase
import GarnerModel
import GarnerPostgres
@testable import GarnerPublish
import TestSupport
import Testing

/// Random texts, of which the server says the same.
struct ServerAgreementTests {
    @Test(.timeLimit(.minutes(2))) func `the server takes each JSON text that is held or repaired`() async throws {
        let place = try await TableWorkplace()
        try await place.connection.executeScript(
            """
            CREATE FUNCTION is_jsonb(value text) RETURNS boolean LANGUAGE plpgsql AS
                'BEGIN PERFORM value::jsonb; RETURN true; EXCEPTION WHEN OTHERS THEN RETURN false; END'
            """)
        var random = SplitMix64(seed: 7)
        var (taken, refused): ([String], [String]) = ([], [])
        for _ in 0..<4_000 {
            var bytes = Self.json(depth: 0, &random)
            // Half of them are spoiled.
            if Bool.random(using: &random), !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = Array("\"\\{}[]:,0e-.u \u{1}x".utf8).randomElement(using: &random) ?? 0
            }
            bytes.withUnsafeBufferPointer { text in
                let json = JSONBText(text)
                switch json.verdict {
                case .held: taken.append(String(decoding: text, as: UTF8.self))
                case .heldAfterRepair: taken.append(String(decoding: json.repaired, as: UTF8.self))
                case .refused: refused.append(String(decoding: text, as: UTF8.self))
                }
            }
        }
        #expect(taken.count > 1_500 && refused.count > 200)
        let wrong = try await place.connection.execute(
            """
            SELECT text FROM unnest($1::text[]) AS text WHERE NOT is_jsonb(text)
            UNION ALL SELECT text FROM unnest($2::text[]) AS text WHERE is_jsonb(text)
            """, .texts(taken), .texts(refused))
        #expect(wrong.rows.compactMap { $0.first?.text } == [])
    }

    private static func json(depth: Int, _ random: inout SplitMix64) -> [UInt8] {
        func some(_ texts: [String]) -> [UInt8] { Array((texts.randomElement(using: &random) ?? "").utf8) }
        func string() -> [UInt8] {
            let parts = [
                "a", "é", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0000", "\\u00e9", "\\ud83d\\ude00", "\\ud83d",
                "\\uDE00",
                "\\\\u0000", "\\u0041", "\\b\\f\\r\\t",
            ]
            let count = Int.random(in: 0..<4, using: &random)
            return [0x22] + (0..<count).flatMap { _ in some(parts) } + [0x22]
        }
        switch Int.random(in: 0..<(depth > 3 ? 3 : 5), using: &random) {
        case 0:
            return some([
                "0", "-0", "1", "-12.50", "1e5", "1E+5", "0.1e-7", "123456789012345678901234567890", "1e200000",
                "1e-16384",
            ])
        case 1: return some(["true", "false", "null"])
        case 2: return string()
        case 3:
            let count = Int.random(in: 0..<4, using: &random)
            let elements = (0..<count).map { _ in json(depth: depth + 1, &random) }
            return Array("[ ".utf8) + elements.joined(separator: Array(" ,".utf8)) + Array("]".utf8)
        default:
            let count = Int.random(in: 0..<4, using: &random)
            let members = (0..<count).map { _ in string() + Array(" :\t".utf8) + json(depth: depth + 1, &random) }
            return Array("{".utf8) + members.joined(separator: Array(",\n".utf8)) + Array(" }".utf8)
        }
    }

    @Test(.timeLimit(.minutes(2))) func `numbers are in binary what they are as texts`() async throws {
        let place = try await TableWorkplace()
        var random = SplitMix64(seed: 9)
        let file = [
            FileColumn("id", .integer, keyPosition: 0), FileColumn("v", .text), FileColumn("n", .real, isNumeric: true),
        ]
        var converter = RowConverter(try await place.create(file), of: file)
        let rows = (0..<3_000).map { id in
            let text = Self.number(&random)
            return TestRow([.integer(Int64(id)), .text(text), .text(text)])
        }
        try await place.copy(rows, with: &converter)
        #expect(converter.notes.isEmpty)
        let wrong = try await place.connection.execute(
            "SELECT v, n::text FROM animals WHERE v::numeric::text IS DISTINCT FROM n::text LIMIT 5")
        #expect(wrong.rows == [])
        #expect(try await place.connection.execute("SELECT count(n) FROM animals").rows == [[.integer(3_000)]])
    }

    private static func number(_ random: inout SplitMix64) -> String {
        func digits(_ most: Int) -> String {
            let count = Int.random(in: 1...most, using: &random)
            return String(
                (0..<count).map { _ in Character(["0", "0", "1", "7", "9"].randomElement(using: &random) ?? "0") })
        }
        var number = Bool.random(using: &random) ? "-" : ""
        number += Int.random(in: 0..<4, using: &random) == 0 ? "0" : "3" + digits(30)
        if Bool.random(using: &random) { number += "." + digits(30) }
        if Int.random(in: 0..<3, using: &random) == 0 { number += "e\(Int.random(in: -60...60, using: &random))" }
        return number
    }

    @Test(.timeLimit(.minutes(2))) func `instants are what the server reads`() async throws {
        let place = try await TableWorkplace()
        var random = SplitMix64(seed: 11)
        func two(_ range: ClosedRange<Int>) -> String {
            let number = Int.random(in: range, using: &random)
            return number < 10 ? "0\(number)" : "\(number)"
        }
        let texts = (0..<3_000).map { _ in
            let fraction = Bool.random(using: &random) ? "." + String(Int.random(in: 0...999_999, using: &random)) : ""
            let offset =
                Bool.random(using: &random)
                ? "Z" : (Bool.random(using: &random) ? "+" : "-") + two(0...15) + ":" + two(0...59)
            return
                "\(two(10...29))\(two(0...99))-\(two(1...12))-\(two(1...31))T\(two(0...23)):\(two(0...59)):\(two(0...59))\(fraction)\(offset)"
        }
        let instants = texts.map { text -> Int64? in
            guard case .exact(let instant)? = Array(text.utf8).withUnsafeBufferPointer({ InstantText($0) }) else {
                return nil
            }
            return instant
        }
        #expect(instants.count { $0 == nil } < 200)
        try await place.connection.executeScript(
            """
            CREATE FUNCTION instant(value text) RETURNS timestamptz LANGUAGE plpgsql AS
                'BEGIN RETURN value::timestamptz; EXCEPTION WHEN OTHERS THEN RETURN NULL; END'
            """)
        let wrong = try await place.connection.execute(
            "SELECT text, instant FROM unnest($1::text[], $2::timestamptz[]) AS s (text, instant) WHERE instant(text) IS DISTINCT FROM instant",
            .texts(texts), .instants(instants))
        #expect(wrong.rows == [])
    }
}
