/// One kind of animal and the facts that are told about it.
///
/// Lengths and weights are those of adults: head and body for land mammals, shell for tortoises and the nautilus,
/// carapace for crabs, else the whole animal. The lifespan is an age reached in good conditions.
struct Animal: Sendable, Equatable, Identifiable {
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
enum AnimalType: String, Sendable, CaseIterable {
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
enum ActiveTime: String, Sendable {
    case diurnal = "Diurnal"
    case nocturnal = "Nocturnal"
    case crepuscular = "Crepuscular"
    /// By day and by night, without a fixed rhythm.
    case cathemeral = "Cathemeral"
}
