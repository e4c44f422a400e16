package import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The values of a stream's partitions, as files and queries give them when a read begins.
struct PartitionValues {
    /// The stream with all values.
    private(set) var stream: StreamConfiguration
    /// The judgement on the values: those of a query are as complete as the stored records that it reads.
    private(set) var verdict = Verdict.complete

    /// Throws `PersistenceError` if a partition has no value or its values cannot be had.
    ///
    /// - Parameters:
    ///   - connection: The database that queries read; nil if there is no query.
    ///   - clock: The clock for the time that a query may take.
    init(of stream: StreamConfiguration, on connection: Connection?, clock: any Clock<Duration>) throws {
        self.stream = stream
        guard stream.hasChangingPartitions else { return }
        for (index, partition) in stream.partitions.enumerated() {
            switch partition.origin {
            case .list: continue
            case .file: self.stream.partitions[index].values = try partition.fileValues()
            case .query(let sql):
                guard let connection else { continue }
                let found = try PartitionQuery(
                    name: partition.name, sql: sql, stream: stream, connection: connection, clock: clock
                ).values()
                self.stream.partitions[index].values = found.values
                verdict = verdict.worse(found.verdict)
            }
        }
        guard Partition.areTooMany(self.stream.partitions) else { return }
        throw PersistenceError(
            .partition, "'partitions' of \(stream.name) has more than \(Partition.maximumCombinations) combinations",
            hint: "give it fewer values, or use 'parent'")
    }

    /// True if the next read may have other values.
    var mayChange: Bool { stream.hasChangingPartitions }
}

extension StreamConfiguration {
    var hasChangingPartitions: Bool { partitions.contains { $0.origin != .list } }

    /// Throws `PersistenceError` if the file of a partition cannot be used.
    package func checkPartitionFiles() throws {
        for partition in partitions { _ = try partition.fileValues() }
    }
}

extension Partition {
    /// Returns the values of its file; none if it has no file.
    fileprivate func fileValues() throws -> [String] {
        guard case .file(let file) = origin else { return [] }
        do throws(PartitionFileError) {
            return try file.values(for: name)
        } catch {
            throw PersistenceError(.partition, error.message, hint: .text(error.hint))
        }
    }
}

private struct PartitionQuery {
    let name: String
    let sql: String
    let stream: StreamConfiguration
    let connection: Connection
    let clock: any Clock<Duration>

    /// The time that it may take. Other streams cannot be stored meanwhile.
    private static let limit = Duration.seconds(60)

    func values() throws -> (values: [String], verdict: Verdict) {
        let queryGuard = QueryGuard(limit: Self.limit, clock: clock)
        let values: [String]
        do {
            values = try connection.guarding(queryGuard) { try read() }
        } catch let error as SQLiteError {
            throw explained(error, queryGuard.verdict)
        }
        guard !values.isEmpty else {
            throw PersistenceError(
                .partition, "the query of 'partitions.\(name)' has no value: \(sql)",
                hint:
                    "sync the streams whose tables it reads, or correct it; nothing is requested or deleted without any"
            )
        }
        return (values, try ParentTable.verdict(onTables: queryGuard.tablesRead, readBy: stream.name, connection))
    }

    private func read() throws -> [String] {
        let statement = try Statement(sql, on: connection)
        guard statement.isReadOnly else { throw refused("does more than read") }
        guard statement.columnCount == 1 else { throw refused("has \(statement.columnCount) columns instead of one") }
        if let parameter = statement.parameterNames.first {
            throw refused("has the parameter \(parameter ?? "?"), which has no value")
        }
        var values = UniqueTexts()
        var bytes = 0
        while try statement.step() {
            let known = values.list.count
            switch statement.value(at: 0) {
            case .null: continue
            case .integer(let integer): values.add("\(integer)")
            case .real(let real): values.add("\(real)")
            case .text(let text): if !text.isEmpty { values.add(text) }
            case .blob: throw refused("has a value that is no text and no number")
            }
            if values.list.count > known { bytes += values.list.last?.utf8.count ?? 0 }
            guard bytes <= Partition.maximumBytes else {
                throw PersistenceError(
                    .partition, "the values of the query of 'partitions.\(name)' are larger than 1 MiB in all",
                    hint: "let it select fewer or shorter values, or use 'parent'")
            }
            guard values.list.count <= Partition.maximumCombinations else {
                throw PersistenceError(
                    .partition,
                    "the query of 'partitions.\(name)' has more than \(Partition.maximumCombinations) values",
                    hint: "let it select fewer rows, or use 'parent'")
            }
        }
        return values.list
    }

    private func refused(_ reason: String) -> PersistenceError {
        PersistenceError(
            .configuration, "the query of 'partitions.\(name)' \(reason): \(sql)",
            hint: "write one SELECT of one column, such as SELECT name FROM cities WHERE active")
    }

    private func explained(_ error: SQLiteError, _ verdict: QueryGuard.Verdict?) -> any Error {
        switch (verdict, error.kind) {
        case (.refused(let deed), _): return refused("would \(deed)")
        case (.timeIsUp, _):
            return PersistenceError(
                .partition, "the query of 'partitions.\(name)' takes longer than \(DurationText.format(Self.limit))",
                hint: "write a query that reads fewer rows, or create an index for it")
        case (_, .other) where error.message.hasPrefix("no such table"):
            // A word of the query may also be something else than the table of a stream with that name.
            let move = stream.elsewhere.sorted { $0.key < $1.key }.first
            return PersistenceError(
                .partition, "the query of 'partitions.\(name)' cannot be evaluated: \(error.message): \(sql)",
                hint: move.map { "it may be the table of \($0.key), which is in another shard; move it: \($0.value)" }
                    ?? "sync the stream of that table first, or correct its name")
        case (_, .other), (_, .denied), (_, .tooBig): return refused("cannot be evaluated: \(error.message)")
        default: return error
        }
    }
}
