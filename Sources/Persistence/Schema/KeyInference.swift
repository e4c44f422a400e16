package import Catalog
package import JSON

/// Finds the field that identifies a record where the configuration names none.
package enum KeyInference {
    /// The fields that identify records by custom, the most usual first. `url` and `href` name the resource itself.
    private static func names(for stream: StreamName) -> [String] {
        let name = stream.stream
        return ["id", "\(name)_id", "\(singular(name))_id", "uuid", "key", "slug", "_id", "url", "href"]
    }

    /// The same by their letters, whatever their case and what is between them: `ID`, `orderNumberId`, `PageID`. They are tried
    /// after the others.
    private static func letters(for stream: Stream) -> [String] {
        let path = stream.request.path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        let words = [stream.name.stream] + path.filter { !$0.contains("{") }.suffix(1)
        let own = words.flatMap { [$0, singular($0)] }.map { letters(of: $0) + "id" }
        return ["id"] + own + ["uuid", "guid", "key", "slug", "pageid", "code"]
    }

    private static func singular(_ name: String) -> String {
        if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
        return name.hasSuffix("s") ? String(name.dropLast()) : name
    }

    private static func letters(of name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

    /// The first candidate that every record has, with a text or an integer that no other record of the page has.
    package static func key(of stream: Stream, in records: Selection) -> String? {
        if let usual = names(for: stream.name).first(where: { isKey($0, of: records) }) { return usual }
        let members = records.withRecord(at: 0) { $0.members.prefix(200).map(\.key.text) } ?? []
        return letters(for: stream).lazy
            .flatMap { letters in members.filter { Self.letters(of: $0) == letters } }
            .first { isKey($0, of: records) }
    }

    private static func isKey(_ candidate: String, of records: Selection) -> Bool {
        var seen: Set<[UInt8]> = []
        var isKey = true
        records.forEach { record in
            guard isKey, let value = record[candidate], value.kind == .string || value.kind == .integer else {
                isKey = false
                return
            }
            isKey = seen.insert(Array(value.utf8)).inserted
        }
        return isKey && !seen.isEmpty
    }
}
