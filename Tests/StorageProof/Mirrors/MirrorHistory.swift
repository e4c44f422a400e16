/// A sequence of events for a source that is mirrored in parts.
struct MirrorHistory: Hashable, Codable, Sendable {
    var world: MirrorWorld
    var zoos: [MirrorZoo]
    var gates: [MirrorGate]
    var records: [MirrorRecord]
    var steps: [Step]

    enum Step: Hashable, Codable, Sendable {
        case change(MirrorChange)
        /// A read while something happens.
        case read(MirrorDisturbance)
        /// A read while nothing happens; then all must be as the model says.
        case quietRead
        /// A quiet `--full-refresh`.
        case refresh
        case reopen
        /// So many steps of time pass.
        case wait(Int)
        case configure(Setting)
    }

    /// A setting that may change after the table exists.
    enum Setting: Hashable, Codable, Sendable {
        case gates([String])
        case queriesGates(Bool)
        case choosesOpen(Bool)
        case followsChanges(Bool)
        case fields(MirrorWorld.Fields)
        case added([String: String])
        case filters(Bool)
        case hardDeletion(Bool)
        case periods(Int)
        case history(Bool)

        /// Does nothing where the world has no place for it.
        func apply(to world: inout MirrorWorld) {
            var changed = world
            switch self {
            case .gates(let gates): if !world.gates.isEmpty { changed.gates = gates }
            case .queriesGates(let isOn): changed.queriesGates = isOn
            case .choosesOpen(let isOn): changed.choosesOpen = isOn
            case .followsChanges(let isOn):
                changed.followsChanges = isOn
                if !isOn { changed.parentPeriod = 0 }
            case .fields(let fields): if !world.isSearched { changed.fields = fields }
            case .added(let added): changed.added = added
            case .filters(let isOn): changed.filters = isOn
            case .hardDeletion(let isOn): if world.missing != .soft { changed.missing = isOn ? .hard : .ignore }
            case .periods(let steps):
                if changed.followsChanges { changed.parentPeriod = steps }
                if changed.isIncremental { changed.period = steps }
            case .history(let isOn): changed.keepsHistory = isOn
            }
            if changed.isValid { world = changed }
        }
    }

    /// The history as people read it.
    var told: String {
        (["  the stream: \(world)"] + zoos.map { "  the parent has \($0)" }
            + gates.map { "  the list of partitions has \($0)" } + records.map { "  the source has \($0)" }
            + steps.enumerated().map { "  \($0 + 1). \($1)" })
            .joined(separator: "\n").replacing("StorageProof.", with: "")
    }
}

/// The disturbances of one read. Requests for the parent count, too.
struct MirrorDisturbance: Hashable, Codable, Sendable {
    enum Fault: String, Hashable, Codable, CaseIterable, Sendable {
        /// A 500.
        case refused
        /// A 404.
        case gone
        case reset
        /// A body that is half a document, with a secret in it.
        case halved
        case page
    }

    var faults: [Int: Fault] = [:]
    var changes: [Int: [MirrorChange]] = [:]
    var kill: Disturbance.Kill?
    var maximumPages: Int?
    var restarts = false
    /// The page behind which the program is asked to end.
    var stop: Int?

    var isQuiet: Bool {
        faults.isEmpty && changes.isEmpty && kill == nil && maximumPages == nil && stop == nil
    }
}
