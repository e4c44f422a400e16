/// The steps that turn one edition into the next.
struct Revision: Sendable {
    /// One fact set right, in the animal that has this id.
    struct Correction: Sendable {
        let id: Int
        let apply: @Sendable (inout Animal) -> Void
    }

    let added: [Animal]
    let corrections: [Correction]
    let removed: Set<Int>

    /// The revised animals, in the order of their ids.
    func applied(to animals: [Animal]) -> [Animal] {
        let revised = animals.filter { !removed.contains($0.id) }.map { animal in
            var animal = animal
            for correction in corrections where correction.id == animal.id { correction.apply(&animal) }
            return animal
        }
        return (revised + added).sorted { $0.id < $1.id }
    }

    var changes: EditionChanges {
        EditionChanges(
            added: added.map(\.id).sorted(),
            updated: corrections.map(\.id).sorted(),
            removed: removed.sorted()
        )
    }
}
