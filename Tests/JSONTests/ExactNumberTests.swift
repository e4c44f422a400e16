import TestSupport
import Testing

@testable import GarnerJSON

struct ExactNumberTests {
    /// Numbers in their order; those of one line are equal.
    static let ordered = [
        ["-1e99999999999999999999", "-10e99999999999999999998"], ["-1e400"], ["-9223372036854775809"],
        ["-9223372036854775808", "-9223372036854775808.0", "-9.223372036854775808e18"], ["-1", "-1.0", "-10e-1"],
        ["-0.5", "-5e-1"], ["-1e-400"], ["-1e-99999999999999999999"],
        ["0", "-0", "0.0", "-0.0", "0e5", "0e-99999999999999999999", "0.000e99999999999999999999"],
        ["1e-100000000000000000000", "0.1e-99999999999999999999", "10e-100000000000000000001"],
        ["1e-99999999999999999999"], ["1e-1000000000000000001"], ["1e-1000000000000000000"],
        ["1e-999999999999999999", "0.1e-999999999999999998"], ["1e-999999999"], ["5e-324"],
        ["0.1", "1e-1", "0.10", "0.1000000000000000000000000000"], ["0.1000000000000000055511151231257827"],
        ["0.3"], ["0.30000000000000003"], ["0.30000000000000004"], ["1", "1.0", "1e0", "0.01e2", "100E-2", "1e+0"],
        ["1.00000000000000000001"], ["9007199254740992", "9007199254740992.0", "9007199254740992e0"],
        ["9007199254740993", "9007199254740993.0"], ["9007199254740994"], ["9007199254740994.5"],
        ["100000000000000000", "1e17"], ["100000000000000001"], ["9223372036854775807"],
        ["9223372036854775808", "9223372036854775808.0"], ["9223372036854775809"], ["18446744073709551616"],
        ["100000000000000000000000", "1e23", "1.0e23"], ["100000000000000000000001"],
        ["1.7976931348623157e308"], ["1.7976931348623157e309"], ["1e400", "10e399"], ["1.5e400"], ["1e999999999"],
        ["1e999999999999999999", "0.1e1000000000000000000", "0.01e1000000000000000001"],
        ["1e1000000000000000000", "10e999999999999999999", "1000e999999999999999997"],
        ["1e99999999999999999998", "0.1e99999999999999999999"],
        ["1e99999999999999999999", "0.1e100000000000000000000"],
        ["1.1e99999999999999999999"], ["10e99999999999999999999", "1e+100000000000000000000"],
    ]

    @Test(arguments: ordered.indices)
    func `numbers are compared as they are spelled`(rank: Int) throws {
        for (otherRank, others) in Self.ordered.enumerated() {
            for one in Self.ordered[rank] {
                for other in others {
                    try Document("[\(one),\(other)]").withRoot { root in
                        let numbers = try root.elements.map { try #require(ExactNumber(.node($0))) }
                        let expected: ExactNumber.Order =
                            rank < otherRank ? .less : rank == otherRank ? .equal : .greater
                        #expect(numbers[0].compare(numbers[1]) == expected, "\(one) and \(other)")
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("@ == 12345678901234567890", "12345678901234567891", false),
            ("@ == 12345678901234567890", "1234567890123456789e1", true), ("@ > 1e400", "1.0001e400", true),
            ("@ == 0.1", "0.1000000000000000055511151231257827", false), ("@ != 1e999999999", "1e999999998", true),
            ("count(@) == 1.0", "5", true), ("count(@) < 1.00000000000000000001", "5", true),
            ("count(@) == 10e-1", "5", true), ("@ >= -0", "0", true),
        ])
    func `an expression compares numbers exactly`(expression: String, value: String, holds: Bool) throws {
        let filter = try FilterExpression(parsing: expression)
        #expect(try Document(value).withRoot { try filter.matches($0, root: $0) } == holds)
    }

    /// Decimals with few places are compared as whole numbers of the last place.
    @Test(arguments: 0..<20)
    func `numbers are in the order of whole numbers`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let units = (0..<2).map { _ in
                Int64.random(in: -12...12, using: &random) * (Bool.random(using: &random) ? 1 : 12_345)
            }
            let spellings = units.map { Self.spell($0, &random) }
            try Document("[\(spellings.joined(separator: ","))]").withRoot { root in
                let numbers = try root.elements.map { try #require(ExactNumber(.node($0))) }
                let expected: ExactNumber.Order = units[0] < units[1] ? .less : units[0] == units[1] ? .equal : .greater
                #expect(numbers[0].compare(numbers[1]) == expected, "\(spellings)")
            }
        }
    }

    /// Spells so many hundredths, in one of many ways.
    private static func spell(_ hundredths: Int64, _ random: inout SplitMix64) -> String {
        let shift = Int.random(in: -25...25, using: &random)
        let sign = hundredths < 0 ? "-" : ""
        var digits = String(hundredths.magnitude) + String(repeating: "0", count: Int.random(in: 0...3, using: &random))
        var exponent = -2 - (digits.count - String(hundredths.magnitude).count)
        if shift < 0 {
            digits = String(repeating: "0", count: max(1 - shift - digits.count, 0)) + digits
            digits.insert(".", at: digits.index(digits.endIndex, offsetBy: shift))
            exponent -= shift
        } else {
            digits += String(repeating: "0", count: shift)
            exponent -= shift
        }
        let whole = digits.prefix { $0 != "." }
        let trimmed = whole.drop { $0 == "0" }
        digits = (trimmed.isEmpty ? "0" : String(trimmed)) + digits.dropFirst(whole.count)
        return sign + digits + (exponent == 0 ? "" : "e\(exponent)")
    }
}
