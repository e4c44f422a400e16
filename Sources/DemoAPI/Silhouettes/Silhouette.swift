/// The outline by which an animal is known.
enum Silhouette: Hashable, CaseIterable {
    case beast(Beast)
    case bird(Bird)
    case crawler(Crawler)
    case swimmer(Swimmer)

    static let allCases: [Silhouette] =
        Beast.allCases.map(Silhouette.beast) + Bird.allCases.map(Silhouette.bird)
        + Crawler.allCases.map(Silhouette.crawler) + Swimmer.allCases.map(Silhouette.swimmer)

    /// Chooses the outline by the animal's type and the words of its name.
    init(of animal: Animal) {
        let name = animal.name.lowercased()
        let known = Self.byWord.first { type, words, _ in type == animal.type && words.contains { name.contains($0) } }
        self = known?.silhouette ?? Self.usual(animal.type)
    }

    private static let byWord: [(type: AnimalType, words: [String], silhouette: Silhouette)] = [
        (.mammal, ["whale"], .swimmer(.whale)), (.mammal, ["dolphin"], .swimmer(.dolphin)),
        (.mammal, ["otter"], .swimmer(.otter)), (.mammal, ["elephant"], .beast(.elephant)),
        (.mammal, ["okapi", "deer"], .beast(.deer)), (.mammal, ["vicu"], .beast(.llama)),
        (.mammal, ["camel"], .beast(.camel)), (.mammal, ["bison"], .beast(.bison)),
        (.mammal, ["jaguar", "leopard", "güiña"], .beast(.cat)),
        (.mammal, ["red panda", "meerkat"], .beast(.cat)),
        (.mammal, ["panda", "bear", "koala", "sloth"], .beast(.bear)),
        (.mammal, ["capybara", "mole-rat"], .beast(.rodent)), (.mammal, ["hedgehog"], .beast(.hedgehog)),
        (.mammal, ["beaver", "platypus"], .beast(.beaver)),
        (.mammal, ["anteater", "aardvark"], .beast(.anteater)),
        (.mammal, ["kangaroo", "quokka"], .beast(.kangaroo)), (.mammal, ["orangutan"], .beast(.ape)),
        (.mammal, ["aye-aye"], .beast(.monkey)), (.mammal, ["bat"], .beast(.bat)),
        (.bird, ["penguin"], .bird(.penguin)), (.bird, ["owl"], .bird(.owl)), (.bird, ["toucan"], .bird(.toucan)),
        (.bird, ["hummingbird"], .bird(.hummingbird)), (.bird, ["flamingo", "shoebill"], .bird(.wader)),
        (.bird, ["cassowary"], .bird(.ratite)),
        (.bird, ["condor", "tern", "eagle", "albatross"], .bird(.soarer)),
        (.reptile, ["sea turtle"], .swimmer(.seaTurtle)), (.reptile, ["tortoise"], .crawler(.turtle)),
        (.reptile, ["anaconda", "cobra"], .crawler(.snake)), (.reptile, ["crocodile"], .crawler(.crocodile)),
        (.amphibian, ["axolotl", "salamander", "olm"], .swimmer(.newt)),
        (.fish, ["shark"], .swimmer(.shark)), (.fish, ["eel"], .swimmer(.eel)),
        (.insect, ["honey bee"], .crawler(.bee)), (.insect, ["locust", "punga"], .crawler(.locust)),
        (.arachnid, ["scorpion"], .crawler(.scorpion)),
    ]

    private static func usual(_ type: AnimalType) -> Silhouette {
        switch type {
        case .mammal: .beast(.dog)
        case .bird: .bird(.bird)
        case .reptile: .crawler(.lizard)
        case .amphibian: .crawler(.frog)
        case .fish: .swimmer(.fish)
        case .insect: .crawler(.beetle)
        case .arachnid: .crawler(.spider)
        case .crustacean: .crawler(.crab)
        case .mollusc: .swimmer(.octopus)
        }
    }

    /// SVG shapes that face left, on a canvas of 400 by 300. Animals of the land stand at 216.
    ///
    /// They take fill and stroke from the group that contains them.
    ///
    /// - Parameter light: The colour of eyes and of lines within the shape: that of the surroundings.
    func shapes(light: String) -> String {
        switch self {
        case .beast(let beast): beast.shapes(light)
        case .bird(let bird): bird.shapes(light)
        case .crawler(let crawler): crawler.shapes(light)
        case .swimmer(let swimmer): swimmer.shapes(light)
        }
    }

    /// The places in which animals are shown.
    enum Surroundings {
        case land, water, air

        /// The outline of the ground, or of the water.
        var ground: String {
            switch self {
            case .land: "M0 196 Q100 168 200 190 T400 184 V300 H0 Z"
            case .water: "M0 118 q25 -12 50 0 t50 0 t50 0 t50 0 t50 0 t50 0 t50 0 t50 0 V300 H0 Z"
            case .air: "M0 236 Q100 216 200 232 T400 228 V300 H0 Z"
            }
        }
    }

    var surroundings: Surroundings {
        switch self {
        case .swimmer: .water
        case .beast(.bat), .bird(.soarer), .bird(.hummingbird), .crawler(.bee): .air
        case .beast, .bird, .crawler: .land
        }
    }
}
