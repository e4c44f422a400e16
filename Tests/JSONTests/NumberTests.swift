import Foundation
import GarnerJSON
import TestSupport
import Testing

/// The number of numbers to test, from `GARNER_EXACT_NUMBERS`.
private let numberCount = ProcessInfo.processInfo.environment["GARNER_EXACT_NUMBERS"].flatMap(Int.init) ?? 200_000

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
            ("0.50000000000000000000", 0.5), ("12.500000000000000000000e3", 12500),
            ("5.960464477539063e-08", 0x1p-24),
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
        "5.9604644775390625e-08",
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

    @Test(arguments: [
        "", "-", "012", "+49", " 1", "1 ", "1.", ".5", "1e", "1e+", "1.e5", "--1", "0x10", "NaN", "2026-11-30", "1-2",
        "1.2.3",
        "1,5", "12345678901234567 8", "1\u{0}1", String(repeating: "1", count: 401),
    ])
    func `a text that only begins like a number is none`(text: String) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { SpelledNumber($0) } == nil)
    }

    /// The rule, told by Swift's own shortest digits.
    @Test(arguments: 0..<20)
    func `a decimal is a double exactly where the double's shortest digits are its own`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let sources = (0..<max(numberCount / 20, 1)).map { _ in Self.decimal(&random) }
        try Document("[\(sources.joined(separator: ","))]").withRoot { root in
            for (source, node) in zip(sources, root.elements) {
                let value = try #require(Double(source))
                let isHeld = value.isFinite && Digits(source) == Digits(value.description)
                let isRight = node.kind == (isHeld ? .real : .number)
                let spelled = Array(source.utf8).withUnsafeBufferPointer { SpelledNumber($0) }
                if spelled != (isHeld ? .real(value) : .other) { Issue.record("spelled \(source)") }
                if !isRight || isHeld && node.real.bitPattern != value.bitPattern { Issue.record("\(source)") }
            }
        }
    }

    private static func decimal(_ random: inout SplitMix64) -> String {
        func below(_ limit: UInt64) -> Int { Int(random.next() % limit) }
        func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
        func digits(_ most: UInt64) -> String {
            let text = "\(random.next() % 9 + 1)\(random.next())\(random.next())"
            return String(text.prefix(below(most) + 1))
        }
        func exponent() -> String { "e\(below(3) == 0 ? below(676) - 345 : below(61) - 30)" }
        let sign = below(2) == 0 ? "-" : ""
        switch below(9) {
        case 0:  // what another program prints for a double
            let value = Double(bitPattern: random.next() % 0x7FF0_0000_0000_0000).description
            return sign + value
        case 1: return "\(sign)\(digits(25)).\(digits(25))"
        case 2: return "\(sign)0.\(zeros(below(12)))\(digits(25))"
        case 3: return "\(sign)\(digits(1)).\(digits(25))\(exponent())"
        case 4: return "\(sign)\(digits(25))\(exponent())"
        case 5:
            return "\(sign)\(digits(18))\(zeros(below(9))).\(zeros(below(20) + 1))\(below(2) == 0 ? exponent() : "")"
        case 6: return "\(sign)0\(below(2) == 0 ? "." + digits(17) + zeros(below(30)) : exponent())"
        case 7:  // beside a power of two: between two doubles, or next to one
            return
                "\(sign)\((1 as UInt64) << UInt64(below(12) + 52) + UInt64(below(9)) - 4).\(["0", "5", "50001", "49"][below(4)])"
        default:  // a power of two or a subnormal, with its last digit or another
            let value = Double(bitPattern: below(2) == 0 ? random.next() >> 12 : UInt64(below(2047)) << 52).description
            let parts = value.split(separator: "e")
            let mantissa =
                "\(parts[0].dropLast())\(below(2) == 0 ? String(parts[0].suffix(1)) : "\(below(10))\(below(10))")"
            return sign + mantissa + (parts.count > 1 ? "e\(parts[1])" : "")
        }
    }
}

/// A decimal's digits without zeros at either end, and the power of ten of the last.
private struct Digits: Equatable {
    private var digits: [UInt8] = []
    private var exponent = 0

    init(_ text: String) {
        let text = Array(text.utf8)
        let end = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? end
        digits = text[..<end].filter { $0 >= UInt8(ascii: "0") }
        exponent = Int(String(decoding: text[end...].dropFirst(), as: UTF8.self)) ?? 0
        exponent -= max(end - point - 1, 0)
        let last = digits.lastIndex { $0 != UInt8(ascii: "0") } ?? -1
        exponent += digits.count - 1 - last
        digits = Array(digits[...last].drop { $0 == UInt8(ascii: "0") })
        if digits.isEmpty { exponent = 0 }
    }
}
