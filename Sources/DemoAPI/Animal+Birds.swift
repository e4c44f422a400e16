extension Animal {
    static let birds = [
        Animal(
            id: 32, name: "Andean Condor", latinName: "Vultur gryphus", type: .bird, activeTime: .diurnal,
            lengthInFeet: 3.3...4.3, weightInPounds: 17...33, lifespanInYears: 70,
            habitat: "Open mountains, high grassland and sea cliffs",
            diet: "Carrion",
            geoRange: "Andes and Pacific coast of South America, from Colombia to Tierra del Fuego"),
        Animal(
            id: 33, name: "Arctic Tern", latinName: "Sterna paradisaea", type: .bird, activeTime: .diurnal,
            lengthInFeet: 0.92...1.28, weightInPounds: 0.19...0.28, lifespanInYears: 30,
            habitat: "Coasts, islands and tundra in summer, open ocean the rest of the year",
            diet: "Small fish, crustaceans and insects",
            geoRange: "Breeds around the Arctic, winters around the Antarctic"),
        Animal(
            id: 34, name: "Bee Hummingbird", latinName: "Mellisuga helenae", type: .bird, activeTime: .diurnal,
            lengthInFeet: 0.16...0.2, weightInPounds: 0.0043...0.0057, lifespanInYears: 7,
            habitat: "Forest, woodland edges and gardens rich in flowers",
            diet: "Nectar, and small insects and spiders",
            geoRange: "Cuba"),
        Animal(
            id: 35, name: "Common Raven", latinName: "Corvus corax", type: .bird, activeTime: .diurnal,
            lengthInFeet: 1.8...2.2, weightInPounds: 1.5...4.4, lifespanInYears: 23,
            habitat: "Mountains, forest, coasts, tundra and desert",
            diet: "Carrion, small animals, eggs, insects, grain and fruit",
            geoRange: "Northern Hemisphere: North America, Europe, Asia and North Africa"),
        Animal(
            id: 36, name: "Emperor Penguin", latinName: "Aptenodytes forsteri", type: .bird, activeTime: .diurnal,
            lengthInFeet: 3.3...4.3, weightInPounds: 49...99, lifespanInYears: 20,
            habitat: "Sea ice and the cold waters around it",
            diet: "Fish, squid and krill",
            geoRange: "Antarctica"),
        Animal(
            id: 37, name: "Greater Flamingo", latinName: "Phoenicopterus roseus", type: .bird,
            activeTime: .cathemeral,
            lengthInFeet: 3.6...4.9, weightInPounds: 4.4...8.8, lifespanInYears: 60,
            habitat: "Shallow salt lakes, lagoons, mudflats and estuaries",
            diet: "Brine shrimps, midge larvae, molluscs, algae and seeds",
            geoRange: "Africa, southern Europe, the Middle East and South Asia"),
        Animal(
            id: 38, name: "Kākāpō", latinName: "Strigops habroptilus", type: .bird, activeTime: .nocturnal,
            lengthInFeet: 1.9...2.1, weightInPounds: 2.1...8.8, lifespanInYears: 60,
            habitat: "Forest and scrub on islands free of predators",
            diet: "Leaves, roots, bark, seeds and the fruit of rimu trees",
            geoRange: "New Zealand"),
        Animal(
            id: 39, name: "Laughing Kookaburra", latinName: "Dacelo novaeguineae", type: .bird, activeTime: .diurnal,
            lengthInFeet: 1.28...1.54, weightInPounds: 0.43...1.03, lifespanInYears: 15,
            habitat: "Eucalyptus woodland, parks and gardens",
            diet: "Lizards, snakes, mice, worms and large insects",
            geoRange: "Eastern Australia; introduced to Western Australia, Tasmania and New Zealand"),
        Animal(
            id: 40, name: "Philippine Eagle", latinName: "Pithecophaga jefferyi", type: .bird, activeTime: .diurnal,
            lengthInFeet: 2.8...3.4, weightInPounds: 10.4...17.6, lifespanInYears: 40,
            habitat: "Old tropical forest on mountain slopes",
            diet: "Flying lemurs, palm civets, monkeys, snakes and birds",
            geoRange: "Luzon, Samar, Leyte and Mindanao in the Philippines"),
        Animal(
            id: 41, name: "Resplendent Quetzal", latinName: "Pharomachrus mocinno", type: .bird,
            activeTime: .diurnal,
            lengthInFeet: 1.18...1.31, weightInPounds: 0.44...0.49, lifespanInYears: 20,
            habitat: "Canopy of mountain cloud forest",
            diet: "Wild avocados and other fruit, insects, frogs and lizards",
            geoRange: "Southern Mexico to western Panama"),
        Animal(
            id: 42, name: "Shoebill", latinName: "Balaeniceps rex", type: .bird, activeTime: .diurnal,
            lengthInFeet: 3.6...4.6, weightInPounds: 8.8...15.4, lifespanInYears: 35,
            habitat: "Papyrus swamp, reed beds and floating vegetation",
            diet: "Lungfish, bichirs, catfish, frogs and water snakes",
            geoRange: "East-central Africa, from South Sudan to Zambia"),
        Animal(
            id: 43, name: "Snowy Owl", latinName: "Bubo scandiacus", type: .bird, activeTime: .diurnal,
            lengthInFeet: 1.7...2.3, weightInPounds: 2.8...6.5, lifespanInYears: 28,
            habitat: "Open tundra; prairie, coasts and fields in winter",
            diet: "Lemmings, voles, hares and water birds",
            geoRange: "Arctic North America, Europe and Asia"),
        Animal(
            id: 44, name: "Southern Cassowary", latinName: "Casuarius casuarius", type: .bird, activeTime: .diurnal,
            lengthInFeet: 4.2...5.6, weightInPounds: 37...155, lifespanInYears: 40,
            habitat: "Tropical rainforest, swamp forest and mangroves",
            diet: "Fallen fruit, fungi, snails and small vertebrates",
            geoRange: "Northeastern Australia, southern New Guinea, Seram and the Aru Islands"),
        Animal(
            id: 45, name: "Toco Toucan", latinName: "Ramphastos toco", type: .bird, activeTime: .diurnal,
            lengthInFeet: 1.8...2.1, weightInPounds: 1.1...1.9, lifespanInYears: 20,
            habitat: "Open woodland, savanna, forest edges and plantations",
            diet: "Fruit, insects, eggs, nestlings and small reptiles",
            geoRange: "Central and eastern South America"),
        Animal(
            id: 46, name: "Wandering Albatross", latinName: "Diomedea exulans", type: .bird, activeTime: .cathemeral,
            lengthInFeet: 3.5...4.4, weightInPounds: 13...28, lifespanInYears: 50,
            habitat: "Open ocean; nests on windswept islands",
            diet: "Squid, fish and carrion",
            geoRange: "Southern Ocean and its subantarctic islands"),
    ]
}
