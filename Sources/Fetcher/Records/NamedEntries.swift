import GarnerJSON
import GarnerModel

/// The members of a body that is itself the object of the entries, as `{"EUR": {…}, "USD": {…}}`, with no records among them.
struct NamedEntries {
    /// The names of fields that some of the entries have, sorted; nil unless all entries are objects.
    let fields: [String]?
    /// The reason why the members are not understood; nil if they are.
    let doubt: Verdict?
    /// True if a member that is no object is no record.
    private let areObjects: Bool
    /// True if none of the members is a record.
    private let areNone: Bool
    /// The objects that describe the answer rather than being records.
    private let apart: [Node]

    private static let mostEntries = 10
    private static let mostFields = 32
    private static let longestName = 32
    /// The names of objects that describe an answer, in their usual spellings.
    private static let envelopes: Set = [
        "_links", "_meta", "links", "meta", "metadata", "page", "pageInfo", "page_info", "pager", "pagination",
        "paging",
    ]
    private static let longestEnvelope = 10

    /// - Parameters:
    ///   - earlier: The fields of the entries of an earlier answer, if those were objects.
    ///   - namesMember: False if a message may not have the name of a member, which may be a value.
    init(_ root: Node, ignoring ignored: [Node], earlier: [String]?, namesMember: Bool) {
        var (objects, others, blanks) = (0, 0, 0)
        var odd: (key: Node, value: Node)?
        var envelopes: [(key: Node, value: Node)] = []
        var found: Set<String> = []
        func names(in value: Node) -> [String] { value.members.prefix(Self.mostFields).map(\.key.text) }
        for (key, value) in root.members where !ignored.have(value) {
            if value.kind == .object {
                objects += 1
                if key.utf8.count <= Self.longestEnvelope, Self.envelopes.contains(key.text) {
                    envelopes.append((key, value))
                } else if objects <= Self.mostEntries {
                    found.formUnion(names(in: value))
                }
            } else if value.isNoEntry {
                (others, odd) = (others + 1, odd ?? (key, value))
            } else {
                blanks += 1
            }
        }
        // An entry of such a name has fields that others have, too.
        let known = found.union(earlier ?? [])
        let strange = envelopes.filter { !$0.value.saysNothing && known.isDisjoint(with: names(in: $0.value)) }
        apart = known.isEmpty ? [] : strange.map(\.value)
        objects -= apart.count
        // Without others, these are the records.
        if objects == envelopes.count - apart.count { found.formUnion(envelopes.flatMap { names(in: $0.value) }) }
        func path(of key: Node) -> String? {
            guard namesMember, key.utf8.count <= Self.longestName else { return nil }
            return "$" + Selector.shortSegment(named: key.text)
        }
        areObjects = others > 0 && (earlier != nil || others < objects + apart.count)
        fields = others == 0 && objects > 0 && !found.isEmpty ? found.sorted() : nil
        // A record beside others may be empty, but hardly one that has come in the place of all.
        let isOfOthers =
            objects == 1 && (!found.isEmpty || blanks == 0) && earlier.map { found.isDisjoint(with: $0) } == true
        // Nulls alone are no list of entries that were objects.
        areNone = objects == 0 && (areObjects || blanks > 0 && earlier != nil) || isOfOthers
        if areNone {
            doubt = Verdict(
                .contradicted, "no member of the answer is one as the records were before",
                advice: "look at what the source answers")
        } else if let odd = areObjects ? odd : apart.isEmpty ? nil : strange.first {
            let place = path(of: odd.key)
            let among = odd.value.kind == .object ? "of which it has no field" : "that are objects"
            doubt = Verdict(
                .contradicted, "\(place ?? "a member") is \(odd.value.kind.noun) among records \(among)",
                advice: place.map { Verdict.Cause.ignoring($0, "it is no record") }
                    ?? "name its place in ignore in the paginator if it is no record")
        } else {
            doubt = nil
        }
    }

    /// Returns true if a member is no record.
    func leavesOut(_ member: Node) -> Bool { areNone || areObjects && member.isNoEntry || apart.have(member) }
}

extension Node {
    /// True for a member that is no entry where the others are objects. PHP writes an object without members as an empty list.
    fileprivate var isNoEntry: Bool { kind != .object && !isNull && !(kind == .array && saysNothing) }
}
