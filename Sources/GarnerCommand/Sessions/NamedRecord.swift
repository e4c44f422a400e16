import GarnerCatalog
import GarnerDatabase
import GarnerFetcher
import GarnerJSON
import GarnerModel
import GarnerPersistence

/// A record of another stream in the path of a new one, such as 44 in `issues/44/comments`.
struct NamedRecord {
    let stream: StreamConfiguration
    let record: String
    private let (before, behind): (String, String)

    /// Returns nil if no part of the path stands behind the path of a stream of the same source.
    init?(in address: StarterAddress, among streams: [StreamConfiguration]) {
        let segments = address.path.split(separator: "/", omittingEmptySubsequences: false)
        for place in segments.indices.dropFirst().dropLast().reversed() where !segments[place].isEmpty {
            let path = segments[..<place].joined(separator: "/")
            let parent = streams.first { stream in
                stream.name.source == address.source && stream.request.placeholders.isEmpty
                    && stream.request.path.prefix { $0 != "?" }.trimming { $0 == "/" }.withoutSuffix
                        == path[...].trimming { $0 == "/" }
            }
            guard let parent else { continue }
            (stream, record) = (parent, PercentEncoding.decoded(segments[place]))
            (before, behind) = (path + "/", "/" + segments[(place + 1)...].joined(separator: "/"))
            return
        }
        return nil
    }

    /// Returns the stream as the parent, by the field in which a record that is stored or on the first page has the value.
    ///
    /// - Parameter sample: Fetches the first page; nil if it cannot be had.
    func parent(in database: String, _ sample: (StreamConfiguration) async -> PageSample?) async
        -> StarterAddress.Parent
    {
        let usual = ["id", "number", "key", "slug", "uuid", "code", "name"]
        let fields = (stream.primaryKey ?? []) + usual.filter { !(stream.primaryKey ?? []).contains($0) }
        var field = stored(in: fields, of: database)
        if field == nil, let records = try? await sample(stream)?.records.selection {
            field = fields.first { name in
                var isThere = false
                records.forEach { isThere = isThere || $0[name]?.text == record }
                return isThere
            }
        }
        return StarterAddress.Parent(
            stream: stream.name.stream, record: record, path: "\(before){parent.\(field ?? fields[0])}\(behind)",
            isCertain: field != nil)
    }

    private func stored(in fields: [String], of database: String) -> String? {
        guard let reader = try? ReadOnlyDatabase(path: database), let table = try? reader.table(of: stream),
            let columns = try? reader.columnNames(of: table)
        else { return nil }
        return fields.first { field in
            let names = [table, field].map { "\"\($0.replacing("\"", with: "\"\""))\"" }
            let sql = "SELECT 1 FROM \(names[0]) WHERE CAST(\(names[1]) AS TEXT) = :record LIMIT 1"
            let rows = columns.contains(field) ? try? reader.rows(sql, parameters: ["record": .text(record)]) : nil
            return (try? rows?.next()) != nil
        }
    }
}

extension Substring {
    fileprivate var withoutSuffix: Substring { hasSuffix(".json") ? dropLast(5) : self }
}
