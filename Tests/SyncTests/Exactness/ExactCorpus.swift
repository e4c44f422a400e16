import TestSupport

/// Numbers, texts and names that are hard to keep.
enum ExactCorpus {
    private static let int64s: [Int64] = [
        .min, .min + 1, .max, .max - 1, 0, -1, 1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 1 << 31, 1 << 32, 1 << 62,
        999_999_999_999_999_999, -999_999_999_999_999_999, 10, -100,
    ]

    private static let numbers = [
        "-0", "0", "-0.0", "0.0", "0e5", "-0e0", "1", "1.0", "1e0", "1E+2", "1.50", "-1.50", "1e400", "-1e400",
        "1e-400",
        "5e-324", "4.9406564584124654e-324", "2.2250738585072014e-308", "1.7976931348623157e308",
        "1.7976931348623159e308",
        "0.1", "0.30000000000000004", "0.1000000000000000055511151231257827", "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "9007199254740993",
        "9007199254740993.0", "100000000000000000000", "1e22", "1e23", "123456789012345678901234567890", "1.0e+00002",
        "1e-7",
        "0.0000001", "123.4500", "99999999999999999999999999999999999999.99",
        "3.14159265358979323846264338327950288419",
        "1E400", "12e-1", "1e15", "1e16", "1e17", "1e18", "1e19", "1000000000000000.5", "0.5e1", "10e-1",
    ]

    static func int64(_ random: inout SplitMix64) -> Int64 { int64s[Int.random(in: int64s.indices, using: &random)] }

    /// A random JSON number of any form.
    static func number(_ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: numbers[Int.random(in: numbers.indices, using: &random)]
        case 3..<6: sign(&random) + digits(1...40, &random)
        case 6..<9: decimal(&random)
        default:
            decimal(&random) + (Bool.random(using: &random) ? "e" : "E+") + "\(Int.random(in: 0...330, using: &random))"
        }
    }

    /// A number of up to 40 digits, some of them after the point.
    static func decimal(_ random: inout SplitMix64) -> String {
        let before = Int.random(in: 1...39, using: &random)
        let fraction = (0..<Int.random(in: 1...40 - before, using: &random)).map { _ in
            String(Int.random(in: 0...9, using: &random))
        }
        return sign(&random) + digits(1...before, &random) + "." + fraction.joined()
    }

    /// A number that a double holds exactly, in the shortest spelling.
    static func double(_ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return "\(Double.random(in: -1...1, using: &random))"
        case 1: return "\(Double.random(in: -1e12...1e12, using: &random))"
        case 2: return "\(Double(Int.random(in: -9_999...9_999, using: &random)))"
        default:
            let double = Double(bitPattern: random.next())
            return double.isFinite ? "\(double)" : "0.5"
        }
    }

    private static func sign(_ random: inout SplitMix64) -> String { Bool.random(using: &random) ? "-" : "" }

    private static func digits(_ count: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        let first = String(Int.random(in: 1...9, using: &random))
        return (1..<Int.random(in: count, using: &random) + 1).dropFirst().reduce(into: first) { digits, _ in
            digits += String(Int.random(in: 0...9, using: &random))
        }
    }

    private static let texts: [String] = [
        "", " ", "\"", "\"\"", "'", ",", ";", "\n", "\r", "\r\n", "\t", "\\", "\\n", "\\u0041", "\0", "a\0b", "\0\0",
        "\u{FEFF}", "\u{FEFF}a",
        "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "\u{E000}", "\u{1}", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}", "\u{2028}",
        "\u{2029}", "\u{202E}abc",
        "e\u{301}", "\u{E9}", "\u{212B}", "A\u{30A}", "\u{1100}\u{1161}", "\u{AC00}", "🇨🇭", "👩‍👩‍👧‍👦", "=1+1", "+1", "-1",
        "@a", "NULL", "null", "true",
        "1", "1.0", "01", "1e400", "0x10", "9223372036854775808", "-0", " 1", "1 ", "a,b\r\n\"c\"", "\"\n", ",\"",
        "x'00'", "[]", "{}", "$1",
        "SELECT 1;--", "%s%n", "../..", "\u{1B}[31m", "𝕊", "ﬀ", "İ", "ß", "\u{300}", "\"\u{301},",
    ]

    static func text(_ random: inout SplitMix64) -> [UInt8] {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Array(texts.randomElement(using: &random)?.utf8 ?? "".utf8)
        case 1: return Array(repeating: UInt8(ascii: "x"), count: Int.random(in: 0...3_000, using: &random))
        case 2...4:
            return (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in
                Array(texts.randomElement(using: &random)?.utf8 ?? "".utf8)
            }
        default:
            return (0..<Int.random(in: 0...12, using: &random)).flatMap { _ in
                Array(String(Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &random)) ?? "\u{FFFD}").utf8)
            }
        }
    }

    /// Names that differ in case or in their Unicode form only, that are kept for others, or that end a word of SQL or CSV.
    static let names: [String] = [
        "name", "Name", "NAME", "nAme", "caf\u{E9}", "cafe\u{301}", "Caf\u{E9}", "\u{212B}", "\u{C5}", "A\u{30A}",
        "sqlite_a", "SQLITE_a", "_garner_x",
        "_GARNER_x", "_garner_deleted_at", "_garner_rest", "rowid", "_rowid_", "oid", "__rowid_", "", " ", "_", "a,b",
        "a\"b", "a'b", "a\nb", "a\r\nb",
        "a\tb", "a;b", "a\\b", "select", "*", "%", "\u{FEFF}a", "\u{FEFF}", "=1", "-1", "@x", "1", "0", "$", "$['a']",
        "a.b", "a__b", "[0]", "]", "`",
        "\u{1}", "\u{7F}", "\u{202E}", "👩‍👩‍👧‍👦", "ß", "SS", "ss", "İ", "i\u{307}", "null", "true", "id ", "ID2",
        String(repeating: "n", count: 255),
        String(repeating: "é", count: 127), "name_2", "Name_2", "--", "/*", ":a", "?1", "x'00'",
    ]

    /// Names that hide the end of a quotation behind a combining mark, or look like a part of a table's declaration.
    static let hostileNames: [String] = {
        var names = ["\"", "'", "\\", "|", "[", "]", "`", ",", ".", "$", "="].flatMap { mark in
            ["a\(mark)\u{301}", "\(mark)\u{200D}b"]
        }
        names += ["caf\u{E9}", "cafe\u{301}", "\u{301}", "e\u{301}\u{327}", "e\u{327}\u{301}"]
        names += [
            "x,\n    \"", " INTEGER foo", "\" TEXT,\n    ", ",\n    \"", " TEXT", "\" INTEGER", ", \"", "(\n    \"",
            ")",
            ") --", "/*", "*/", "--\n",
        ]
        let parts = names + ["a", " ", "\"", "'", "\u{301}", "\u{200D}", "\" BOOLEAN", "\" REAL", "é", "e\u{301}"]
        var random = SplitMix64(seed: 20_260_301)
        var known = Set(names.map { Array($0.utf8) })
        while names.count < 70 {
            let name = (0..<Int.random(in: 2...6, using: &random)).compactMap { _ in
                parts.randomElement(using: &random)
            }.joined()
            if known.insert(Array(name.utf8)).inserted { names.append(name) }
        }
        return names
    }()

    /// A JSON string: escaped only where it must be, or all but ASCII as UTF-16 in hexadecimal.
    static func quoted(_ bytes: [UInt8], escapingAll: Bool) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "/" where escapingAll: json += "\\/"
            case _ where scalar.value < 0x20 || (escapingAll && scalar.value > 0x7E):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
