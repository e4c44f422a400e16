package import Catalog
package import JSON

/// Finds the field that identifies a record where the configuration names none.
package enum KeyInference {
    /// The fields that identify records by custom, the most usual first. `url` and `href` name the resource itself.
    static func candidates(for stream: StreamName) -> [String] {
        let name = stream.stream
        let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
        return ["id", "\(name)_id", "\(singular)_id", "uuid", "key", "slug", "_id", "url", "href"]
    }

    /// The first candidate that every record has, with a text or an integer that no other record of the page has.
    package static func key(of stream: StreamName, in records: Selection) -> String? {
        candidates(for: stream).first { candidate in
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
}
