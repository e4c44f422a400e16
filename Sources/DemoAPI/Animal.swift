/// One kind of animal with its facts.
///
/// Lengths and weights are those of adults: head and body for land mammals, shell for tortoises and the
/// nautilus, carapace for crabs, otherwise the whole animal. The lifespan is an age reached in good conditions.
struct Animal: Sendable, Equatable, Identifiable, Decodable {
    let id: Int
    var name: String
    var latinName: String
    var type: AnimalType
    var activeTime: ActiveTime
    var lengthInFeet: ClosedRange<Double>
    var weightInPounds: ClosedRange<Double>
    var lifespanInYears: Double
    var habitat: String
    var diet: String
    var geoRange: String
}

/// The class or group that an animal belongs to, in words a visitor would use.
enum AnimalType: String, Sendable, CaseIterable, Decodable {
    case mammal = "Mammal"
    case bird = "Bird"
    case reptile = "Reptile"
    case amphibian = "Amphibian"
    case fish = "Fish"
    case insect = "Insect"
    case arachnid = "Arachnid"
    case crustacean = "Crustacean"
    case mollusc = "Mollusc"
}

/// The part of the day in which an animal is mostly awake.
enum ActiveTime: String, Sendable, Decodable {
    case diurnal = "Diurnal"
    case nocturnal = "Nocturnal"
    case crepuscular = "Crepuscular"
    /// Active by day and by night, without a fixed rhythm.
    case cathemeral = "Cathemeral"
}

extension Animal {
    /// Returns the object that the API sends.
    func json(baseURL: String) -> JSONValue {
        .object([
            ("name", .string(name)),
            ("latin_name", .string(latinName)),
            ("animal_type", .string(type.rawValue)),
            ("active_time", .string(activeTime.rawValue)),
            ("length_min", .number(lengthInFeet.lowerBound.decimalText(minimumPlaces: 0))),
            ("length_max", .number(lengthInFeet.upperBound.decimalText(minimumPlaces: 0))),
            ("weight_min", .number(weightInPounds.lowerBound.decimalText(minimumPlaces: 0))),
            ("weight_max", .number(weightInPounds.upperBound.decimalText(minimumPlaces: 0))),
            ("lifespan", .number(lifespanInYears.decimalText(minimumPlaces: 0))),
            ("habitat", .string(habitat)),
            ("diet", .string(diet)),
            ("geo_range", .string(geoRange)),
            ("image_link", .string("\(baseURL)images/\(id)")),
            ("id", .integer(id)),
        ])
    }
}

/// A JSON value whose objects keep the order in which their members were written.
enum JSONValue: Sendable {
    case null
    case integer(Int)
    /// A number in its final spelling.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// The compact spelling of RFC 8259, in UTF-8 with only the mandatory escapes.
    var text: String {
        switch self {
        case .null: "null"
        case .integer(let integer): String(integer)
        case .number(let digits): digits
        case .string(let string): Self.quoted(string)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var quoted = "\""
        // By scalars: a quotation mark followed by a combining mark is one Character, unequal to a quotation mark.
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Double {
    /// Returns decimal digits without an exponent, such as `1.20` or `0.0006`.
    ///
    /// Rounded to four places, without trailing zeros beyond `minimumPlaces`. The value must not be negative
    /// and must be below a thousand million.
    func decimalText(minimumPlaces: Int) -> String {
        precondition(self >= 0 && self < 1e9 && (0...4).contains(minimumPlaces), "a measure out of bounds: \(self)")
        let tenThousandths = Int((self * 10_000).rounded())
        var places = String(10_000 + tenThousandths % 10_000).dropFirst()
        while places.count > minimumPlaces, places.last == "0" { places.removeLast() }
        let whole = String(tenThousandths / 10_000)
        return places.isEmpty ? whole : "\(whole).\(places)"
    }
}

extension Int {
    /// Parses ASCII digits only: no sign, no blank, nothing beyond an `Int`.
    init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
