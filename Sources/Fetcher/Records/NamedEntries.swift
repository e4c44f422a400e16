import GarnerJSON
import GarnerModel

/// The members of a body that is itself the object of the entries, as `{"EUR": {…}, "USD": {…}}`, with no records among them.
struct NamedEntries {
    /// The names of fields that some of the entries have, sorted; nil unless all entries are objects.
    let fields: [String]?
    /// The reason why the members are not understood; nil if they are.
    let doubt: Verdict?
    /// True if a member that is no object is no record.
    let areObjects: Bool
    /// True if none of the members is a record.
    let areNone: Bool

    private static let mostEntries = 10
    private static let mostFields = 32
    private static let longestName = 32

    /// - Parameters:
    ///   - earlier: The fields of the entries of an earlier answer, if those were objects.
    ///   - namesMember: False if a message may not have the name of a member, which may be a value.
    init(_ root: Node, ignoring ignored: [Node], earlier: [String]?, namesMember: Bool) {
        var (objects, others) = (0, 0)
        var odd: (key: Node, value: Node)?
        var found: Set<String> = []
        for (key, value) in root.members where !ignored.have(value) {
            if value.kind == .object {
                objects += 1
                guard objects <= Self.mostEntries else { continue }
                found.formUnion(value.members.prefix(Self.mostFields).map(\.key.text))
            } else if value.isNoEntry {
                (others, odd) = (others + 1, odd ?? (key, value))
            }
        }
        func name(_ key: Node) -> String? {
            guard namesMember, key.utf8.count <= Self.longestName else { return nil }
            return "$" + Selector.shortSegment(named: key.text)
        }
        areObjects = others > 0 && (earlier != nil || others < objects)
        fields = others == 0 && objects > 0 && !found.isEmpty ? found.sorted() : nil
        let isOfOthers = objects == 1 && !found.isEmpty && earlier.map { found.isDisjoint(with: $0) } == true
        areNone = objects == 0 && areObjects || isOfOthers
        let all = "set record_selector: \"$\" if each member is a record"
        if areNone {
            doubt = Verdict(
                .contradicted, "no member of the answer is one as the records were before",
                advice: "look at what the source answers, or \(all)")
        } else if areObjects, let odd {
            let place = name(odd.key)
            let ignoring = place.map { "\(Verdict.Cause.ignoring($0, "it is no record")), or " } ?? ""
            doubt = Verdict(
                .contradicted, "\(place ?? "a member") is \(odd.value.kind.noun) among records that are objects",
                advice: ignoring + all)
        } else {
            doubt = nil
        }
    }
}

extension Node {
    /// True for a member that is no entry where the others are objects. PHP writes an object without members as an empty list.
    var isNoEntry: Bool { kind != .object && !isNull && !(kind == .array && saysNothing) }
}
