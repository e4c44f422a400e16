extension Revision {
    /// What was learnt after the first edition.
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
            // Three species have been told apart since 2019; the one that kept the name lives in the north.
            Correction(id: 65) { $0.geoRange = "Guiana Shield: Guyana, Suriname, French Guiana and northern Brazil" },
            // A captive female weighed 71 grams.
            Correction(id: 73) { $0.weightInPounds = 0.02...0.16 },
        ],
        // They have left the zoo.
        removed: [67, 71]
    )
}
