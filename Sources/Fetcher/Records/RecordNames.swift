import Catalog
import JSON

/// The names that tell an empty page from a record whose only array happens to be empty.
struct RecordNames: Sendable {
    /// Members that hold records by custom.
    private static let usual: Set<String> = ["data", "entries", "items", "records", "results", "value", "values"]
    /// Further members that hold records, beside what else an object may say.
    private static let others: Set<String> = [
        "children", "content", "docs", "edges", "features", "hits", "list", "nodes", "response", "result", "rows",
    ]
    /// Members that identify a record by custom.
    private static let usualKeys = ["id", "_id", "uuid", "key", "slug"]

    /// Members that hold records, for this stream.
    private let lists: Set<String>
    /// The members that a record of this stream has; empty where the configuration names none.
    private let key: [String]

    init(of stream: Stream) {
        let path = stream.request.path.prefix { $0 != "?" }
        let resource = path.split(separator: "/").last.map(String.init) ?? stream.name.stream
        lists = Self.usual.union([stream.name.stream, stream.table, resource])
        key = stream.primaryKey ?? []
    }

    /// The one empty array that the records of the page would stand in; nil where `root` itself is more likely a record.
    func emptyPage(among arrays: [(name: String, value: Node)], of root: Node) -> (name: String, value: Node)? {
        let empty = arrays.filter { $0.value.elements.contains { _ in true } == false }
        let named = empty.filter { lists.contains($0.name) }
        if named.count == 1 { return named.first }
        return arrays.count == 1 && !isRecord(root) ? empty.first : nil
    }

    /// The array may be a part of the one record that the body is, such as the lines of an order.
    func isDoubtful(_ name: String, in root: Node) -> Bool {
        !lists.contains(name) && !Self.others.contains(name) && root["jsonrpc"] == nil
            && Self.looksLikeRecord(root)
    }

    /// Holds records by custom.
    static func isList(_ name: String) -> Bool { usual.contains(name) || others.contains(name) }

    /// Has a member that identifies a record by custom.
    static func looksLikeRecord(_ node: Node) -> Bool { usualKeys.contains { node[$0] != nil } }

    func isRecord(_ root: Node) -> Bool {
        key.isEmpty ? Self.looksLikeRecord(root) : key.allSatisfy { root[$0] != nil }
    }
}
