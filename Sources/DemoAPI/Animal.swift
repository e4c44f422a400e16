import GarnerJSON

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
    func json(baseURL: String) -> JSONText {
        .object([
            ("name", .string(name)),
            ("latin_name", .string(latinName)),
            ("animal_type", .string(type.rawValue)),
            ("active_time", .string(activeTime.rawValue)),
            ("length_min", .verbatim(lengthInFeet.lowerBound.decimalText(minimumPlaces: 0))),
            ("length_max", .verbatim(lengthInFeet.upperBound.decimalText(minimumPlaces: 0))),
            ("weight_min", .verbatim(weightInPounds.lowerBound.decimalText(minimumPlaces: 0))),
            ("weight_max", .verbatim(weightInPounds.upperBound.decimalText(minimumPlaces: 0))),
            ("lifespan", .verbatim(lifespanInYears.decimalText(minimumPlaces: 0))),
            ("habitat", .string(habitat)),
            ("diet", .string(diet)),
            ("geo_range", .string(geoRange)),
            ("image_link", .string("\(baseURL)images/\(id)")),
            ("id", JSONText(id)),
        ])
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
