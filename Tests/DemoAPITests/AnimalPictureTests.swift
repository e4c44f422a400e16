import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@testable import DemoAPI

struct AnimalPictureTests {
    @Test(arguments: DataVersion.second.animals)
    func `a picture is well-formed and says the names`(animal: Animal) {
        let reader = TextReader(animal.picture)
        #expect(reader.succeeded)
        #expect(reader.texts.contains(animal.name))
        #expect(reader.texts.contains(animal.latinName))
    }

    @Test func `no two pictures are the same, even without their words`() {
        let animals = DataVersion.first.animals
        #expect(Set(animals.map(\.picture)).count == animals.count)
        let wordless = animals.map { animal in
            var animal = animal
            animal.name = "Animal"
            animal.latinName = "Animal animal"
            return animal.picture
        }
        #expect(Set(wordless).count == animals.count)
    }

    @Test func `the same animal has the same picture`() throws {
        let animal = try #require(DataVersion.first.animals.first)
        #expect(animal.picture == animal.picture)
    }

    @Test(
        arguments: [
            ("Blue Whale", .swimmer(.whale)), ("Amazon River Dolphin", .swimmer(.dolphin)),
            ("African Bush Elephant", .beast(.elephant)), ("Jaguar", .beast(.cat)), ("Red Panda", .beast(.cat)),
            ("Giant Panda", .beast(.bear)), ("Common Vampire Bat", .beast(.bat)), ("Sumatran Orangutan", .beast(.ape)),
            ("African Wild Dog", .beast(.dog)), ("Naked Mole-rat", .beast(.rodent)), ("Güiña", .beast(.cat)),
            ("Emperor Penguin", .bird(.penguin)), ("Snowy Owl", .bird(.owl)), ("Common Raven", .bird(.bird)),
            ("Wandering Albatross", .bird(.soarer)), ("King Cobra", .crawler(.snake)),
            ("Galápagos Tortoise", .crawler(.turtle)), ("Leatherback Sea Turtle", .swimmer(.seaTurtle)),
            ("Komodo Dragon", .crawler(.lizard)), ("Golden Poison Frog", .crawler(.frog)), ("Axolotl", .swimmer(.newt)),
            ("Whale Shark", .swimmer(.shark)), ("Zebrafish", .swimmer(.fish)), ("Electric Eel", .swimmer(.eel)),
            ("European Stag Beetle", .crawler(.beetle)), ("Western Honey Bee", .crawler(.bee)),
            ("Goliath Birdeater", .crawler(.spider)), ("Emperor Scorpion", .crawler(.scorpion)),
            ("Coconut Crab", .crawler(.crab)), ("Giant Pacific Octopus", .swimmer(.octopus)),
        ] as [(String, Silhouette)])
    func `an animal has the outline by which it is known`(name: String, silhouette: Silhouette) throws {
        let animal = try #require(DataVersion.first.animals.first { $0.name == name })
        #expect(Silhouette(of: animal) == silhouette)
    }

    @Test func `each outline is that of some animal, and no two are the same`() {
        let drawn = (DataVersion.first.animals + DataVersion.second.animals).map(Silhouette.init(of:))
        #expect(Set(drawn) == Set(Silhouette.allCases))
        let shapes = Silhouette.allCases.map { $0.shapes(light: "#fff") }
        #expect(Set(shapes).count == shapes.count)
    }

    @Test(arguments: Silhouette.allCases)
    func `an outline stays within its picture, and above its words`(silhouette: Silhouette) {
        // The coordinates that stand at a capital letter, or follow one, are absolute.
        let numbers = silhouette.shapes(light: "#fff").matches(of: /[MLC] ?(-?\d+) (-?\d+)/)
        #expect(!numbers.isEmpty)
        for number in numbers {
            #expect((20...390).contains(Int(number.1) ?? -1), "\(number.0)")
            #expect((20...236).contains(Int(number.2) ?? -1), "\(number.0)")
        }
    }

    @Test func `names are escaped, whatever they hold`() throws {
        var animal = try #require(DataVersion.first.animals.first)
        animal.name = #"<b> & "Père's" "# + "\"\u{301}]]>"
        let reader = TextReader(animal.picture)
        #expect(reader.succeeded)
        #expect(reader.texts.contains(animal.name))
        #expect(!animal.picture.contains("<b>"))
    }
}

/// The text of each element of an XML document.
private final class TextReader: NSObject, XMLParserDelegate {
    private(set) var succeeded = false
    private(set) var texts: [String] = []
    private var text = ""

    init(_ xml: String) {
        super.init()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = self
        succeeded = parser.parse()
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        texts.append(text)
        text = ""
    }
}
