import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The members of an answer with status 200 that say how the request went: at the root, in `meta` and in the objects around the list.
struct StatusMembers {
    /// The first one that says that it has failed, with its value; nil if none does.
    var refusal: String? { failed.map { "\($0.path): \($0.value)" } }
    private var failed: (path: String, value: String)?
    /// Those that say neither yes nor no, by their JSONPaths, such as `$.code` with the value 7.
    private(set) var unclear: [String: String] = [:]

    /// The limit above which an object is a map of records rather than an envelope.
    private static let mostMembers = 512

    private static let flags: Set = ["success", "ok", "isok", "issuccess", "status"]
    static let codes: Set = [
        "code", "status", "statuscode", "cod", "httpcode", "httpstatus", "httpstatuscode", "responsecode",
    ]
    private static let words: Set = ["status", "stat", "code"]
    /// Names of words that also name other things, of which only a word of failure counts.
    private static let outcomes: Set = ["outcome", "result", "state"]
    /// Names of what an API answers with, where 0 stands for success.
    private static let results: Set = [
        "errno", "rc", "response", "result", "resultcode", "resultstatus", "ret", "retcode", "returncode",
    ]
    /// Names of texts for people. Beside a member that says that all went well they say nothing.
    private static let texts: Set = [
        "alert", "description", "detail", "details", "fault", "faultstring", "hint", "info", "information", "message",
        "msg", "note", "notice", "reason", "statusmessage", "statustext", "title",
    ]
    /// All names of these lists.
    private static let known: Set<String> = [flags, codes, words, outcomes, texts, conditions, labours, results]
        .reduce(into: []) { $0.formUnion($1) }
    /// Names by which a server finds a request in its log.
    private static let ids: Set = ["correlationid", "id", "logid", "requestid", "traceid"]
    private static let longestName = 32
    private static let good: Set = [
        "true", "ok", "success", "successful", "succeeded", "complete", "completed", "done",
    ]
    /// Words that tell of the data: how fresh they are, or that there are none.
    private static let ofData: Set = [
        "active", "available", "cached", "current", "delayed", "empty", "live", "nodata", "norecords", "noresults",
        "open", "realtime", "zeroresults",
    ]
    private static let none: Set = ["false", "0", "none", "null", "no"]
    /// Words that say, under the name of an error, that there is none.
    private static let noErrors = none.union(good).subtracting(["true"])
        .union(["no error", "no errors", "noerror", "noerrors", "", "\"\"", "[]", "{}", "e0", "n/a"])
    private static let bad: Set = [
        "denied", "err", "error", "errors", "exception", "fail", "failed", "failure", "fault", "forbidden", "ko", "nok",
        "notok", "refused", "rejected", "unauthorised", "unauthorized",
    ]

    /// - Parameter way: The values from the root to the one that holds the records. What stands in an object between them is no refusal
    ///   by itself, since it may be a part of what was asked for.
    init(
        _ root: Node, at path: String = "$", way: [(path: String, node: Node)] = [], ignoring ignored: [Node] = []
    ) {
        guard root.kind == .object else { return }
        self.ignored = ignored
        read(root, at: path)
        if let meta = root["meta"], meta.kind == .object { read(meta, at: path + ".meta") }
        let about = root.members.prefix(Self.mostMembers).filter { key, value in
            value.kind == .object && Wrapper(Envelope.normalized(key.text)).contains(.outcome)
        }.map { (path: path + Selector.shortSegment(named: $0.key.text), node: $0.value) }
        for (path, object) in way.dropFirst().dropLast() + about where object.kind == .object {
            var inner = StatusMembers()
            inner.read(object, at: path)
            unclear.merge(inner.unclear) { old, _ in old }
            remarks.merge(inner.remarks) { old, _ in old }
            yes.merge(inner.yes) { old, _ in old }
            if let failed = inner.failed { unclear[failed.path] = Self.short(failed.value) }
        }
    }

    private init() {}

    /// Reads an object that holds one of several lists.
    init(of object: Node, at path: String) { read(object, at: path) }

    /// The member that says that the request has failed; nil if none does. A word may be the state of a thing, too.
    var refused: PageStatement? {
        failed.map {
            PageStatement(path: $0.path, value: $0.value == "false" || Int($0.value) != nil ? $0.value : "a text")
        }
    }

    /// The text for people that may tell why there is nothing; nil if there is none, or if all went well.
    var message: PageStatement? {
        guard !saysYes else { return nil }
        return remarks.keys.filter { $0.hasSuffix(".message") || $0.hasSuffix(".msg") }.min().map {
            PageStatement(path: $0, value: "a text")
        }
    }

    private var ignored: [Node] = []

    /// True if a member says that all went well.
    private var saysYes = false
    /// The place of a member that says that the request has failed, or of one such as `state` that is a word of failure; nil if none
    /// does. An empty list beside the second is compared with what stood beside records.
    var failure: String? { failed?.path ?? badOutcome }
    private var badOutcome: String?
    /// True if a member such as `isError` or `failed` is true, or an `errcode` is not 0.
    private(set) var saysFailed = false
    /// The texts for people, by their JSONPaths.
    private var remarks: [String: String] = [:]

    /// The members as they stand beside records. A later answer is compared with them.
    var remembered: [String: String] { unclear.merging(remarks) { old, _ in old }.merging(yes) { old, _ in old } }
    /// Those that say that all went well, or that nothing failed, and may turn.
    private var yes: [String: String] = [:]

    private mutating func read(_ object: Node, at path: String) {
        for (count, (key, value)) in object.members.enumerated() {
            guard count < Self.mostMembers else { return }
            guard key.utf8.count <= Self.longestName, !ignored.have(value) else { continue }
            let spelling = key.text
            let name = Envelope.normalized(spelling)
            // Most names say nothing, and a look into each set takes its time.
            guard Self.known.contains(name) || Self.tellsOfFailure(name) else { continue }
            let place = path + Selector.shortSegment(named: spelling)
            if Self.flags.contains(name) || Self.codes.contains(name) || Self.words.contains(name) {
                read(value, named: name, at: place)
            } else if Self.outcomes.contains(name), Self.bad.contains(Envelope.normalized(value.string ?? "")) {
                badOutcome = badOutcome ?? place
                unclear[place] = Self.short(value.text)
            } else if Self.texts.contains(name) {
                // A feed has a title of its own. That of a problem stands beside more (RFC 9457), as that of a collection of GeoJSON does.
                let isOfFeed =
                    object["type"]?.string == "FeatureCollection"
                    || !["detail", "instance", "status", "type"].contains { object[$0] != nil }
                if name == "title", isOfFeed { continue }
                readRemark(value, at: place)
            } else if Self.tellsOfFailure(name) {
                readFailure(value, at: place, isCode: Self.errors.contains(name), unless: Self.noErrors)
            } else if Self.conditions.contains(name) {
                if value.kind == .false { unclear[place] = "false" }
            } else if Self.labours.contains(name) {
                if value.kind == .true { unclear[place] = "true" }
            } else if Self.results.contains(name), value.pagingText != nil {
                readFailure(value, at: place, unless: Self.none.union(Self.good))
            }
        }
    }

    /// Names of what is not so in an answer that holds all.
    private static let conditions: Set = [
        "access", "accessible", "allowed", "authenticated", "authorised", "authorized", "hasaccess", "jobcomplete",
        "loggedin", "ready", "visible",
    ]
    /// Names of what a server still does with the records, which an answer that holds all does not wait for.
    private static let labours: Set = [
        "building", "importing", "indexing", "isbuilding", "isimporting", "isindexing", "isloading", "isprocessing",
        "issyncing", "loading", "processing", "rebuilding", "reindexing", "syncing", "warming", "warmingup",
    ]

    /// True for names such as `error`, `errcode`, `hasErrors`, `failed` and `throttled`.
    private static func tellsOfFailure(_ name: String) -> Bool {
        name.hasPrefix("err") || name.hasPrefix("retry") || name.mentions(failures)
    }

    private static let failures: [StaticString] = [
        "abort", "blocked", "degraded", "denied", "error", "exception", "fail", "interrupt", "maintenance",
        "ratelimited", "throttl", "timeout", "unavailable",
    ]

    /// Names of what went wrong beside the records of an answer. A name such as `failed` may count records as well.
    private static let errors: Set = [
        "err", "errcode", "errmsg", "errno", "error", "errorcode", "errormessage", "errormsg", "errors", "exception",
        "exceptions", "failure", "failures", "fault", "faultstring", "haserror", "haserrors", "iserror", "retcode",
        "usererrors",
    ]

    /// Returns the first member of an object that tells of errors beside the records; nil if none does.
    static func error(in object: Node, ignoring ignored: [Node] = []) -> (key: Node, value: Node)? {
        object.members.prefix(mostMembers).first { key, value in
            guard key.utf8.count <= longestName, !value.saysNothing, !ignored.have(value) else { return false }
            let name = Envelope.normalized(key.text)
            guard errors.contains(name), !isEntry(value, of: object) else { return false }
            // 200 stands for success where it repeats the status of HTTP.
            return !saysNoError(value) && !(name == "retcode" && isSuccess(value))
        }
    }

    /// Returns true for a value that says, under the name of an error, that there is none: `"0000"`, `"No error"`, a list of nothing else
    /// such as `[""]`, or an object such as TikTok's `{ "code": "ok", "message": "" }` and `{ "count": 0, "items": [] }`, all of whose
    /// members say so but for its ids.
    static func saysNoError(_ value: Node) -> Bool {
        if value.saysNothing { return true }
        // Programs write an error that they cannot write as an empty object.
        if value.kind == .array { return value.elements.allSatisfy { saysNoError($0) && !$0.isEmptyObject } }
        guard value.kind == .object else {
            return value.pagingText.map { saysNoError($0) } ?? false
        }
        var hasCode = false
        let isClean = value.members.allSatisfy { key, member in
            let name = Envelope.normalized(key.text)
            let isCount = ["count", "total"].contains(name)
            let isCode =
                isCount || codes.contains(name) || results.contains(name) || ["errcode", "errorcode"].contains(name)
            hasCode = hasCode || isCode
            if member.kind == .object { return member.saysNothing }
            return saysNoError(member) || isCode && !isCount && isSuccess(member)
                || ids.contains(name) && member.pagingText != nil
        }
        return isClean && hasCode
    }

    /// The same for a text, such as the value of a field of the head.
    static func saysNoError(_ text: String) -> Bool {
        text.isEmpty || noErrors.contains(Envelope.normalized(text)) || Int(text) == 0
    }

    /// Returns true for a member that is an entry like two others of its object, which has records by their names: it has the same
    /// fields with values of the same kinds, and none of those by which an error says what it is.
    static func isEntry(_ value: Node, of object: Node) -> Bool {
        guard value.kind == .object else { return false }
        var fields: [(name: String, value: Node)] = []
        for (key, field) in value.members {
            let name = Envelope.normalized(key.text)
            guard fields.count < mostFields, !codes.contains(name), !texts.contains(name), !tellsOfFailure(name) else {
                return false
            }
            fields.append((key.text, field))
        }
        let numbers: [Node.Kind] = [.integer, .real, .number]
        let others = object.members.prefix(mostMembers).lazy.filter { _, other in
            guard other.kind == .object, !other.isSame(as: value),
                other.members.reduce(0, { count, _ in count + 1 }) == fields.count
            else { return false }
            return fields.allSatisfy { name, field in
                guard let twin = other[name] else { return false }
                return twin.kind == field.kind || twin.isNull || field.isNull
                    || numbers.contains(twin.kind) && numbers.contains(field.kind)
            }
        }
        return !fields.isEmpty && others.prefix(2).reduce(0) { count, _ in count + 1 } == 2
    }

    private static let mostFields = 32

    private static func isSuccess(_ code: Node) -> Bool {
        code.pagingText.flatMap { Int($0) }.map { (200...299).contains($0) } ?? false
    }

    /// Reads a member that tells of a failure unless its value says that there is none.
    private mutating func readFailure(_ value: Node, at path: String, isCode: Bool = false, unless good: Set<String>) {
        guard !Self.saysNoError(value) else {
            let text = value.kind == .false ? "false" : value.pagingText
            if let text, !text.isEmpty { yes[path] = Self.short(text) }
            return
        }
        switch value.kind {
        case .object, .array: unclear[path] = value.kind.noun
        default:
            if value.kind == .true || value.kind == .integer && isCode { saysFailed = true }
            if !good.contains(Envelope.normalized(value.text)) { unclear[path] = Self.short(value.text) }
        }
    }

    /// True if a text for people says that there are no records, as Etherscan's "No transactions found" does behind the last page.
    private var saysNoneFound = false
    private static let nouns: Set = [
        "data", "documents", "entries", "events", "items", "matches", "objects", "records", "results", "rows",
        "transactions",
    ]

    /// True if a text for people is empty or says that all went well.
    private var saysWell = false

    private static func saysNoneFound(_ text: String) -> Bool {
        guard text.utf8.count <= longestName, text.hasBlank else { return false }
        let words = text.lowercased().split { $0 == " " || $0 == "." }
        return words.count == 3 && words[0] == "no" && words[2] == "found" && nouns.contains(String(words[1]))
    }

    private mutating func readRemark(_ value: Node, at path: String) {
        if value.kind == .string, Self.saysNoneFound(value.text) {
            saysNoneFound = true
            return
        }
        guard value.kind == .string else { return }
        guard !value.utf8.isEmpty, !Self.good.contains(Envelope.normalized(value.text)) else {
            saysWell = true
            return
        }
        remarks[path] = Self.short(value.text)
    }

    /// Returns a word as it is. Of a longer text, which may repeat a secret, only a digest is kept.
    private static func short(_ text: String) -> String {
        guard text.utf8.count > longestWord || text.hasBlank else { return text }
        var hash = StableHash()
        hash.add(text.utf8)
        return "\(longer)\(hash.value)"
    }

    private static let longer = "a text "
    private static let longestWord = 20

    /// Returns a remembered value for people.
    private static func words(_ value: String) -> String { value.hasPrefix(longer) ? "a text" : value }

    private mutating func read(_ value: Node, named name: String, at path: String) {
        // A container says something else, and null nothing.
        guard ![.null, .array, .object].contains(value.kind), !value.utf8.isEmpty else { return }
        let text = value.text
        let word = Envelope.normalized(text)
        let number = Self.codes.contains(name) ? Int(text) : nil
        let isFlag = Self.flags.contains(name)
        let isBad =
            isFlag && word == "false"
            || Self.words.contains(name) && (Self.bad.contains(word) || name == "code" && word.hasPrefix("err"))
            || number.map { (400...599).contains($0) } ?? false
        if isBad {
            failed = failed ?? (path, text)
            return
        }
        let isGood =
            Self.good.contains(word) || isFlag && name != "status" && text == "1"
            || number.map { (200...299).contains($0) } ?? false
        if isGood { saysYes = true }
        if isGood || name != "code" && Self.ofData.contains(word) {
            yes[path] = Self.short(text)
        } else {
            unclear[path] = Self.short(text)
        }
    }

    /// A member of these kinds is the same beside all records of a list, unless something failed.
    private enum Turning {
        /// True or 1 says that all went well.
        case flag
        /// 0 or a status of success says so.
        case code
        /// 0 says so. Another number may be that of the records.
        case result
        /// A word says so, or 1.
        case status
        /// False says so.
        case failure

        init?(_ spelling: String) {
            let name = Envelope.normalized(spelling)
            switch name {
            case "stat", "status": self = .status
            case _ where StatusMembers.flags.contains(name): self = .flag
            case _ where StatusMembers.codes.contains(name): self = .code
            case "rc", "resultcode", "resultstatus", "ret", "returncode": self = .result
            // An error is told of by itself.
            case _ where !StatusMembers.errors.contains(name) && StatusMembers.saysThatItFailed(spelling):
                self = .failure
            default: return nil
            }
        }
    }

    /// Returns true for a name whose last words are those of a failure, as in `is_rate_limited`. In `maintenance_scheduled`, they are not.
    private static func saysThatItFailed(_ spelling: String) -> Bool {
        var words = spelling.nameWords
        if words.last == "mode" { words.removeLast() }
        return namesOfFailure.contains(words.last ?? "") || namesOfFailure.contains(words.suffix(2).joined())
    }

    private static let namesOfFailure: Set = [
        "aborted", "blocked", "degraded", "denied", "failed", "failing", "fail", "interrupted", "maintenance",
        "ratelimited", "retry", "throttled", "timedout", "timeout", "unavailable",
    ]

    /// Returns true for a word of failure. Others tell of the data or of the pages, such as `DELAYED`, `cached` and `last`.
    private static func tellsOfFailure(word: String) -> Bool { bad.contains(word) || word.mentions(failing) }

    private static let failing: [StaticString] =
        failures + [
            "cancel", "crash", "exceed", "expired", "forbidden", "incomplete", "invalid", "killed", "limited",
            "overload", "quota", "refus", "reject", "stopped", "suspend", "terminat", "timedout", "truncat", "unauthor",
        ]

    /// Returns true if a value that said that all went well, or a code of 0 or 1, has become one that does not say so.
    private static func hasTurned(_ kind: Turning, from earlier: String, to now: String) -> Bool {
        let (old, new) = (number(earlier), number(now))
        // 100 is the code by which SQL says that there are no more rows.
        guard earlier != now, new == nil || new != old && new != 100, !isGood(now, as: kind) else { return false }
        let (word, wasGood) = (Envelope.normalized(now), isGood(earlier, as: kind))
        let isBadWord = !word.allSatisfy(\.isLetter) || tellsOfFailure(word: word)
        switch kind {
        case .flag: return (wasGood || old == 0) && (isBadWord || word == "n" || none.contains(word))
        case .result where wasGood && old ?? 0 > 1: return new.map { (300...599).contains($0) } ?? isBadWord
        // A code with another number may be that of a thing.
        case .code, .result: return (wasGood ? new != 0 : old == 0 || old == 1) && isBadWord
        case .status:
            if let new { return new == 0 && old == 1 }
            return good.contains(Envelope.normalized(earlier)) && !now.hasPrefix(longer) && isBadWord
        case .failure: return none.contains(Envelope.normalized(earlier)) && ["true", "y", "yes"].contains(word)
        }
    }

    /// Returns the judgement on records beside a flag, a code or a status that has turned from what it was beside the records of other
    /// pages, such as `"ok": 0` where that was 1; nil if none has.
    ///
    /// - Parameters:
    ///   - now: The members beside the records, as they are remembered.
    ///   - known: The members beside records of earlier pages.
    static func doubt(
        beside now: [String: String], since known: @autoclosure () -> [String: String], ignoring ignored: Set<String>
    ) -> Verdict? {
        for (path, value) in now.sorted(by: { $0.key < $1.key }) {
            guard let kind = Turning(path.split(separator: ".").last.map(String.init) ?? ""), !ignored.contains(path),
                let earlier = known()[path], hasTurned(kind, from: earlier, to: value)
            else { continue }
            return Verdict(
                .contradicted,
                "\(path) is \(Self.words(value)), where it was \(earlier) beside the records of other pages",
                advice:
                    "look at the answer, which may tell of a failure, or \(Verdict.Cause.ignoring(path, "it does not"))"
            )
        }
        return nil
    }

    /// Returns the integer that a text spells, also with a fraction of zero.
    private static func number(_ text: String) -> Int? {
        Int(text) ?? (text.first?.isNumber == true ? Double(text).flatMap { Int(exactly: $0) } : nil)
    }

    private static func isGood(_ text: String, as kind: Turning) -> Bool {
        let word = Envelope.normalized(text)
        if good.contains(word) { return kind != .failure || word != "true" }
        if kind == .flag, ["y", "yes"].contains(word) { return true }
        guard let code = number(text) else { return false }
        return (200...299).contains(code) || code == 1 && (kind == .flag || kind == .status)
    }

    /// Returns the judgement on an empty list beside these members; nil if they say nothing, or the same as they did beside records.
    ///
    /// - Parameters:
    ///   - known: The members beside records of earlier pages and reads.
    ///   - isFirst: True if nothing has been read before, so that no member is known.
    ///   - sends: True for a word that the request has sent, as in `?status=pending`. It says nothing of the answer.
    func doubt(
        besideRecords known: [[String: String]], isFirst: Bool, ignoring ignored: Set<String>,
        sends: (String) -> Bool
    ) -> Verdict? {
        func isNew(path: String, value: String) -> Bool {
            if path.lowercased().hasSuffix(".status"), Int(value) == nil, sends(value) { return false }
            if ignored.contains(path) || known.contains(where: { $0[path] == value }) { return false }
            // Beside words that say that there are none, 0 is their number rather than a failure. Beside one that says that all went
            // well, 0 and 1 say so, too.
            let isUsual = isFirst && saysWell && remarks.isEmpty && Int(value).map { (0...1).contains($0) } == true
            return !(saysNoneFound && value == "0") && !isUsual
        }
        func firstNew(of members: [String: String]) -> (path: String, value: String)? {
            members.sorted { $0.key < $1.key }.first(where: isNew).map { (path: $0.key, value: $0.value) }
        }
        let saysAsBefore = unclear.contains { !isNew(path: $0.key, value: $0.value) }
        guard let (path, value) = firstNew(of: unclear) ?? (saysYes || saysAsBefore ? nil : firstNew(of: remarks))
        else { return nil }
        let earlier = known.lazy.compactMap { $0[path] }.first.map(Self.words)
        return Verdict(
            .contradicted,
            "the list is empty, and \(path) is \(Self.words(value)), "
                + (earlier.map { "where it was \($0 == Self.words(value) ? "another one" : $0) beside records" }
                    ?? "which has not stood beside records so far"),
            advice: "look at the answer, which may tell of a failure, or \(Verdict.Cause.ignoring(path, "it does not"))"
        )
    }
}
