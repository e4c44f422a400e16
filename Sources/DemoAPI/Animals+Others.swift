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

extension Animal {
    static let fishes = [
        Animal(
            id: 61, name: "West Indian Ocean Coelacanth", latinName: "Latimeria chalumnae", type: .fish,
            activeTime: .nocturnal,
            lengthInFeet: 4...6.6, weightInPounds: 65...209, lifespanInYears: 48,
            habitat: "Caves and steep rocky slopes, 300 to 2,300 feet deep",
            diet: "Fish, squid and cuttlefish",
            geoRange: "Western Indian Ocean, from Kenya and the Comoros to South Africa"),
        Animal(
            id: 62, name: "Atlantic Bluefin Tuna", latinName: "Thunnus thynnus", type: .fish,
            activeTime: .cathemeral,
            lengthInFeet: 6.5...10, weightInPounds: 440...1500, lifespanInYears: 35,
            habitat: "Open ocean, from the surface to 3,000 feet",
            diet: "Herring, mackerel, sardines, squid and crustaceans",
            geoRange: "North Atlantic Ocean and Mediterranean Sea"),
        Animal(
            id: 63, name: "Ocellaris Clownfish", latinName: "Amphiprion ocellaris", type: .fish,
            activeTime: .diurnal,
            lengthInFeet: 0.23...0.36, weightInPounds: 0.02...0.06, lifespanInYears: 10,
            habitat: "Sea anemones of sheltered reefs and lagoons",
            diet: "Plankton, algae and small crustaceans",
            geoRange: "Eastern Indian Ocean and western Pacific, from Thailand to Japan and northern Australia"),
        Animal(
            id: 64, name: "Great White Shark", latinName: "Carcharodon carcharias", type: .fish,
            activeTime: .cathemeral,
            lengthInFeet: 11...20, weightInPounds: 1150...4200, lifespanInYears: 70,
            habitat: "Coastal and open temperate seas",
            diet: "Fish, rays, seals, sea lions and whale carrion",
            geoRange: "Temperate and subtropical seas of the world"),
        Animal(
            id: 65, name: "Electric Eel", latinName: "Electrophorus electricus", type: .fish, activeTime: .nocturnal,
            lengthInFeet: 3.3...8.2, weightInPounds: 11...44, lifespanInYears: 22,
            habitat: "Calm, muddy rivers, streams and pools",
            diet: "Fish, crustaceans and small vertebrates; the young eat invertebrates",
            geoRange: "Northern South America"),
        Animal(
            id: 66, name: "Northern Pike", latinName: "Esox lucius", type: .fish, activeTime: .crepuscular,
            lengthInFeet: 1.3...4.9, weightInPounds: 1.1...63, lifespanInYears: 30,
            habitat: "Weedy lakes, slow rivers and brackish bays",
            diet: "Fish, frogs, crayfish, ducklings and voles",
            geoRange: "Fresh waters of northern North America, Europe and Asia"),
        Animal(
            id: 67, name: "Zebrafish", latinName: "Danio rerio", type: .fish, activeTime: .diurnal,
            lengthInFeet: 0.08...0.13, weightInPounds: 0.001...0.002, lifespanInYears: 5,
            habitat: "Shallow streams, ponds, ditches and rice fields",
            diet: "Insects, insect larvae, plankton and algae",
            geoRange: "India, Nepal and Bangladesh"),
        Animal(
            id: 68, name: "Sockeye Salmon", latinName: "Oncorhynchus nerka", type: .fish, activeTime: .diurnal,
            lengthInFeet: 1.5...2.75, weightInPounds: 4...15.4, lifespanInYears: 7,
            habitat: "Open ocean; rivers and lakes for spawning and youth",
            diet: "Zooplankton, shrimps, small fish and squid",
            geoRange: "North Pacific and its rivers, from Oregon to Alaska and from Kamchatka to Hokkaido"),
        Animal(
            id: 69, name: "Whale Shark", latinName: "Rhincodon typus", type: .fish, activeTime: .cathemeral,
            lengthInFeet: 26...41.5, weightInPounds: 13_000...47_000, lifespanInYears: 100,
            habitat: "Warm open ocean, and coasts where plankton blooms",
            diet: "Plankton, fish eggs, krill and small fish",
            geoRange: "Tropical and warm temperate seas of the world, except the Mediterranean"),
    ]
}

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
