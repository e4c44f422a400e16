import GarnerJSON
import GarnerModel

/// The one record of an API that gives several records as a list and one as an object, as APIs do that are made from XML.
struct LoneRecord {
    let node: Node

    /// Finds the record where a selector such as `$.items.item[*]` looks for a list; fails for a list, or a map of records.
    ///
    /// Throws if the object tells of an error.
    init?(at selector: Selector, below root: Node, _ context: ReadContext) throws(FetchError.Kind) {
        guard let container = Self.container(of: selector, below: root), container.kind == .object else { return nil }
        let isMap = AnswerShape(text: context.shape)?.isMap
        let wasList = isMap == false
        // A stream of an earlier version goes on as before, until an answer has shown what its values are those of.
        guard wasList || isMap == nil && (context.isFirst || RecordNames.looksLikeRecord(container)),
            !Self.isNumbered(container), wasList || !Self.isMap(container),
            container.members.contains(where: { _ in true })
        else { return nil }
        if let refusal = BodyRefusal(container) ?? BodyRefusal(messageOnly: container) { throw refusal.kind }
        node = container
    }

    /// Returns the value whose children a selector such as `$.data[*]` selects; nil for other selectors.
    static func container(of selector: Selector, below root: Node) -> Node? {
        guard selector.selectsChildren, selector.passesAllChildren else { return nil }
        return selector.container(below: root)
    }

    /// Returns true if the names of an object are numbers, as those of a list of PHP are from which a value was removed.
    static func isNumbered(_ object: Node) -> Bool {
        object.members.allSatisfy { key, value in
            value.kind == .object && key.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
    }

    /// Returns true if the values of an object may be records: if all are objects, or all numbers, or all arrays.
    private static func isMap(_ object: Node) -> Bool {
        var kinds: Set<String> = []
        for (_, value) in object.members where value.kind != .null {
            switch value.kind {
            case .integer, .real, .number: kinds.insert("number")
            case .object, .array: kinds.insert(value.kind.noun)
            default: return false
            }
        }
        return kinds.count == 1
    }
}
