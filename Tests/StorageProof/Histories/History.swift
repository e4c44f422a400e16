/// A sequence of events for a source and a stream of it.
struct History: Hashable, Codable, Sendable {
    var world: World
    var records: [ModelRecord]
    var steps: [Step]

    enum Step: Hashable, Codable, Sendable {
        case change(Change)
        /// A read while something happens.
        case read(Disturbance)
        /// A read while nothing happens; then all must be as the model says.
        case quietRead
        /// The database is closed and opened.
        case reopen
        /// The stream is configured otherwise.
        case configure(Setting)
    }

    /// A setting of a stream that may change after its table exists.
    enum Setting: Hashable, Codable, Sendable {
        /// Any value except `soft`, because its marks have no meaning under another value.
        case missing(World.Missing)
        case history(Bool)
        case search(Bool)
        /// Arrays become tables; what became of tables that become arrays is told nowhere.
        case childTables
        case columns(World.Contract)
        case types(World.Contract)
        case flattenDepth(Int)
        case pageSize(Int)
        case maxDeleteRatio(Double)

        /// Does nothing where the world has no place for it.
        func apply(to world: inout World) {
            switch self {
            case .missing(let missing):
                let isFree = world.writing == .merge || world.writing == .insertOnly || world.writing == .dedupe
                if isFree, !world.isIncremental, world.missing != .soft, missing != .soft { world.missing = missing }
            case .history(let isOn): world.keepsHistory = isOn
            case .search(let isOn): world.isSearched = isOn
            case .childTables:
                let isFree =
                    world.isKeyed && world.contractIsOpen && world.writing != .insertOnly && world.zoos == 0
                if isFree, world.fields.contains(.visits) { world.childTables = true }
            case .columns(let contract): if !world.childTables, world.zoos == 0 { world.columns = contract }
            case .types(let contract): if !world.childTables, world.zoos == 0 { world.types = contract }
            case .flattenDepth(let depth): world.flattenDepth = depth
            case .pageSize(let size): world.pageSize = size
            case .maxDeleteRatio(let ratio): if world.writing != .replace { world.maxDeleteRatio = ratio }
            }
        }
    }
}

/// The disturbances of one read.
struct Disturbance: Hashable, Codable, Sendable {
    enum Fault: String, Hashable, Codable, CaseIterable, Sendable {
        /// A 500.
        case refused
        /// A body that is shorter than announced.
        case cut
        /// A reset connection.
        case reset
        /// A whole body that is half a document.
        case halved
        /// A body that is not JSON.
        case page
    }

    /// The faults, by the number of the request, counted from 1.
    var faults: [Int: Fault] = [:]
    /// The changes of the source before a request is answered, by the number of the request.
    var changes: [Int: [Change]] = [:]
    /// The request at which the process is killed, and how many microseconds later.
    var kill: Kill?
    var maximumPages: Int?
    /// True if the read starts again from the first page and requests every page in full.
    var restarts = false
    /// The page behind which the program is asked to end.
    var stop: Int?

    struct Kill: Hashable, Codable, Sendable {
        var request: Int
        var microseconds: Int
    }

    /// True if no record moves, so that the read sees each record that is there all the time.
    func keepsPlaces(in world: World) -> Bool { changes.values.joined().allSatisfy { !$0.shifts(in: world) } }
}
