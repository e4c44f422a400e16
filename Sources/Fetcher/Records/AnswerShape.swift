import GarnerJSON
package import GarnerModel

/// What an answer with records has shown, with which a later answer is compared: where the records stood, and what it said beside
/// them. A stream keeps that of the latest first page of a list that had records.
struct AnswerShape: Equatable {
    /// The detected place of the records; nil if it is configured, or may be another one in each slice.
    var place: ReadHistory.Place?
    /// True if the records were the values of an object rather than of a list; nil if nothing tells.
    var isMap: Bool?
    /// The members that `StatusMembers` remembers, by their JSONPaths.
    var statuses: [String: String] = [:]
    /// A digest of the path to which a redirect led; nil if none led to another one.
    var redirect: String?
    /// True if the source gave its records with 202 from the beginning; nil if nothing tells.
    var isAccepted: Bool?
    /// Fields of the records, if they were the members of the whole body, and all were objects; else nil.
    var fields: [String]?
    /// The places that have named two lists of one read rightly, each with the partition or the field of the parent.
    var naming: Set<String> = []

    init() {}

    /// Returns nil if the text is no stored shape.
    init?(text: String?) {
        guard let text, let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        self = document.withRoot { root in
            var shape = AnswerShape()
            shape.place = ReadHistory.Place(stored: root)
            shape.isMap = root["is_map"].map { $0.kind == .true }
            shape.statuses = root["statuses"]?.storedTexts ?? [:]
            shape.redirect = root["redirect"]?.string
            shape.isAccepted = root["is_accepted"].map { $0.kind == .true }
            shape.fields = root["fields"].map { $0.elements.compactMap(\.string) }
            shape.naming = Set(root["naming"]?.elements.compactMap(\.string) ?? [])
            return shape
        }
    }

    var text: String {
        var members: [(String, JSONText)] = []
        if let place { members.append(place.member) }
        if let isMap { members.append(("is_map", .bool(isMap))) }
        if !statuses.isEmpty { members.append(("statuses", .texts(statuses))) }
        members.add("redirect", redirect)
        if let isAccepted { members.append(("is_accepted", .bool(isAccepted))) }
        if let fields { members.append(("fields", .array(fields.map { .string($0) }))) }
        members.add("naming", naming.sorted())
        return JSONText.object(members).text
    }
}

extension ReadContext {
    /// The places that have named two lists of an earlier read rightly.
    package var naming: Set<String> { AnswerShape(text: shape)?.naming ?? [] }
}

extension Page {
    private static let mostPlaces = 16

    /// Notes which places have named two lists of the stream rightly, so that later reads know it.
    package mutating func note(naming places: Set<String>) {
        guard !places.isEmpty, var shape = AnswerShape(text: facts.shape) else { return }
        shape.naming = Set(places.sorted().prefix(Self.mostPlaces))
        facts.shape = shape.text
    }
}

extension FoundRecords {
    /// Returns true if null stands in the place of the list, as servers in Go write an empty one, or an empty object, or if the
    /// body has no bytes, as JSON Lines without a record.
    func isNothing(in document: Document) -> Bool {
        guard selection.count == 0 else { return false }
        return document.byteCount == 0
            || document.withRoot { root in
                way(in: root).last.map { $0.node.isNull || $0.node.isObject && $0.node.saysNothing } ?? false
            }
    }

    /// Returns what the answer shows beside its records.
    func shape(in document: Document, _ context: ReadContext, remembersPlace: Bool) -> AnswerShape {
        var shape = AnswerShape()
        if remembersPlace { shape.place = place.remembered }
        shape.fields = fields ?? (doubt == nil ? nil : AnswerShape(text: context.shape)?.fields)
        guard place != .wholeBody else { return shape }
        document.withRoot { root in
            if case .selector(let selector) = place {
                // The members of a body that is itself reshaped are data.
                if selector.isRoot { return }
                let container = selector.passesAllChildren ? selector.container(below: root) : nil
                // One record in the place of a list says nothing of what comes next.
                switch container?.kind {
                case .array: shape.isMap = false
                case .object where selection.count != 1: shape.isMap = true
                default: shape.isMap = AnswerShape(text: context.shape)?.isMap
                }
            }
            shape.statuses = StatusMembers(root, way: way(in: root)).remembered
        }
        return shape
    }
}

extension Paging.Continuation {
    /// Returns the continuation with a doubt about the page.
    ///
    /// - Parameter endsRead: True if the page was not understood, so that the read ends whatever it leads to.
    func doubted(_ doubt: Verdict?, endsRead: Bool) -> Paging.Continuation {
        guard let doubt else { return self }
        switch self {
        case .end(let verdict): return .end(verdict.worse(doubt))
        case .next: return endsRead ? .end(doubt) : self
        }
    }
}

extension ReadHistory.Place {
    /// The place as a JSONPath.
    var path: String {
        switch self {
        case .array: "$"
        case .second: "$[1]"
        case .member(let name): "$" + Selector.shortSegment(named: name)
        case .path(let names): "$" + names.map(Selector.shortSegment(named:)).joined()
        }
    }

    /// The value at the place; nil if there is none.
    fileprivate func value(below root: Node) -> Node? {
        switch self {
        case .array: root
        case .second: root.pageAndRecords?.records
        case .member(let name): root[name]
        case .path(let names): names.reduce(root) { node, name in node?[name] }
        }
    }
}

extension JSONText {
    /// An object of texts, in the order of their names.
    static func texts(_ texts: [String: String]) -> JSONText {
        .object(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}

extension Node {
    /// The members of an object of texts.
    var storedTexts: [String: String] {
        members.reduce(into: [:]) { texts, member in texts[member.key.text] = member.value.string }
    }
}

extension Verdict {
    /// The judgement on an answer that has no list at the place where the records stood in an earlier one.
    ///
    /// - Parameter found: The place at which a list stands now; nil if none could be the records.
    static func placeIsMissing(_ place: ReadHistory.Place, below root: Node, found: String? = nil) -> Verdict {
        let path = place.path
        let names = root.members.prefix(5).map(\.key.text)
        let now =
            if let found {
                "while \(found) has some now"
            } else if let value = place.value(below: root) {
                "where \(value.kind.noun) is now"
            } else {
                "and that is missing now"
            }
        let answer = names.isEmpty ? "is \(root.kind.noun)" : "has \(names.joined(separator: ", "))"
        let isMissing = found == nil && place.value(below: root) == nil
        return Verdict(
            .contradicted, "the records stood at \(path) before, \(now)",
            advice: (isMissing ? "the answer \(answer); " : "") + "set record_selector if they have another place")
    }

    /// The judgement on a list beside another one of the same kind, by their names in one object.
    static func besideTwin(_ twin: String, list: String, below path: String) -> Verdict {
        let own = path + Selector.shortSegment(named: list)
        let names = [list, twin].map { Selector.segment(named: $0).dropFirst().dropLast() }.joined(separator: ",")
        let other = path + Selector.shortSegment(named: twin)
        let condition = "they are not meant"
        // A list of a usual name is told of beside the list that is selected, too.
        let settling =
            RecordNames.anyStream.lists(twin)
            ? Cause.ignoring(other, condition) : "write record_selector: \(own) if \(condition)"
        return Verdict(
            .contradicted, "\(other) has records like those of \(own), and they are not read",
            advice: "\(settling), or record_selector: \"\(path)[\(names)][*]\" for both")
    }

    /// The judgement on a body that is taken for one record, or nothing, and has a list in an object.
    static func besidePagedList(_ selector: String) -> Verdict {
        Verdict(
            .silent, "the answer has a list in an object beside what tells of its pages",
            advice: "write record_selector: \"\(selector)\", or record_selector: $ if the answer is one record")
    }

    /// The judgement on an empty list beside another value that may hold the records.
    static func emptyBeside(_ rival: String, list: String) -> Verdict {
        Verdict(
            .contradicted,
            "\(list) is empty, and \(rival) may hold the records",
            advice: "set record_selector to the one that is meant")
    }
}

extension RecordSelection {
    /// Returns true if a page has a list with records at their place, which must be configured or known.
    func hasRecords(in document: Document, asIn place: ReadHistory.Place?) -> Bool {
        guard place != nil || !isAutomatic, let found = try? records(in: document, asIn: place, ReadContext()) else {
            return false
        }
        let isList = document.withRoot { found.way(in: $0).last?.node.kind == .array }
        return isList && found.selection.count > 0
    }
}
