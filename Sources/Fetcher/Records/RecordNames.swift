import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The names that distinguish an empty page from a record whose only array happens to be empty.
struct RecordNames: Sendable {
    /// Names of members that usually hold records.
    private static let usual: Set<String> = ["data", "entries", "items", "records", "results", "value", "values"]
    /// More names of members that hold records, used only in addition to other evidence.
    private static let others: Set<String> = [
        "children", "content", "docs", "edges", "features", "hits", "list", "nodes", "response", "result", "rows",
    ]
    /// Names of members that usually identify a record.
    private static let usualKeys = ["id", "_id", "uuid", "key", "slug"]

    /// Names of members that hold records of this stream.
    private let lists: Set<String>
    /// The primary key of this stream; empty if none is configured.
    private let key: [String]

    init(of stream: StreamConfiguration) {
        let path = stream.request.path.prefix { $0 != "?" }
        let resource = path.split(separator: "/").last.map(String.init) ?? stream.name.stream
        lists = Self.usual.union([stream.name.stream, stream.table, resource])
        key = stream.primaryKey ?? []
    }

    private init() { (lists, key) = (Self.usual, []) }

    /// The names of no stream in particular.
    static let anyStream = RecordNames()

    /// Returns the one empty array in the place of the page's records; nil if `root` itself is more likely a record.
    func emptyPage(among arrays: [(name: String, value: Node)], of root: Node) -> (name: String, value: Node)? {
        let empty = arrays.filter { $0.value.elements.contains { _ in true } == false }
        let named = empty.filter { lists.contains($0.name) }
        if named.count == 1 { return named.first }
        let meant =
            arrays.count == 1
            ? arrays
            : arrays.filter { name, value in
                value.saysNothing ? !isBeside(name) : lists.contains(name) || !value.isListOfLinks(named: name)
            }
        return meant.count == 1 && meant[0].value.saysNothing && !isRecord(root) ? meant.first : nil
    }

    /// Returns true if a list with this name stands beside the records: of errors, or of what JSON:API includes.
    private func isBeside(_ name: String) -> Bool { isComplaint(name) || name == "included" && !lists.contains(name) }

    /// Returns true if the array may be a part of the one record that the body is, such as the lines of an order.
    func isDoubtful(_ name: String, in root: Node) -> Bool {
        !lists.contains(name) && !Self.others.contains(name) && root["jsonrpc"] == nil
            && Self.looksLikeRecord(root)
    }

    /// Returns true if members with this name usually hold records.
    static func isList(_ name: String) -> Bool { usual.contains(name) || others.contains(name) }

    /// Returns true if a member usually identifies a record.
    static func looksLikeRecord(_ node: Node) -> Bool { usualKeys.contains { node[$0] != nil } }

    /// Returns true if this stream's records, or those of most others, are in members with this name.
    func lists(_ name: String) -> Bool { lists.contains(name) }

    /// Returns true if this stream's records, or those of many others, are in members with this name.
    func isUsual(_ name: String) -> Bool { lists.contains(name) || Self.others.contains(name) }

    func isUsual(_ place: ReadHistory.Place) -> Bool {
        switch place {
        case .array, .second: true
        case .member(let name): isUsual(name)
        case .path(let names): names.last.map(isUsual) ?? false
        }
    }

    /// Returns true if an array with this name reports errors beside the records.
    func isComplaint(_ name: String) -> Bool { BodyRefusal.complaints.contains(name) && !lists.contains(name) }

    /// Returns the names of the members of the first record in a list; nil if it has fewer than three, or no key.
    func members(ofFirstIn list: Node) -> Set<String>? {
        guard list.kind == .array, let first = list.elements.first(where: { _ in true }), first.kind == .object,
            isRecord(first)
        else { return nil }
        let names = Set(first.members.map(\.key.text))
        return names.count > 2 ? names : nil
    }

    func isRecord(_ root: Node) -> Bool {
        key.isEmpty ? Self.looksLikeRecord(root) : key.allSatisfy { root[$0] != nil }
    }
}
