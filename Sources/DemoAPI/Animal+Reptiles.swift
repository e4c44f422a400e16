extension Animal {
    static let reptiles = [
        Animal(
            id: 47, name: "Galápagos Tortoise", latinName: "Chelonoidis niger", type: .reptile, activeTime: .diurnal,
            lengthInFeet: 2...4.9, weightInPounds: 60...919, lifespanInYears: 100,
            habitat: "Dry lowland scrub and moist highland meadows of volcanic islands",
            diet: "Cactus pads, grasses, leaves and fruit",
            geoRange: "Galápagos Islands, Ecuador"),
        Animal(
            id: 48, name: "Gila Monster", latinName: "Heloderma suspectum", type: .reptile, activeTime: .diurnal,
            lengthInFeet: 1.1...1.84, weightInPounds: 0.77...5.07, lifespanInYears: 30,
            habitat: "Desert scrub, rocky slopes and dry oak woodland",
            diet: "Eggs, nestlings, young mammals and lizards",
            geoRange: "Southwestern United States and northwestern Mexico"),
        Animal(
            id: 49, name: "Green Anaconda", latinName: "Eunectes murinus", type: .reptile, activeTime: .nocturnal,
            lengthInFeet: 6...17, weightInPounds: 15...215, lifespanInYears: 30,
            habitat: "Swamps, marshes and slow streams in forest and savanna",
            diet: "Capybaras, deer, caimans, birds, turtles and fish",
            geoRange: "Tropical South America east of the Andes, and Trinidad"),
        Animal(
            id: 50, name: "King Cobra", latinName: "Ophiophagus hannah", type: .reptile, activeTime: .diurnal,
            lengthInFeet: 10.4...19.2, weightInPounds: 11...20, lifespanInYears: 20,
            habitat: "Forest, bamboo thickets, swamps and farmland near streams",
            diet: "Other snakes, and sometimes lizards",
            geoRange: "South and Southeast Asia"),
        Animal(
            id: 51, name: "Komodo Dragon", latinName: "Varanus komodoensis", type: .reptile, activeTime: .diurnal,
            lengthInFeet: 6.5...10, weightInPounds: 143...366, lifespanInYears: 30,
            habitat: "Hot, dry grassland, savanna and monsoon forest",
            diet: "Deer, wild boar, water buffalo, carrion and smaller dragons",
            geoRange: "Komodo, Rinca, Flores and small islands between them, in Indonesia"),
        Animal(
            id: 52, name: "Leatherback Sea Turtle", latinName: "Dermochelys coriacea", type: .reptile,
            activeTime: .cathemeral,
            lengthInFeet: 4.3...7.2, weightInPounds: 550...1540, lifespanInYears: 50,
            habitat: "Open ocean; nests on sandy tropical beaches",
            diet: "Jellyfish and salps",
            geoRange: "Atlantic, Pacific and Indian oceans, from the tropics to subpolar waters"),
        Animal(
            id: 53, name: "Panther Chameleon", latinName: "Furcifer pardalis", type: .reptile, activeTime: .diurnal,
            lengthInFeet: 0.75...1.71, weightInPounds: 0.13...0.4, lifespanInYears: 7,
            habitat: "Trees and shrubs of warm, humid coastal lowland",
            diet: "Crickets, grasshoppers, mantises and other insects",
            geoRange: "Northern and eastern Madagascar; introduced to Réunion and Mauritius"),
        Animal(
            id: 54, name: "Saltwater Crocodile", latinName: "Crocodylus porosus", type: .reptile,
            activeTime: .nocturnal,
            lengthInFeet: 7.5...20.7, weightInPounds: 168...2205, lifespanInYears: 70,
            habitat: "Mangroves, estuaries, tidal rivers, swamps and coastal seas",
            diet: "Fish, crabs, turtles, birds, wild boar and buffalo",
            geoRange: "Eastern India through Southeast Asia to northern Australia and the Solomon Islands"),
        Animal(
            id: 55, name: "Thorny Devil", latinName: "Moloch horridus", type: .reptile, activeTime: .diurnal,
            lengthInFeet: 0.5...0.7, weightInPounds: 0.06...0.21, lifespanInYears: 20,
            habitat: "Sandy desert and dry scrub with spinifex",
            diet: "Ants",
            geoRange: "Western and central Australia"),
        Animal(
            id: 56, name: "Tuatara", latinName: "Sphenodon punctatus", type: .reptile, activeTime: .nocturnal,
            lengthInFeet: 1.5...2.6, weightInPounds: 1.1...2.9, lifespanInYears: 100,
            habitat: "Coastal forest and scrub on islands, often in the burrows of seabirds",
            diet: "Wētā, beetles, spiders, worms, lizards and seabird chicks",
            geoRange: "Islands off New Zealand, and fenced sanctuaries of the mainland"),
    ]
}
