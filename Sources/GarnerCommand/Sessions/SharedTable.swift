import GarnerCatalog
import GarnerModel
import GarnerPersistence

/// A table that two streams in different shards have, or would have. Whoever names it would get the rows of one of them, and not know of which.
struct SharedTable {
    /// The full name of the stream that is concerned.
    let stream: String
    let message: String
    let hint: String

    /// Returns the first one; nil if there is none.
    ///
    /// - Parameter tables: What all shards have.
    static func first(in tables: [PartTable], besides streams: [StreamConfiguration]) -> SharedTable? {
        let configured = Dictionary(streams.map { ($0.name.description, $0) }) { first, _ in first }
        for stream in streams {
            let name = stream.name.description
            let isThere = tables.contains { $0.stream == name && stream.keeps($0) }
            let shards = Set(tables.filter { $0.source == stream.name.source }.map(\.part))
            let other = tables.first {
                $0.isNamed(stream.table) && $0.stream != name && !shards.contains($0.part)
            }
            guard !isThere, let other else { continue }
            return SharedTable(stream, other, isConfigured: other.stream.map { configured[$0] != nil })
        }
        let named = Dictionary(grouping: tables, by: \.foldedName)
        for (_, tables) in named.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            // The next run of a stream with another name for it in the file gives it that name.
            let lasting = tables.filter { table in
                table.stream.flatMap { configured[$0] }.map { $0.keeps(table) } ?? true
            }
            // What people have made is not Garner's.
            guard let first = lasting.first, let other = lasting.first(where: { $0.part != first.part }),
                let stream = other.stream ?? first.stream
            else { continue }
            return SharedTable(first, other, stream)
        }
        return nil
    }

    /// - Parameter isConfigured: True if the other table's stream is in the file; nil if it has none.
    private init(_ stream: StreamConfiguration, _ other: PartTable, isConfigured: Bool?) {
        self.stream = stream.name.description
        message =
            "the table '\(other.name)' belongs to \(other.stream.map { "the stream \($0)" } ?? "nobody that Garner knows"), in shard "
            + "\(other.part), and \(stream.name), which is in another one, would have it, too"
        let naming = "write 'table: \(StreamConfiguration.longTable(of: stream.name))' in \(stream.name)"
        hint =
            switch (other.stream, isConfigured) {
            case (let name?, false?):
                "if \(stream.name) is \(name) under another name, run 'garner rename \(name) \(stream.name)'; else \(naming)"
            default: "\(naming), or another name that is free"
            }
    }

    private init(_ one: PartTable, _ other: PartTable, _ stream: String) {
        self.stream = stream
        message =
            "the shards \(one.part) and \(other.part) both have a table '\(one.name)'"
            + " (\([one.stream, other.stream].map { $0 ?? "made by hand" }.joined(separator: ", ")))"
        hint = "give \(stream) another table with 'table:', or remove it with: garner drop \(stream)"
    }
}

extension StreamConfiguration {
    /// Returns true if a table of its own, or of its arrays, keeps its name.
    fileprivate func keeps(_ own: PartTable) -> Bool {
        keepsTable(own.name) || own.isNamed(table) || own.name.lowercased().hasPrefix(table.lowercased() + "__")
    }
}

extension Setup {
    /// Throws if two streams in different shards have the same table, or would have it. A database that cannot be read is no matter of this.
    ///
    /// - Parameter reader: A connection to the database; nil for a new one.
    func refuseSharedTables(in configuration: Configuration, _ reader: ReadOnlyDatabase? = nil) throws {
        guard !configuration.place.isFile, let reader = try? reader ?? ReadOnlyDatabase(path: configuration.database),
            let tables = try? reader.tablesOfParts(),
            let shared = SharedTable.first(in: tables, besides: configuration.streams)
        else { return }
        let place = configuration.streams.first { $0.name.description == shared.stream }?.place.description
        throw CommandError(
            .misconfigured, kind: "shared_table", message: shared.message, place: place ?? configuration.file,
            hint: shared.hint)
    }
}
