import GarnerModel
import GarnerPersistence
import GarnerPostgres

/// Tells people, who are asked before, what changes if tables are made again. It changes nothing on either side.
package struct RemakeExamination: Sendable, Equatable {
    /// The columns that would get another type, such as `animals.weight from bigint to text`.
    package private(set) var changes: [String] = []
    /// The columns that users have added and that would lose their values, such as `animals.remark`.
    package private(set) var losses: [String] = []
    /// Why nothing is published now, such as a copy of the file that is published by a process that runs; nil if it is.
    package private(set) var refusal: String?

    /// Throws if a name is none of a published table. Nobody is asked for that.
    package static func requireTables(_ names: [String], of target: Publisher.Target, path: String) throws {
        let reader = try OutboxReader(path: path)
        defer { reader.close() }
        _ = try target.tables(names, among: reader.snapshot { try $0.tables() })
    }

    /// Connects and looks.
    ///
    /// - Parameters:
    ///   - names: The tables, by their names in the file.
    ///   - path: The file.
    /// - Throws: `PublicationError` if there is no connection, `PersistenceError` if the file cannot be read or has no such table.
    package init(of names: [String], _ target: Publisher.Target, path: String) async throws {
        do {
            let connection = try await PostgresConnection.open(target.url)
            do {
                try await examine(names, target, path, connection)
            } catch let error as PostgresError where error.kind == .insufficientPrivilege {
                // Whoever makes the tables then says which right is missing.
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        } catch let error as PostgresError {
            throw PublicationError(error)
        }
    }

    private mutating func examine(
        _ names: [String], _ target: Publisher.Target, _ path: String, _ connection: PostgresConnection
    ) async throws {
        let reader = try OutboxReader(path: path)
        defer { reader.close() }
        let snapshot = try reader.beginSnapshot()
        defer { snapshot.end() }
        guard let file = try snapshot.file().flatMap({ PostgresUUID($0) }) else { return }
        let fence = Fence(me: PublicationHolder(token: .random(), path: path, version: ""))
        let (row, server) = try await connection.inTransaction {
            guard try await PublishedSchema.hasTables(on: connection) else { return (nil as FenceRow?, ServerTables()) }
            return (
                try await fence.row(of: file, on: connection), try await ServerTables.read(of: file, on: connection)
            )
        }
        refusal = try fence.verdict(on: row, of: FileStanding(of: file, in: snapshot, row)).refusal(row: row)?.message
        let published = try snapshot.tables().filter { target.publishes($0.stream) }
        let wanted = Set(try target.tables(names, among: published).map(\.id))
        for match in server.matches(of: published, in: target.schema) where wanted.contains(match.table.id) {
            guard let former = match.server, former.exists else { continue }
            let table = match.table
            let own: [String]
            do {
                own = try await connection.inTransaction {
                    try await TableWriting.ownColumns(at: former.place, beside: former.definition, on: connection)
                }
            } catch let error as PostgresError where error.kind == .lockTimeout {
                let words = try await connection.inTransaction {
                    try await BehindReason.lock(on: former.place, connection)
                }
                throw PublicationError(.away, "\(former.place.sql): \(words)")
            }
            losses += own.map { "\(match.place.name).\($0)" }
            var columns = table.fileColumns { target.isNumeric(table.stream, $0) }
            try columns.findInstants(in: snapshot, of: table)
            for (old, new) in zip(former.definition.columns, former.definition.retyped(for: columns).columns)
            where old.type != new.type {
                changes.append("\(match.place.name).\(old.name) from \(old.type.rawValue) to \(new.type.rawValue)")
            }
        }
    }
}

extension Publisher.Target {
    /// Returns the tables with these names in the file.
    ///
    /// - Throws: `PersistenceError` if a name is none of a published table.
    func tables(_ names: [String], among tables: [PublishedTable]) throws -> [PublishedTable] {
        try names.map { name in
            guard let table = tables.first(where: { $0.name.lowercased() == name.lowercased() }),
                publishes(table.stream)
            else {
                throw PersistenceError(
                    .request, "no published table has the name \(name)",
                    hint: "compare the name with those of: garner tables")
            }
            return table
        }
    }
}

extension FileStanding {
    /// Reads what the file says, beside the row that PostgreSQL has of it.
    init(of file: PostgresUUID, in snapshot: OutboxSnapshot, _ row: FenceRow?) throws {
        self.init(
            file: file, confirmed: min(try snapshot.confirmedPosition(), try snapshot.lastNote()),
            lastNote: try row.flatMap { try snapshot.publisher($0.token.description)?.lastNote })
    }
}
