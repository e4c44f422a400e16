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

    @Test func `each type has its own silhouette`() {
        #expect(Set(AnimalType.allCases.map(\.silhouette)).count == AnimalType.allCases.count)
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
