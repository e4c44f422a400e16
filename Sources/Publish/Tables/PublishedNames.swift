package import GarnerModel

/// The names of published tables and columns, which SQL takes without quotes where it can.
package enum PublishedNames {
    /// NAMEDATALEN - 1. PostgreSQL cuts what is longer, and so takes two names for one.
    static let mostBytes = 63
    /// The bytes that stay of a longer name, before `_` and eight digits of its hash.
    static let keptBytes = 54

    /// Columns that each table has (postgresql.org/docs/current/ddl-system-columns.html).
    static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    /// Returns the name of a published column that differs from all `taken` ones.
    package static func column(_ name: String, taken: Set<ExactText>) -> String {
        let name = lowercased(name)
        return distinct(shortened(systemColumns.contains(name) ? "_" + name : name), from: taken)
    }

    /// Returns the name of a published table that differs from all `taken` ones.
    package static func table(_ name: String, taken: Set<ExactText>) -> String {
        distinct(shortened(lowercased(name)), from: taken)
    }

    /// ASCII letters only: that is how an unquoted name is read in a database of UTF-8.
    private static func lowercased(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > mostBytes else { return name }
        var hash = StableHash()
        hash.add(name.utf8)
        let digits = String(hash.mixed >> 32, radix: 16)
        return prefix(of: name, bytes: keptBytes) + "_" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    private static func distinct(_ name: String, from taken: Set<ExactText>) -> String {
        guard taken.contains(ExactText(name)) else { return name }
        for number in 2... {
            let suffix = "_\(number)"
            let numbered = prefix(of: name, bytes: mostBytes - suffix.utf8.count) + suffix
            if !taken.contains(ExactText(numbered)) { return numbered }
        }
        return name
    }

    /// Returns as many whole characters as have room in `bytes`.
    private static func prefix(of name: String, bytes: Int) -> String {
        let utf8 = Array(name.utf8)
        guard utf8.count > bytes else { return name }
        var end = bytes
        while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: utf8[..<end], as: UTF8.self)
    }
}

/// The name of a published table with its schema.
package struct PublishedPlace: Sendable, Hashable {
    package var schema: String
    package var name: String

    package init(schema: String, name: String) { (self.schema, self.name) = (schema, name) }

    /// By bytes, as SQL compares names.
    package static func == (left: Self, right: Self) -> Bool {
        ExactText(left.schema) == ExactText(right.schema) && ExactText(left.name) == ExactText(right.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(schema))
        hasher.combine(ExactText(name))
    }

    package var sql: String { "\(SQLText.name(schema)).\(SQLText.name(name))" }
    /// For a line that people copy, where somebody else has chosen the names.
    var plainSQL: String { "\(SQLText.plainName(schema)).\(SQLText.plainName(name))" }
}

package enum SQLText {
    /// Returns a name in quotes.
    package static func name(_ name: String) -> String { doubling(UInt8(ascii: "\""), in: name) }

    /// Returns a name in quotes for a line that people copy: what a terminal does not show stands there by its number.
    package static func plainName(_ name: String) -> String {
        func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        guard !name.unicodeScalars.allSatisfy(isPlain) else { return Self.name(name) }
        let escaped = name.unicodeScalars.map { scalar -> String in
            if scalar == "\\" { return "\\\\" }
            guard !isPlain(scalar) else { return String(Character(scalar)) }
            let digits = String(scalar.value, radix: 16)
            return "\\+" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
        }
        return "U&" + Self.name(escaped.joined())
    }

    /// Returns a text as a constant, whatever `standard_conforming_strings` is.
    package static func literal(_ text: String) -> String {
        let quoted = doubling(UInt8(ascii: "'"), in: text)
        guard quoted.utf8.contains(UInt8(ascii: "\\")) else { return quoted }
        return "E"
            + String(decoding: quoted.utf8.flatMap { $0 == UInt8(ascii: "\\") ? [$0, $0] : [$0] }, as: UTF8.self)
    }

    /// By bytes: a quote and a combining mark are one Character.
    private static func doubling(_ quote: UInt8, in text: String) -> String {
        String(decoding: [quote] + text.utf8.flatMap { $0 == quote ? [$0, $0] : [$0] } + [quote], as: UTF8.self)
    }
}
