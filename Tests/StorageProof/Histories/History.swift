/// A sequence of events for a source and a stream of it.
struct History: Hashable, Codable, Sendable {
    var world: World
    /// The records of the stream's parent, each with a part of the records.
    var zoos: [ListRow] = []
    /// The rows that name the partitions.
    var gates: [ListRow] = []
    var records: [ModelRecord]
    var steps: [Step]
    /// True if a receiver gets each change of a row, and has the file's tables after each read.
    var isPublished = false
    /// True if a receiver gets the pages of each commit, and makes the file of them after each opening.
    var isCopied = false

    var isValid: Bool {
        world.isValid && steps.allSatisfy { if case .configure(let world) = $0 { world.isValid } else { true } }
    }

    /// Changes each configuration of the stream.
    mutating func changeWorlds(_ change: (inout World) -> Void) {
        change(&world)
        for place in steps.indices {
            guard case .configure(var world) = steps[place] else { continue }
            change(&world)
            steps[place] = .configure(world)
        }
    }

    enum Step: Hashable, Codable, Sendable {
        case change(Change)
        /// A read while something happens.
        case read(Disturbance)
        /// A read while nothing happens; then all must be as the model says.
        case quietRead
        /// The database is closed and opened.
        case reopen
        /// So many steps of time pass.
        case wait(Int)
        /// The stream is configured otherwise.
        case configure(World)

        /// A quiet `--full-refresh`.
        static let refresh = Step.read(Disturbance(restarts: true))
    }
}

/// The disturbances of one read. Requests for other streams count, too.
struct Disturbance: Hashable, Codable, Sendable {
    enum Fault: String, Hashable, Codable, CaseIterable, Sendable {
        /// A 500.
        case refused
        /// A body that is shorter than announced.
        case cut
        /// A reset connection.
        case reset
        /// A whole body that is half a document, with a secret in it.
        case halved
        /// A body that is not JSON.
        case page
        /// A 404.
        case gone
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

    /// True if nothing happens, be it to a read that starts again.
    var isQuiet: Bool { self == Disturbance(restarts: restarts) }

    /// True if no record moves, so that the read sees each record that is there all the time.
    func keepsPlaces(in world: World) -> Bool { changes.values.joined().allSatisfy { !$0.shifts(in: world) } }
}
