import GarnerCatalog
import GarnerJSON

/// A refusal in a response with status 200: an object without records that reports a failure or an error.
struct BodyRefusal {
    /// The server's reason; empty if it gives none.
    let words: String

    var kind: FetchError.Kind { .refusal(words: words) }

    init(words: String) { self.words = words }

    /// Reads a body; fails if it is not a refusal.
    init?(_ root: Node) {
        guard root.kind == .object, !RecordNames.looksLikeRecord(root) else { return nil }
        let errors = Self.errors(in: root).map(\.node)
        guard Self.saysNo(root) || !errors.isEmpty, !Self.hasRecords(root) else { return nil }
        words = Self.words(in: errors + [root["message"], root["messages"], root["detail"]].compactMap(\.self))
    }

    /// Reads a body in which names are data; fails if it has anything but an error's message.
    init?(messageOnly root: Node) {
        let about: Set = ["code", "detail", "error", "message", "path", "status", "timestamp", "title", "type"]
        let names = root.kind == .object ? root.members.map(\.key.text) : []
        guard names.contains(where: { ["detail", "error", "message"].contains($0) }) || names == ["status"],
            names.allSatisfy(about.contains), root.members.allSatisfy({ ![.object, .array].contains($0.value.kind) })
        else { return nil }
        words = Self.words(in: [root["message"], root["error"], root["detail"]].compactMap(\.self))
    }

    /// Names of members that report errors.
    static let complaints: Set = [
        "error", "errors", "exceptions", "failures", "messages", "problems", "userErrors", "warnings",
    ]

    /// Returns the place that says that something failed, whether or not the body has records, too; nil if none does.
    ///
    /// - Parameter hasRecords: True if there are records. Beside none, other words are compared with what stood beside some.
    static func failure(
        in root: Node, way: [(path: String, node: Node)], hasRecords: Bool, ignoring ignored: [Node]
    ) -> String? {
        guard root.kind == .object else { return nil }
        if let name = refusedFlag(in: root, ignoring: ignored) { return "$.\(name)" }
        var objects = [(path: "$", node: root)] + way.dropFirst().dropLast()
        if let meta = root["meta"] { objects.append((path: "$.meta", node: meta)) }
        for (index, (path, object)) in objects.enumerated() {
            if hasRecords, index == 0 || !RecordNames.looksLikeRecord(object),
                let place = StatusMembers(object, at: path, ignoring: ignored).failure
            {
                return place
            }
            let error = errors(in: object).first { !ignored.have($0.node) }?.name
            if let name = error ?? (hasRecords ? StatusMembers.error(in: object, ignoring: ignored)?.key.text : nil) {
                return path + Selector.shortSegment(named: name)
            }
        }
        return nil
    }

    private static func saysNo(_ root: Node) -> Bool { refusedFlag(in: root) != nil }

    private static func refusedFlag(in root: Node, ignoring ignored: [Node] = []) -> String? {
        ["ok", "success"].first { name in root[name].map { $0.kind == .false && !ignored.have($0) } ?? false }
    }

    private static func errors(in root: Node) -> [(name: String, node: Node)] {
        ["error", "errors"].compactMap { name in root[name].map { (name: name, node: $0) } }
            .filter {
                isFilled($0.node) && !StatusMembers.saysNoError($0.node) && !StatusMembers.isEntry($0.node, of: root)
            }
    }

    /// Returns true if an array has elements. An empty one beside an error does not say that there are no records.
    static func hasRecords(_ root: Node) -> Bool {
        root.members.contains { isFilledArray($0.value) && !complaints.contains($0.key.text) }
            || NestedArray(below: root).map { isFilledArray($0.array) } ?? false
    }

    private static func isFilledArray(_ node: Node) -> Bool { node.kind == .array && isFilled(node) }

    /// Returns true for a text, object or array that is not empty.
    static func isFilled(_ node: Node) -> Bool {
        switch node.kind {
        case .string: !node.utf8.isEmpty
        case .array: node.elements.contains { _ in true }
        case .object: node.members.contains { _ in true }
        default: false
        }
    }

    static func words(in nodes: [Node]) -> String {
        for node in nodes {
            switch node.kind {
            case .string where !node.utf8.isEmpty: return node.text
            case .object:
                for name in ["message", "detail", "title", "code"] {
                    if let text = node[name]?.pagingText, !text.isEmpty { return text }
                }
            case .array:
                let words = words(in: Array(node.elements.prefix(1)))
                if !words.isEmpty { return words }
            default: continue
            }
        }
        return ""
    }
}

extension BodyRefusal {
    /// Reads a body whose list of records is empty or missing; fails if it does not say that the request has failed.
    init?(withoutRecords root: Node) { self.init(withoutRecords: root, sign: StatusMembers(root).refusal) }

    private init?(withoutRecords root: Node, sign: String?) {
        guard let sign, !Self.hasRecords(root) else { return nil }
        let reason = [root, root["meta"]].compactMap(\.self).flatMap { object in
            Self.reasons.compactMap { object[$0] }
        }
        let text = Self.words(in: reason)
        self.init(words: text.isEmpty ? sign : text)
    }

    /// Reads a body without a list, which may be a record; fails if that is likelier than a refusal.
    ///
    /// A refusal has nothing but its status and its reason, and an HTTP status among them or an empty place for the records:
    /// `{"status": "error"}` may well be what a stream of one record asks for.
    ///
    /// - Parameter isFirst: true if the stream is not known to ask for one record; a message of a failure is none then.
    init?(withoutList root: Node, isFirst: Bool) {
        let status = StatusMembers(root)
        guard status.refusal != nil || isFirst && status.saysFailed else { return nil }
        let members = root.members.map { (name: Envelope.normalized($0.key.text), value: $0.value) }
        func isHollow(_ value: Node) -> Bool {
            switch value.kind {
            case .object: value.members.allSatisfy { isHollow($0.value) }
            case .array, .string: !Self.isFilled(value)
            default: value.kind == .null
            }
        }
        let isAboutFailure = members.allSatisfy { name, value in
            let isObject = value.kind == .object
            return Self.about.contains(name) && !isObject && value.kind != .array
                || isObject && ["links", "meta", "page", "pagination"].contains(name)
                || isHollow(value)
        }
        let hasPlace = members.contains { name, value in
            !Self.about.contains(name) && value.kind != .string && isHollow(value)
        }
        let codes = [root, root["meta"]].compactMap(\.self).flatMap { object in
            object.members.filter { StatusMembers.codes.contains(Envelope.normalized($0.key.text)) }
        }
        let hasStatus = codes.contains { (400...599).contains(Int($0.value.text) ?? 0) }
        let hasReason = Self.reasons.contains { root[$0].map(Self.isFilled) == true }
        // Whatever else stands there, a failure with its reason beside an empty list is no record that was asked for.
        let isRefusal =
            isAboutFailure
            ? hasPlace || hasStatus || isFirst && hasReason
            : isFirst && hasPlace && hasReason && (hasStatus || status.saysFailed)
        guard isRefusal else { return nil }
        self.init(withoutRecords: root, sign: status.refusal ?? "")
    }

    private static let reasons = [
        "message", "messages", "detail", "msg", "errmsg", "error_message", "errorMessage", "error_msg", "errorMsg",
        "error_description", "reason", "error", "errors", "info", "title",
    ]

    private static let about: Set = [
        "cod", "code", "detail", "description", "errcode", "errmsg", "error", "errorcode", "errormessage", "info",
        "issuccess", "message", "messages", "msg", "ok", "path", "reason", "requestid", "stat", "status", "statuscode",
        "success", "time", "timestamp", "title", "traceid", "type",
    ]
}
