import GarnerCatalog
package import GarnerJSON

extension KeyInference {
    /// The most fields of a key that is looked for.
    private static let mostFields = 3
    private static let mostCandidates = 12

    /// Returns the fewest fields that identify each record together, times at the end; nil without any, or for too few records.
    ///
    /// - Parameters:
    ///   - pages: Pages of one list. A record that a later page has once more, without a change, has only moved.
    ///   - isRight: Returns false for fields that other records are known to share.
    static func combination(in pages: [Selection], where isRight: ([String]) throws -> Bool) rethrows -> [String]? {
        let (parts, count) = parts(of: pages)
        for size in 1...mostFields where count >= 2 * size {
            let found = combinations(of: size, from: parts.indices).filter { isUnique($0.map { parts[$0] }, count) }
            // The most telling names come first, and then the order of the record counts.
            let ranked = found.enumerated().sorted { left, right in
                let ranks = [left, right].map { $0.element.reduce(0) { $0 + parts[$1].rank } }
                return ranks[0] == ranks[1] ? left.offset < right.offset : ranks[0] < ranks[1]
            }
            for (_, places) in ranked {
                let fields = places.map { parts[$0] }.sorted {
                    ($0.isTime ? 1 : 0, $0.place) < ($1.isTime ? 1 : 0, $1.place)
                }
                if try isRight(fields.map(\.name)) { return fields.map(\.name) }
            }
        }
        return nil
    }

    package static func combination(in pages: [Selection]) -> [String]? { combination(in: pages) { _ in true } }

    /// Returns the fields that may be parts of a key, and the number of different records.
    private static func parts(of pages: [Selection]) -> (parts: [KeyPart], count: Int) {
        let members = pages.first?.withRecord(at: 0) { $0.members.prefix(100).map(\.key.text) } ?? []
        let names = members.enumerated().filter { members.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        var columns: [[String]?] = names.map { _ in [] }
        var count = 0
        var earlier: Set<[UInt8]> = []
        for page in pages {
            var texts: Set<[UInt8]> = []
            page.forEach { record in
                let text = record.withSpelling { Array($0) }
                guard !earlier.contains(text) else { return }
                texts.insert(text)
                count += 1
                for index in names.indices where columns[index] != nil {
                    let value = record[names[index]]
                    // A number that SQLite's integers do not hold is stored with all of its digits.
                    let isWhole = value?.kind == .number && value?.text.allSatisfy(\.isNumber) == true
                    let isScalar = value?.kind == .string || value?.kind == .integer || isWhole
                    columns[index] = isScalar ? (columns[index] ?? []) + [value?.text ?? ""] : nil
                }
            }
            earlier.formUnion(texts)
        }
        let parts = names.indices.compactMap { index in
            columns[index].flatMap { KeyPart(names[index], at: index, values: $0) }
        }
        return (Array(parts.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.prefix(mostCandidates)), count)
    }

    private static func combinations(of size: Int, from places: Range<Int>) -> [[Int]] {
        guard size > 0 else { return [[]] }
        return places.flatMap { first in
            combinations(of: size - 1, from: first + 1..<places.upperBound).map { [first] + $0 }
        }
    }

    private static func isUnique(_ parts: [KeyPart], _ count: Int) -> Bool {
        guard parts.reduce(1, { $0 * $1.distinct }) >= count else { return false }
        var seen: Set<[Int]> = []
        return (0..<count).allSatisfy { row in seen.insert(parts.map { $0.values[row] }).inserted }
    }
}

/// A field that may identify a record together with others.
private struct KeyPart {
    let name: String
    /// The place of the field in the record.
    let place: Int
    let isTime: Bool
    /// 0 for a name that keys have, 1 for values as keys have them.
    let rank: Int
    /// The value of each record as a number, which equal values share, and how many different ones there are.
    let (values, distinct): ([Int], Int)

    /// Returns nil for a field that changes with its record, or that is a measure.
    init?(_ name: String, at place: Int, values texts: [String]) {
        let words = name.nameWords
        guard words.allSatisfy({ !Self.changing.contains($0) }), let last = words.last else { return nil }
        let areTimes = texts.allSatisfy { $0.prefixMatch(of: /\d{4}-\d\d-\d\d/) != nil }
        isTime = Self.times.contains(last) || areTimes
        rank = isTime || Self.keys.contains(last) ? 0 : 1
        guard rank == 0 || texts.allSatisfy(Self.isCode) else { return nil }
        var numbers: [String: Int] = [:]
        values = texts.map { text in
            let number = numbers[text] ?? numbers.count
            numbers[text] = number
            return number
        }
        distinct = numbers.count
        (self.name, self.place) = (name, place)
    }

    /// Returns true for a short text without spaces that is no number.
    private static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 40 && Double(text) == nil && !text.contains(where: \.isWhitespace)
    }

    private static let times: Set = [
        "at", "date", "datetime", "day", "hour", "month", "on", "period", "quarter", "time", "timestamp", "ts", "week",
        "year",
    ]
    private static let keys: Set = [
        "code", "country", "currency", "guid", "id", "index", "isin", "key", "language", "line", "locale", "name", "no",
        "nr", "number", "position", "region", "row", "seq", "sequence", "serial", "sku", "slug", "symbol", "ticker",
        "uid", "uuid",
    ]
    /// Words in the names of fields whose value may change while the record stays the same one.
    private static let changing: Set = [
        "body", "changed", "comment", "description", "message", "modified", "note", "quality", "state", "status",
        "text", "title", "unit", "updated", "value",
    ]
}
