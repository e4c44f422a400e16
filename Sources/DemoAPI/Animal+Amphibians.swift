extension Animal {
    static let amphibians = [
        Animal(
            id: 57, name: "Axolotl", latinName: "Ambystoma mexicanum", type: .amphibian, activeTime: .nocturnal,
            lengthInFeet: 0.5...1.48, weightInPounds: 0.13...0.66, lifespanInYears: 15,
            habitat: #"Freshwater canals between the "chinampas", the floating gardens of a highland lake"#,
            diet: "Worms, insects, small fish, molluscs and crustaceans",
            geoRange: "Lake Xochimilco, Mexico City"),
        Animal(
            id: 58, name: "Chinese Giant Salamander", latinName: "Andrias davidianus", type: .amphibian,
            activeTime: .nocturnal,
            lengthInFeet: 3.3...5.9, weightInPounds: 55...110, lifespanInYears: 60,
            habitat: "Rocky mountain streams and lakes with clear, cold water",
            diet: "Crabs, frogs, fish, shrimps and insects",
            geoRange: "Central, southwestern and southern China"),
        Animal(
            id: 59, name: "Golden Poison Frog", latinName: "Phyllobates terribilis", type: .amphibian,
            activeTime: .diurnal,
            lengthInFeet: 0.15...0.18, weightInPounds: 0.05...0.07, lifespanInYears: 10,
            habitat: "Floor of lowland rainforest",
            diet: "Ants, beetles, termites and crickets",
            geoRange: "Pacific coast of Colombia"),
        Animal(
            id: 60, name: "Olm", latinName: "Proteus anguinus", type: .amphibian, activeTime: .cathemeral,
            lengthInFeet: 0.66...0.98, weightInPounds: 0.03...0.05, lifespanInYears: 70,
            habitat: "Underground waters of limestone caves",
            diet: "Small crustaceans, snails and insects",
            geoRange: "Italy, Slovenia, Croatia, and Bosnia and Herzegovina"),
    ]
}
