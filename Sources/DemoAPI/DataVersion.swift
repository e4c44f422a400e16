#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An edition of the animals' facts. The second one is what a later request to the API finds.
package enum DataVersion: String, Sendable, CaseIterable {
    case first
    case second

    /// The animals in the order of their IDs.
    var animals: [Animal] {
        switch self {
        case .first: Self.firstAnimals
        case .second: Self.secondAnimals
        }
    }

    private static let firstAnimals: [Animal] = {
        let lines = PackageResources.animals_ndjson.split(separator: UInt8(ascii: "\n"))
        do {
            return try lines.map { try JSONDecoder().decode(Animal.self, from: Data($0)) }
        } catch {
            preconditionFailure("animals.ndjson: \(error)")
        }
    }()
    private static let secondAnimals = Revision.second.applied(to: firstAnimals)
}

/// The differences between two editions, as IDs in ascending order.
package struct DataVersionChanges: Sendable, Equatable {
    package let added: [Int]
    package let updated: [Int]
    package let removed: [Int]

    /// The announced changes from the first edition to the second; the records of both agree with them.
    package static let firstToSecond = Revision.second.changes
}

/// The steps that turn one edition into the next.
struct Revision: Sendable {
    /// A correction of one fact about the animal with this ID.
    struct Correction: Sendable {
        let id: Int
        let apply: @Sendable (inout Animal) -> Void
    }

    let added: [Animal]
    let corrections: [Correction]
    let removed: Set<Int>

    /// Returns the revised animals in the order of their IDs.
    func applied(to animals: [Animal]) -> [Animal] {
        let revised = animals.filter { !removed.contains($0.id) }.map { animal in
            var animal = animal
            for correction in corrections where correction.id == animal.id { correction.apply(&animal) }
            return animal
        }
        return (revised + added).sorted { $0.id < $1.id }
    }

    var changes: DataVersionChanges {
        DataVersionChanges(
            added: added.map(\.id).sorted(),
            updated: corrections.map(\.id).sorted(),
            removed: removed.sorted()
        )
    }
}

extension Revision {
    /// The changes after the first edition.
    static let second = Revision(
        added: [
            Animal(
                id: 79, name: "Quokka", latinName: "Setonix brachyurus", type: .mammal, activeTime: .nocturnal,
                lengthInFeet: 1.3...1.8, weightInPounds: 5.5...11, lifespanInYears: 10,
                habitat: "Scrub, heath and swampy thickets with dense cover",
                diet: "Grasses, sedges, succulents and leaves",
                geoRange: "Southwestern Australia, above all Rottnest Island"),
            Animal(
                id: 80, name: "Kea", latinName: "Nestor notabilis", type: .bird, activeTime: .diurnal,
                lengthInFeet: 1.5...1.64, weightInPounds: 1.7...2.2, lifespanInYears: 20,
                habitat: "Alpine basins, southern beech forest and high valleys",
                diet: "Roots, leaves, berries, nectar, insects and carrion",
                geoRange: "South Island of New Zealand"),
            Animal(
                id: 81, name: "Fennec Fox", latinName: "Vulpes zerda", type: .mammal, activeTime: .nocturnal,
                lengthInFeet: 1.1...1.35, weightInPounds: 1.5...3.5, lifespanInYears: 14,
                habitat: "Sandy desert and semi-desert, in burrows beneath stable dunes",
                diet: "Insects, small rodents, lizards, eggs, fruit and roots",
                geoRange: "Sahara, from Morocco to Egypt and south to Niger and Sudan"),
        ],
        corrections: [
            // Thorvald, found in Denmark in 2023, had lived for 16 years.
            Correction(id: 11) { $0.lifespanInYears = 16 },
            // Growth rings on the scales, counted anew in 2021, gave about twice the age assumed before.
            Correction(id: 61) { $0.lifespanInYears = 100 },
            // Three species have been told apart since 2019. The one that kept the name lives in the north.
            Correction(id: 65) { $0.geoRange = "Guiana Shield: Guyana, Suriname, French Guiana and northern Brazil" },
            // A captive female weighed 71 grams.
            Correction(id: 73) { $0.weightInPounds = 0.02...0.16 },
        ],
        // They have left the zoo.
        removed: [67, 71]
    )
}

/// A small generator whose numbers follow from its seed (Steele, Lea and Flood, 2014); not for secrets.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
