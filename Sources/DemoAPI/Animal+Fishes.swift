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
