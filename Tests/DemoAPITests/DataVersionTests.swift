import Testing

@testable import DemoAPI

struct DataVersionTests {
    @Test func `the second edition differs exactly as announced`() {
        #expect(difference(from: .first, to: .second) == DataVersionChanges.firstToSecond)
    }

    @Test func `three animals come, four are corrected and two leave`() {
        let changes = DataVersionChanges.firstToSecond
        #expect(names(changes.added, in: .second) == ["Quokka", "Kea", "Fennec Fox"])
        #expect(
            names(changes.updated, in: .first) == [
                "European Hedgehog", "West Indian Ocean Coelacanth", "Electric Eel", "Wētāpunga",
            ])
        #expect(names(changes.removed, in: .first) == ["Zebrafish", "Desert Locust"])
    }

    @Test func `a corrected animal keeps its name and all but one fact`() throws {
        let after = Dictionary(uniqueKeysWithValues: DataVersion.second.animals.map { ($0.id, $0) })
        for before in DataVersion.first.animals where DataVersionChanges.firstToSecond.updated.contains(before.id) {
            let corrected = try #require(after[before.id])
            #expect(corrected.name == before.name)
            let differing = zip(facts(of: before), facts(of: corrected)).filter { $0 != $1 }
            #expect(differing.count == 1)
        }
    }

    @Test(arguments: DataVersion.allCases)
    func `animals come in the order of their ids`(edition: DataVersion) {
        let ids = edition.animals.map(\.id)
        #expect(ids == ids.sorted())
    }

    private func names(_ ids: [Int], in edition: DataVersion) -> [String] {
        edition.animals.filter { ids.contains($0.id) }.map(\.name)
    }

    private func facts(of animal: Animal) -> [String] {
        [
            animal.latinName, animal.type.rawValue, animal.activeTime.rawValue, "\(animal.lengthInFeet)",
            "\(animal.weightInPounds)", "\(animal.lifespanInYears)", animal.habitat, animal.diet, animal.geoRange,
        ]
    }

    private func difference(from old: DataVersion, to new: DataVersion) -> DataVersionChanges {
        let before = Dictionary(uniqueKeysWithValues: old.animals.map { ($0.id, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.animals.map { ($0.id, $0) })
        return DataVersionChanges(
            added: after.keys.filter { before[$0] == nil }.sorted(),
            updated: after.keys.filter { before[$0] != nil && before[$0] != after[$0] }.sorted(),
            removed: before.keys.filter { after[$0] == nil }.sorted()
        )
    }
}
