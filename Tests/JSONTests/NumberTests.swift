import GarnerJSON
import TestSupport
import Testing

struct NumberTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("-1", -1), ("10", 10), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775806", .max - 1), ("9223372036854775807", .max), ("-9223372036854775807", .min + 1),
            ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func `an integer of 64 bits is exact`(source: String, value: Int64) throws {
        for text in [source, "[\(source)]", "{\"a\":\(source)}", "[ \(source) ,0]"] {
            try Document(text).withRoot { root in
                let node = root["a"] ?? root.elements.map(\.self).first ?? root
                #expect(node.kind == .integer)
                #expect(node.integer == value)
                #expect(node.text == source)
            }
        }
    }

    @Test(
        arguments: [
            ("0.1", 0.1), ("-0", -0.0), ("0.0", 0), ("-0.0", -0.0), ("1.0", 1), ("1.50", 1.5), ("1e2", 100),
            ("1E+2", 100), ("12.5e-1", 1.25),
            ("0.30000000000000004", 0.1 + 0.2), ("1e308", 1e308), ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("2.2250738585072014e-308", .leastNormalMagnitude), ("5e-324", .leastNonzeroMagnitude),
            ("1e-320", Double(bitPattern: 2024)), ("1e22", 1e22), ("1e23", 1e23),
            ("123456789.123456", 123456789.123456), ("0.000001", 1e-6), ("3.141592653589793", .pi),
            ("100000000000000000000.0", 1e20), ("0e5", 0), ("0e999", 0), ("4.35", 4.35), ("0.1000", 0.1),
            ("0." + String(repeating: "0", count: 280) + "1", 1e-281), ("1." + String(repeating: "0", count: 280), 1),
        ] as [(String, Double)])
    func `a decimal that a double gives back is one`(source: String, value: Double) throws {
        for text in [source, "[\(source)]", "{\"a\":\(source)}", "[ \(source) ,0]", "[\(source)\n]"] {
            try Document(text).withRoot { root in
                let node = root["a"] ?? root.elements.map(\.self).first ?? root
                #expect(node.kind == .real)
                #expect(node.real == value)
                #expect(node.real.sign == value.sign)
                #expect(node.text == source)
            }
        }
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "1234567890123456789012345678901234567890",
        "-1234567890123456789012345678901234567890", "1e400", "-1e400", "1e-400", "1e99999999999999999999",
        "1e-99999999999999999999",
        "0.1000000000000000055511151231257827", "0.12345678901234567890", "9007199254740993.0",
        "1.00000000000000000001", "3.14159265358979323846",
        "4.9e-324", "2e-324", "1.7976931348623159e308", "123456789012345678.5", "0.30000000000000003",
        "100000000000000000000",
        "1" + String(repeating: "0", count: 400), "0." + String(repeating: "0", count: 400) + "1",
        "1." + String(repeating: "1", count: 2000),
    ])
    func `a number that neither holds keeps its spelling`(source: String) throws {
        for text in [source, "[\(source)]", "{\"a\": \(source) }"] {
            try Document(text).withRoot { root in
                let node = root["a"] ?? root.elements.map(\.self).first ?? root
                #expect(node.kind == .number)
                #expect(node.text == source)
            }
        }
    }

    /// The rule, told by Swift's own shortest digits.
    @Test(arguments: 0..<20)
    func `a decimal is a double exactly where the double's shortest digits are its own`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let sources = (0..<500).map { _ in Self.decimal(&random) }
        let document = try Document("[\(sources.joined(separator: ","))]")
        let kinds = document.withRoot { $0.elements.map(\.kind) }
        for (source, kind) in zip(sources, kinds) {
            let value = try #require(Double(source))
            let isHeld = value.isFinite && Digits(source) == Digits(value.description)
            #expect(kind == (isHeld ? .real : .number), "\(source)")
        }
    }

    private static func decimal(_ random: inout SplitMix64) -> String {
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
        }
        let sign = Bool.random(using: &random) ? "-" : ""
        switch Int.random(in: 0..<5, using: &random) {
        case 0:  // what another program prints for a double
            let value = Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &random))
            return sign
                + (value.description.contains(".") || value.description.contains("e")
                    ? value.description : "\(value).0")
        case 1:
            return
                "\(sign)\(Int.random(in: 0...9999, using: &random)).\(digits(Int.random(in: 1...25, using: &random)))"
        case 2:
            return "\(sign)0.\(digits(Int.random(in: 14...19, using: &random)))"
        case 3:
            let exponent = Int.random(in: -345...330, using: &random)
            return
                "\(sign)\(Int.random(in: 1...9, using: &random)).\(digits(Int.random(in: 1...18, using: &random)))e\(exponent)"
        default:
            let exponent = Int.random(in: -30...30, using: &random)
            return
                "\(sign)\(UInt64.random(in: 1...UInt64.max, using: &random) >> Int.random(in: 0..<64, using: &random))E\(exponent)"
        }
    }
}

/// A decimal's digits without zeros at either end, and the power of ten of the last.
private struct Digits: Equatable {
    var digits: String
    var exponent = 0

    init(_ text: String) {
        let parts = text.lowercased().drop { $0 == "-" }.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        digits = String(mantissa[0] + fraction)
        exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count
        while digits.last == "0" {
            digits.removeLast()
            exponent += 1
        }
        digits = String(digits.drop { $0 == "0" })
        if digits.isEmpty { exponent = 0 }
    }
}
