import Synchronization

/// What changes while the server runs: the edition on show, the dice, and the count of requests.
final class Zoo: Sendable {
    private struct State {
        var edition: Edition
        var dice: SplitMix64
        var requestCount = 0
    }

    private let state: Mutex<State>

    init(edition: Edition, seed: UInt64) {
        state = Mutex(State(edition: edition, dice: SplitMix64(seed: seed)))
    }

    var edition: Edition { state.withLock { $0.edition } }
    var animals: [Animal] { edition.animals }
    var requestCount: Int { state.withLock { $0.requestCount } }

    func animal(id: Int) -> Animal? {
        animals.first { $0.id == id }
    }

    /// So many different animals, drawn anew each time; fewer only when there are no more.
    func randomAnimals(_ count: Int) -> ArraySlice<Animal> {
        state.withLock { $0.edition.animals.shuffled(using: &$0.dice).prefix(count) }
    }

    func show(_ edition: Edition) {
        state.withLock { $0.edition = edition }
    }

    func countRequest() {
        state.withLock { $0.requestCount += 1 }
    }
}
