import Foundation
import GarnerJSON
import Testing

@testable import DemoAPI

struct AnimalTests {
    static let everyone = DataVersion.first.animals + DataVersion.second.animals

    @Test func `there are many animals of every type`() {
        let animals = DataVersion.first.animals
        #expect(animals.count >= 64)
        #expect(Set(animals.map(\.type)) == Set(AnimalType.allCases))
    }

    @Test(arguments: DataVersion.allCases)
    func `no two animals share an id, a name or a latin name`(edition: DataVersion) {
        let animals = edition.animals
        #expect(Set(animals.map(\.id)).count == animals.count)
        #expect(Set(animals.map(\.name)).count == animals.count)
        #expect(Set(animals.map(\.latinName)).count == animals.count)
    }

    @Test func `the first edition counts its ids from 1 without a gap`() {
        #expect(DataVersion.first.animals.map(\.id) == Array(1...DataVersion.first.animals.count))
    }

    @Test(arguments: everyone)
    func `every fact is told`(animal: Animal) {
        for text in [animal.name, animal.latinName, animal.habitat, animal.diet, animal.geoRange] {
            #expect(!text.isEmpty)
            #expect(text == text.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(!text.hasSuffix("."))
        }
    }

    @Test(arguments: everyone)
    func `measures are positive and survive their spelling`(animal: Animal) throws {
        let bounds = [
            animal.lengthInFeet.lowerBound, animal.lengthInFeet.upperBound,
            animal.weightInPounds.lowerBound, animal.weightInPounds.upperBound,
            animal.lifespanInYears,
        ]
        for bound in bounds {
            #expect(bound > 0)
            #expect(Double(bound.decimalText(minimumPlaces: 0)) == bound)
        }
        #expect(animal.lengthInFeet.lowerBound < animal.lengthInFeet.upperBound)
        #expect(animal.weightInPounds.lowerBound < animal.weightInPounds.upperBound)
    }

    @Test(arguments: everyone)
    func `a latin name is a genus and a species`(animal: Animal) {
        #expect(animal.latinName.wholeMatch(of: /[A-Z][a-z]+ [a-z]+/) != nil)
    }

    @Test func `the texts exercise what a reader of JSON and CSV must cope with`() {
        let animals = DataVersion.first.animals
        #expect(animals.filter { !$0.name.utf8.allSatisfy { $0 < 0x80 } }.count >= 3)
        #expect(animals.contains { $0.habitat.contains("\"") })
        #expect(animals.contains { $0.habitat.contains(",") })
        #expect(animals.contains { $0.name.contains("'") })
    }

    @Test func `its object has fourteen members in their order, measures as numbers`() throws {
        let animal = Animal(
            id: 7, name: #"The "Loch" Monster"#, latinName: "Nessiteras rhombopteryx", type: .reptile,
            activeTime: .cathemeral,
            lengthInFeet: 1.2...20, weightInPounds: 0.0006...3000.5, lifespanInYears: 0.5,
            habitat: "Lochs", diet: "Fish, eels", geoRange: "Scotland")
        #expect(
            animal.json(baseURL: "http://127.0.0.1:80/").text == #"""
                {"name":"The \"Loch\" Monster","latin_name":"Nessiteras rhombopteryx","animal_type":"Reptile",\#
                "active_time":"Cathemeral","length_min":1.2,"length_max":20,"weight_min":0.0006,\#
                "weight_max":3000.5,"lifespan":0.5,"habitat":"Lochs","diet":"Fish, eels","geo_range":"Scotland",\#
                "image_link":"http://127.0.0.1:80/images/7","id":7}
                """#)
    }
}
