import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The field by which records can be told apart that share a key.
///
/// The page that repeats a key is compared with the first page of the run, where most keys that repeat come first.
struct KeyDistinction {
    /// The first page, until a key has come again; nil if it is too long to keep.
    private var first: (records: Selection, added: AddedFields)?
    /// The fields of the first page's records by their keys, once one has come again.
    private var known: [String: Fields] = [:]
    private var hasBegun = false
    /// The path of the field; nil if none is known.
    private var field: [String]?

    private typealias Fields = [(path: [String], text: String)]

    /// The most records of a page that is kept.
    static let longestPage = 250

    /// Notes a page, with the indices of its records whose keys came before with other content.
    ///
    /// - Parameters:
    ///   - key: The paths of the key's members.
    ///   - keyText: Returns the key of a record as text; nil if it has none.
    mutating func note(
        _ places: [Int], in records: Selection, _ added: AddedFields, key: Set<[String]>,
        keyText: (PageRecord) -> String?
    ) {
        guard field == nil, records.count > 0 else { return }
        if !hasBegun, records.count <= Self.longestPage { first = (records, added) }
        hasBegun = true
        guard !places.isEmpty else { return }
        if let (page, added) = first.take() {
            Self.forEach(of: page, added, keyText) { _, key, fields in
                if known[key] == nil { known[key] = fields }
            }
        }
        guard !known.isEmpty else { return }
        var pairs: [(Fields, Fields)] = []
        Self.forEach(of: records, added, keyText) { place, key, fields in
            if places.contains(place), let other = known[key] { pairs.append((fields, other)) }
        }
        field = Self.field(thatDiffersIn: pairs, except: key)
        if field != nil { known = [:] }
    }

    /// What to do.
    var remedy: String {
        "set primary_key to what tells them apart" + (field.map { ", such as \($0.joined(separator: "."))" } ?? "")
    }

    /// The line to paste and what goes with it, for the end of a sentence; nothing if no line is known.
    func line(beside key: [String], for stream: StreamConfiguration) -> String {
        guard let field, field.count == 1 else { return "" }
        return
            ": primary_key: [\((key + field).joined(separator: ", "))]; then drop the table \(stream.table), so that the next "
            + "sync makes it anew"
    }

    /// Returns the field that differs in each pair of records. Of several, the one with the fewest values.
    private static func field(thatDiffersIn pairs: [(Fields, Fields)], except keys: Set<[String]>) -> [String]? {
        var best: (path: [String], values: Int)?
        for path in (pairs.first?.0 ?? []).map(\.path) where !keys.contains(path) {
            func text(_ fields: Fields) -> String? { fields.first { $0.path == path }?.text }
            let texts = pairs.map { (text($0), text($1)) }
            guard texts.allSatisfy({ $0 != nil && $1 != nil && $0 != $1 }) else { continue }
            let values = Set(texts.map(\.0)).count
            if best.map({ values < $0.values }) ?? true { best = (path, values) }
        }
        return best?.path
    }

    /// Calls `body` with the index, the key, and the texts and integers of each record that has a key.
    private static func forEach(
        of records: Selection, _ added: AddedFields, _ keyText: (PageRecord) -> String?,
        _ body: (Int, String, Fields) -> Void
    ) {
        var place = -1
        added.with { added in
            records.forEach { node in
                place += 1
                let record = PageRecord(node: node, added: added)
                guard let key = keyText(record) else { return }
                let fields = paths(of: node).compactMap { path -> (path: [String], text: String)? in
                    guard let value = record.value(at: path), [.string, .integer].contains(value.kind) else {
                        return nil
                    }
                    return (path, value.text)
                }
                body(place, key, fields)
            }
        }
    }

    /// Returns the paths of a record's members, and of those of its objects.
    static func paths(of record: Node) -> [[String]] {
        record.members.prefix(100).flatMap { name, value in
            value.kind == .object ? value.members.prefix(20).map { [name.text, $0.key.text] } : [[name.text]]
        }
    }
}
