extension Animal {
    static let invertebrates = [
        Animal(
            id: 70, name: "Western Honey Bee", latinName: "Apis mellifera", type: .insect, activeTime: .diurnal,
            lengthInFeet: 0.03...0.07, weightInPounds: 0.0002...0.0005, lifespanInYears: 5,
            habitat: "Meadows, woodland, farmland and gardens; nests in hollow trees and hives",
            diet: "Nectar, pollen and honey",
            geoRange: "Africa, Europe and western Asia; kept on every continent except Antarctica"),
        Animal(
            id: 71, name: "Desert Locust", latinName: "Schistocerca gregaria", type: .insect, activeTime: .diurnal,
            lengthInFeet: 0.15...0.25, weightInPounds: 0.003...0.008, lifespanInYears: 0.5,
            habitat: "Semi-desert and dry grassland with sandy soil",
            diet: "Leaves, shoots, flowers and seeds of almost any plant",
            geoRange: "North and East Africa, the Middle East and southwestern Asia"),
        Animal(
            id: 72, name: "European Stag Beetle", latinName: "Lucanus cervus", type: .insect,
            activeTime: .crepuscular,
            lengthInFeet: 0.1...0.3, weightInPounds: 0.004...0.013, lifespanInYears: 6,
            habitat: "Oak woodland, parks and hedgerows with rotting wood",
            diet: "Rotting wood as a larva; tree sap as an adult",
            geoRange: "Europe, from southern England and Iberia to western Asia"),
        Animal(
            id: 73, name: "Wētāpunga", latinName: "Deinacrida heteracantha", type: .insect, activeTime: .nocturnal,
            lengthInFeet: 0.2...0.33, weightInPounds: 0.02...0.08, lifespanInYears: 2,
            habitat: "Trees of native island forest free of rats",
            diet: "Fresh leaves",
            geoRange: "Te Hauturu-o-Toi / Little Barrier Island, New Zealand, and islands it was moved to"),
        Animal(
            id: 74, name: "Emperor Scorpion", latinName: "Pandinus imperator", type: .arachnid,
            activeTime: .nocturnal,
            lengthInFeet: 0.6...0.75, weightInPounds: 0.06...0.13, lifespanInYears: 8,
            habitat: "Burrows and termite mounds of rainforest and savanna",
            diet: "Termites, crickets, other arthropods and small lizards",
            geoRange: "West Africa, from Guinea-Bissau to Nigeria"),
        Animal(
            id: 75, name: "Goliath Birdeater", latinName: "Theraphosa blondi", type: .arachnid,
            activeTime: .nocturnal,
            lengthInFeet: 0.35...0.43, weightInPounds: 0.25...0.39, lifespanInYears: 20,
            habitat: "Burrows in moist upland rainforest and swampy ground",
            diet: "Earthworms, large insects, frogs, toads and mice",
            geoRange: "Northeastern South America, from Venezuela to northern Brazil"),
        Animal(
            id: 76, name: "Coconut Crab", latinName: "Birgus latro", type: .crustacean, activeTime: .nocturnal,
            lengthInFeet: 0.7...1.3, weightInPounds: 2...9, lifespanInYears: 60,
            habitat: "Coastal forest and rock crevices of tropical islands",
            diet: "Coconuts, fallen fruit, nuts, seeds and carrion",
            geoRange: "Islands of the Indian Ocean and the central Pacific"),
        Animal(
            id: 77, name: "Japanese Spider Crab", latinName: "Macrocheira kaempferi", type: .crustacean,
            activeTime: .cathemeral,
            lengthInFeet: 0.9...1.3, weightInPounds: 30...42, lifespanInYears: 100,
            habitat: "Sandy and rocky sea floor, 160 to 2,000 feet deep",
            diet: "Carrion, shellfish, starfish, worms and algae",
            geoRange: "Pacific coast of Japan"),
        Animal(
            id: 78, name: "Giant Pacific Octopus", latinName: "Enteroctopus dofleini", type: .mollusc,
            activeTime: .nocturnal,
            lengthInFeet: 9.8...16, weightInPounds: 22...110, lifespanInYears: 5,
            habitat: "Cold coastal waters with rocks and dens, down to 6,600 feet",
            diet: "Crabs, clams, scallops, abalone and fish",
            geoRange: "North Pacific, from Korea and Japan to Alaska and Baja California"),
    ]
}
