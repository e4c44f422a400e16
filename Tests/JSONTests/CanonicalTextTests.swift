import GarnerJSON
import TestSupport
import Testing

struct CanonicalTextTests {
    @Test(
        arguments: [
            (" { \"b\" : [ 1 , 2.50 ] , \"a\" : null } ", "{\"a\":null,\"b\":[1,2.50]}"),
            ("{\"b\":1,\"a\":2,\"b\":3}", "{\"a\":2,\"b\":3}"), ("{\"a\":1,\"a\":2,\"a\":3}", "{\"a\":3}"),
            ("{\"é\":1,\"z\":2,\"Z\":3,\"aa\":4,\"a\":5,\"\":6}", "{\"\":6,\"Z\":3,\"a\":5,\"aa\":4,\"z\":2,\"é\":1}"),
            ("{\"\u{FFFF}\":1,\"\u{10000}\":2}", "{\"\u{FFFF}\":1,\"\u{10000}\":2}"),
            ("\"\\u0041\\/\\u00e9\"", "\"A/é\""), ("\"\\b\\t\\n\\f\\r\\\"\\\\\"", "\"\\b\\t\\n\\f\\r\\\"\\\\\""),
            ("\"\\u0000\\u001F\\u007f\"", "\"\\u0000\\u001f\u{7F}\""),
            ("{\"\\u0001\":\"\\u0010\"}", "{\"\\u0001\":\"\\u0010\"}"),
            ("[1.0,1e2,-0,12345678901234567890]", "[1.0,1e2,-0,12345678901234567890]"), ("[[],{}]", "[[],{}]"),
            ("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}", "{\"cafe\u{301}\":2,\"caf\u{E9}\":1}"),
            ("[{\"b\":{\"d\":1,\"c\":2}}]", "[{\"b\":{\"c\":2,\"d\":1}}]"),
        ] as [(String, String)])
    func `equal JSON values have one canonical text`(source: String, canonical: String) throws {
        let text = try Document(source).canonical
        #expect(Array(text.utf8) == Array(canonical.utf8))
        #expect(try Document(text).canonical == text)
    }

    @Test(arguments: 0..<50)
    func `canonical text does not depend on the order of members, and is idempotent`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = RandomValue(&random, depth: 4)
        let first = try Document(value.text(&random)).canonical
        let second = try Document(value.text(&random)).canonical
        #expect(first == second)
        #expect(try Document(first).canonical == first)
    }

    @Test func `a canonical text can be reused after it is emptied`() throws {
        try Document("[1]").withRoot { root in
            var text = CanonicalText()
            text.append(root)
            text.removeAll()
            text.append(root)
            #expect(text.bytes == Array("[1]".utf8))
        }
    }
}

/// A value that can be written in many ways.
private indirect enum RandomValue {
    case scalar(String)
    case array([RandomValue])
    case object([(String, RandomValue)])

    init(_ random: inout SplitMix64, depth: Int) {
        switch Int.random(in: 0..<(depth > 0 ? 4 : 2), using: &random) {
        case 0:
            self = .scalar(["null", "true", "-1.50", "9007199254740993", "1e400"].randomElement(using: &random) ?? "0")
        case 1:
            self = .scalar(
                ["\"\"", "\"\\u00e9\"", "\"a\\nb\"", "\"😀\"", "\"\\ud800\""].randomElement(using: &random) ?? "0")
        case 2:
            self = .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in RandomValue(&random, depth: depth - 1) })
        default:
            self = .object(
                (0..<Int.random(in: 0..<6, using: &random)).map {
                    ("k\($0 * 7 % 5)\($0)", RandomValue(&random, depth: depth - 1))
                })
        }
    }

    func text(_ random: inout SplitMix64) -> String {
        let space = ["", " ", "\n\t"].randomElement(using: &random) ?? ""
        switch self {
        case .scalar(let text): return text
        case .array(let values):
            return "[\(space)" + values.map { $0.text(&random) }.joined(separator: "\(space),") + "]"
        case .object(let members):
            let texts = members.shuffled(using: &random).map { "\"\($0.0)\"\(space):\($0.1.text(&random))" }
            return "{" + texts.joined(separator: ",\(space)") + "}"
        }
    }
}
