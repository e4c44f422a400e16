import JSON
import Model

/// The members of an answer with status 200 that say how the request went: at the root and in `meta`.
struct StatusMembers {
    /// The first one that says that it has failed, with its value; nil if none does.
    private(set) var refusal: String?
    /// Those that say neither yes nor no, by their JSONPaths, such as `$.code` with the value 7.
    private(set) var unclear: [String: String] = [:]

    /// The limit above which an object is a map of records rather than an envelope.
    private static let mostMembers = 512
    private static let longestValue = 100

    private static let flags: Set = ["success", "ok", "issuccess", "status"]
    fileprivate static let codes: Set = ["code", "status", "statuscode", "cod"]
    private static let words: Set = ["status", "stat", "code"]
    private static let good: Set = ["true", "ok", "success", "successful", "succeeded"]
    private static let bad: Set = [
        "denied", "err", "error", "errors", "exception", "fail", "failed", "failure", "fault", "forbidden", "ko", "nok",
        "notok", "refused", "rejected", "unauthorised", "unauthorized",
    ]

    init(_ root: Node) {
        guard root.kind == .object else { return }
        read(root, at: "$")
        if let meta = root["meta"], meta.kind == .object { read(meta, at: "$.meta") }
    }

    private mutating func read(_ object: Node, at path: String) {
        for (count, (key, value)) in object.members.enumerated() {
            guard count < Self.mostMembers else { return }
            guard key.utf8.count <= 12 else { continue }
            let spelling = key.text
            let name = Envelope.normalized(spelling)
            guard Self.flags.contains(name) || Self.codes.contains(name) || Self.words.contains(name) else { continue }
            read(value, named: name, at: path + Selector.shortSegment(named: spelling))
        }
    }

    private mutating func read(_ value: Node, named name: String, at path: String) {
        // A container says something else, and null nothing.
        guard ![.null, .array, .object].contains(value.kind), !value.utf8.isEmpty else { return }
        let text = value.text
        let word = Envelope.normalized(text)
        let number = Self.codes.contains(name) ? Int(text) : nil
        let isFlag = Self.flags.contains(name)
        let isBad =
            isFlag && word == "false" || Self.words.contains(name) && Self.bad.contains(word)
            || number.map { (400...599).contains($0) } ?? false
        if isBad {
            refusal = refusal ?? "\(path): \(text)"
            return
        }
        let isGood =
            Self.good.contains(word) || isFlag && name != "status" && text == "1"
            || number.map { (200...299).contains($0) } ?? false
        if !isGood { unclear[path] = String(text.prefix(Self.longestValue)) }
    }

    /// Returns the judgement on an empty list beside these members; nil if they say nothing, or the same as they did beside records.
    ///
    /// - Parameters:
    ///   - known: The members beside records of earlier pages and reads.
    ///   - ignored: The JSONPaths of members that say nothing.
    func doubt(besideRecords known: [[String: String]], ignoring ignored: Set<String>) -> Verdict? {
        let other = unclear.sorted { $0.key < $1.key }.first { path, value in
            !ignored.contains(path) && !known.contains { $0[path] == value }
        }
        guard let (path, value) = other else { return nil }
        let earlier = known.lazy.compactMap { $0[path] }.first
        return Verdict(
            .contradicted,
            "the list is empty, and \(path) is \(value.prefix(40)), "
                + (earlier.map { "where it was \($0.prefix(40)) beside records" }
                    ?? "which has not stood beside records so far")
                + "; look at the answer, which may tell of a failure, or add ignore: [\"\(path)\"] to paginator if it does not"
        )
    }
}

extension BodyRefusal {
    /// Reads a body whose list of records is empty or missing; fails if it does not say that the request has failed.
    init?(withoutRecords root: Node) {
        guard let sign = StatusMembers(root).refusal, !Self.hasRecords(root) else { return nil }
        let reason = [root, root["meta"]].compactMap(\.self).flatMap { object in
            Self.reasons.compactMap { object[$0] }
        }
        let text = Self.words(in: reason)
        self.init(words: text.isEmpty ? sign : text)
    }

    /// Reads a body without a list, which may be a record; fails if that is likelier than a refusal.
    ///
    /// A refusal has nothing but its status and its reason, and an HTTP status among them or an empty place for the records:
    /// `{"status": "error"}` may well be what a stream of one record asks for. A stream that has no table yet asks for none with a message
    /// of a failure.
    init?(withoutList root: Node, isFirst: Bool) {
        guard StatusMembers(root).refusal != nil else { return nil }
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
            return Self.about.contains(name) && !isObject && value.kind != .array || name == "meta" && isObject
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
        guard isAboutFailure, hasPlace || hasStatus || isFirst && hasReason else { return nil }
        self.init(withoutRecords: root)
    }

    private static let reasons = [
        "message", "messages", "detail", "msg", "errmsg", "error_message", "errorMessage", "error_msg", "errorMsg",
        "error_description", "reason", "error", "errors", "info", "title",
    ]

    private static let about: Set = [
        "cod", "code", "detail", "description", "errmsg", "error", "errorcode", "errormessage", "info", "issuccess",
        "message", "messages", "msg", "ok", "path", "reason", "requestid", "stat", "status", "statuscode", "success",
        "time", "timestamp", "title", "traceid", "type",
    ]
}
