/// A stream while what the levels of the file say about it comes together.
struct StreamDraft {
    var stream: Stream
    /// nil: as `incremental` implies.
    var syncMode: SyncMode?
    /// nil: POST with a body, else GET.
    var method: RequestTemplate.Method?
    /// As written: `stream`, or `source.stream`.
    var parentName: String?
    var includedFromParent: [String] = []
    /// Whether nothing is wrong in the stream's own mapping.
    var isSound = true
    /// The keys that the stream's own mapping has, right or wrong.
    private let ownKeys: Set<String>
    private var assignments: [[String]: Assignment] = [:]

    enum SyncMode: String, CaseIterable {
        case fullRefresh = "full_refresh"
        case incremental
    }

    init(name: StreamName, place: ConfigurationPlace, ownKeys: Set<String>) {
        self.ownKeys = ownKeys
        stream = Stream(name: name, table: "", place: place, request: RequestTemplate(baseURL: "", path: ""))
    }

    var name: StreamName { stream.name }

    /// What is applied later is nearer to the stream, and wins.
    mutating func apply(_ assignments: [Assignment]) {
        for assignment in assignments {
            assignment.apply(&self)
            self.assignments[assignment.path] = assignment
        }
    }

    /// The assignments whose values are in force.
    var inForce: some Collection<Assignment> { assignments.values }

    /// Whether the stream itself has this key, be its value right or wrong.
    func mentions(_ key: String) -> Bool { ownKeys.contains(key) }

    /// Where the value in force of the key with this path was written; nil: nowhere.
    func place(of path: String...) -> ConfigurationPlace? {
        assignments[path]?.place
    }

    func origin(of path: [String]) -> EffectiveConfiguration.Origin {
        assignments[path]?.origin ?? .standard
    }

    /// Fills in what follows from other keys.
    mutating func settle() {
        stream.request.method = method ?? (stream.request.body == nil ? .get : .post)
        method = stream.request.method
        syncMode = syncMode ?? (stream.incremental == nil ? .fullRefresh : .incremental)
    }

    /// Every value that is in force, in the order of the documentation.
    var effectiveEntries: [EffectiveConfiguration.Entry] {
        StreamKey.all.flatMap { $0.show(self, [$0.name]) }
    }
}
