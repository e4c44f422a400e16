/// Sizes as people write them: `64MiB`, `10MB`, `1024` (bytes).
package enum ByteSize {
    package enum Problem: Error, Equatable, Sendable {
        case negative
        case unknownUnit(String)
        /// Beyond 2⁶³ bytes.
        case outOfRange
        case malformed
    }

    package static func parse(_ text: String) throws(Problem) -> Int {
        if text.hasPrefix("-") { throw .negative }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { throw .malformed }
        let name = text.dropFirst(digits.count).drop { $0 == " " }
        guard name.allSatisfy(\.isLetter) else { throw .malformed }
        guard let unit = units.first(where: { $0.name == name })?.bytes else { throw .unknownUnit(String(name)) }
        guard let number = Int(digits) else { throw .outOfRange }
        let product = number.multipliedReportingOverflow(by: unit)
        if product.overflow { throw .outOfRange }
        return product.partialValue
    }

    /// The spelling with the largest unit that divides `bytes` exactly.
    package static func format(_ bytes: Int) -> String {
        let unit = units.first { $0.bytes > 1 && bytes != 0 && bytes % $0.bytes == 0 }
        guard let unit else { return String(bytes) }
        return "\(bytes / unit.bytes)\(unit.name)"
    }

    static let unitNames = units.map(\.name).filter { !$0.isEmpty }

    private static let units: [(name: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1_000), ("KB", 1_000), ("B", 1), ("", 1),
    ]
}
