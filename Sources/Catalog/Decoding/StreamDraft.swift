import GarnerModel

/// A stream while the levels of the file are applied to it.
struct StreamDraft: Sendable {
    var stream: StreamConfiguration
    /// The sync mode; nil if `incremental` implies it.
    var syncMode: SyncMode?
    /// The method; nil for POST with a body, else GET.
    var method: RequestTemplate.Method?
    /// The body of each key that has one.
    var json: BodyValue? {
        get { body(.json) }
        set { setBody(newValue, .json) }
    }
    var form: BodyValue? {
        get { body(.form) }
        set { setBody(newValue, .form) }
    }
    var rawBody: BodyValue? {
        get { body(.text) }
        set { setBody(newValue, .text) }
    }
    var parent: WrittenParent?
    var includedFromParent: [String] = []
    /// True if the stream's own mapping has no mistakes.
    var isSound = true
    /// The keys of the stream's own mapping, right or wrong.
    private let ownKeys: Set<String>
    private var assignments: [[String]: Assignment] = [:]
    /// The hooks of a wider level that the nearest one does not have.
    private(set) var replacedHooks: Set<String> = []

    enum SyncMode: String, CaseIterable {
        case fullRefresh = "full_refresh"
        case incremental
    }

    init(name: StreamName, place: ConfigurationPlace, ownKeys: Set<String>) {
        self.ownKeys = ownKeys
        stream = StreamConfiguration(
            name: name, table: "", place: place, request: RequestTemplate(baseURL: "", path: ""))
    }

    var name: StreamName { stream.name }

    /// Applies assignments. A later one is nearer to the stream and replaces an earlier one.
    mutating func apply(_ assignments: [Assignment]) {
        for assignment in assignments {
            assignment.apply(&self)
            if assignment.path == ["hooks"], let earlier = self.assignments[["hooks"]] {
                let own = assignment.keyPlaces ?? [:]
                replacedHooks = Set((earlier.keyPlaces ?? [:]).keys.filter { own[$0] == nil && $0 != "timeout" })
            }
            self.assignments[assignment.path] = assignment
        }
    }

    /// Returns true if the stream's own mapping has this key, right or wrong.
    func mentions(_ key: String) -> Bool { ownKeys.contains(key) }

    /// Returns the variables and files that values in force need and that are missing, in the order of the file.
    private func missing(for isMeant: (_ key: String) -> Bool) -> [ConfigurationIssue] {
        assignments.values.filter { isMeant($0.path.first ?? "") }.flatMap(\.missing)
            .sorted { ($0.place.line ?? 0, $0.message) < ($1.place.line ?? 0, $1.message) }
    }

    /// Returns the place of the value in force; nil if the key is not set.
    func place(of path: String...) -> ConfigurationPlace? {
        assignments[path]?.place
    }

    /// Returns the place of a key in the mapping of another one; that of the mapping if it is not written there.
    func place(of member: String, in key: String) -> ConfigurationPlace? {
        assignments[[key]]?.keyPlaces?[member] ?? place(of: key)
    }

    func origin(of path: [String]) -> EffectiveConfiguration.Origin {
        assignments[path]?.origin ?? .standard
    }

    func origin(of member: String, in path: [String]) -> EffectiveConfiguration.Origin {
        assignments[path]?.origin(of: member) ?? .standard
    }

    private func body(_ format: BodyFormat) -> BodyValue? {
        stream.request.bodyFormat == format ? stream.request.body : nil
    }

    private mutating func setBody(_ body: BodyValue?, _ format: BodyFormat) {
        (stream.request.body, stream.request.bodyFormat) = (body, format)
    }

    /// Fills in the values that follow from other keys.
    mutating func settle() {
        stream.request.method = method ?? (stream.request.body == nil ? .get : .post)
        method = stream.request.method
        syncMode = syncMode ?? (stream.incremental == nil ? .fullRefresh : .incremental)
        stream.missing = missing { $0 != "hooks" }
        stream.missingOfFields = missing { $0 == "fields" }
        stream.hooks.missing = missing { $0 == "hooks" }
    }

    /// Every value that is in force, in the order of the documentation.
    var effectiveEntries: [EffectiveConfiguration.Entry] {
        StreamKey.all.flatMap { $0.show(self, [$0.name]) }
    }
}
