/// The state of the animals' facts: the second edition is what a later look at the API finds.
package enum Edition: String, Sendable, CaseIterable {
    case first
    case second

    /// In the order of their ids.
    var animals: [Animal] {
        switch self {
        case .first: Self.firstAnimals
        case .second: Self.secondAnimals
        }
    }

    private static let firstAnimals = Animal.everyone.sorted { $0.id < $1.id }
    private static let secondAnimals = Revision.second.applied(to: firstAnimals)
}

extension Animal {
    fileprivate static var everyone: [Animal] {
        mammals + birds + reptiles + amphibians + fishes + invertebrates
    }
}
