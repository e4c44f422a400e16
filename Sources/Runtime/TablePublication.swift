package import GarnerCatalog
package import GarnerControl
import GarnerFetcher
import GarnerModel
package import GarnerPersistence
import GarnerPostgres
package import GarnerPublish

/// Publishes the tables of a database for one process, to where its configuration says.
package actor TablePublication {
    /// The time that the end of a command waits for a connection. While rows come through, it goes on.
    package static let patience: Duration = .seconds(5)

    private let path: String
    private let writer: DatabaseWriter
    private let token: String
    private let version: String
    private let timing: Timing
    private var target: PublicationTarget
    private var tell: @Sendable (PublicationEvent) -> Void = { _ in }
    /// It is made when it is first needed, so that a command that publishes nothing connects nowhere.
    private var publisher: Publisher?
    /// True until an attempt to reach the target has ended.
    private var isUntried = true
    /// Why there is no publisher, as far as it was told.
    private var toldObstacle: RunFailure?
    /// An element for each occasion to publish.
    nonisolated let occasions: AsyncStream<Void>
    private nonisolated let occasion: AsyncStream<Void>.Continuation

    /// Returns nil if the configuration publishes nothing.
    ///
    /// - Parameter token: The token that the writer was given.
    package init?(_ configuration: Configuration, _ writer: DatabaseWriter, token: String, _ context: RuntimeContext) {
        guard let target = configuration.publish else { return nil }
        (path, self.writer, self.token, self.target) = (configuration.database, writer, token, target)
        timing = context.timing
        version = String(context.userAgent.drop { $0 != "/" }.dropFirst())
        (occasions, occasion) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Sends all that waits.
    package func publish(patience: Duration = TablePublication.patience) async -> PublicationReport {
        do {
            return await (try current()).publish(patience: patience)
        } catch {
            return PublicationReport(failure: await obstacle(error))
        }
    }

    /// Makes tables again.
    ///
    /// - Parameters:
    ///   - names: Their names in the file; empty for none but those that have to be made.
    ///   - takesOver: True if this file goes on where PostgreSQL has more than it, or a copy of it was published.
    /// - Throws: `PersistenceError` for a name that no published table has.
    package func make(_ names: [String], takesOver: Bool) async throws -> PublicationReport {
        let publisher: Publisher
        do { publisher = try current() } catch { return PublicationReport(failure: await obstacle(error)) }
        return try await publisher.make(names, takesOver: takesOver, patience: Self.patience)
    }

    package func close() async {
        let former = publisher
        publisher = nil
        await former?.close()
    }

    /// Returns why there is no publisher, which the file then says, too.
    private func obstacle(_ error: any Error) async -> RunFailure {
        let obstacle = RunFailure.publishing(error)
        if obstacle.isRefusal { try? await writer.noteRefusal(obstacle.message) }
        return obstacle
    }

    private func current() throws -> Publisher {
        if let publisher { return publisher }
        let made = Publisher(
            try Publisher.Target(target), of: path, writer: writer, token: token, version: version, clock: timing.clock,
            now: timing.now, tell: tell)
        publisher = made
        return made
    }
}

extension Publisher.Target {
    /// Throws if a variable is missing, or if libpq would read the URL in another way than it is meant.
    package init(_ target: PublicationTarget) throws {
        if let error = MissingValuesError(target.missing) { throw error }
        self.init(
            url: try PostgresURL(target.url.reveal()), schema: target.schema, publishes: { target.publishes($0) },
            isNumeric: { target.isNumeric($1, of: $0) })
    }
}

// What a service does.
extension TablePublication {
    func listen(_ tell: @escaping @Sendable (PublicationEvent) -> Void) { self.tell = tell }

    /// Notes that there may be something to send.
    nonisolated func wake() { occasion.yield() }

    /// Goes on with the target of the configuration, if it is another one now.
    func follow(_ configuration: Configuration) async {
        guard let wanted = configuration.publish, wanted != target || wanted.missing != target.missing else { return }
        (target, isUntried) = (wanted, true)
        await close()
    }

    func publishIfDue() async {
        do {
            guard let report = await (try current()).publishIfDue() else { return }
            if report.failure == nil, isUntried || toldObstacle != nil { tell(.began(target: target.shownURL)) }
            (isUntried, toldObstacle) = (false, nil)
        } catch {
            guard RunFailure.publishing(error) != toldObstacle else { return }
            let failure = await obstacle(error)
            toldObstacle = failure
            tell(.failed(failure))
        }
    }
}

extension PublicationAnswer {
    /// The most tables that fit into a line of the control protocol.
    private static let mostTables = 200

    package init(_ report: PublicationReport) {
        let names = Set(report.sent.keys).union(report.behind.keys).sorted()
        let tables = names.map { name in
            let sent = report.sent[name]
            return Table(
                name: name, inserted: sent?.inserted ?? 0, updated: sent?.updated ?? 0, deleted: sent?.deleted ?? 0,
                isMade: sent?.isMade ?? false, behind: report.behind[name]?.reason)
        }
        // Those that are behind are told in any case.
        let shown = tables.filter { $0.behind != nil } + tables.filter { $0.behind == nil }
        self.init(
            tables: shown.prefix(Self.mostTables).sorted { $0.name < $1.name },
            otherTables: max(0, tables.count - Self.mostTables), rows: report.rows, warnings: report.warnings,
            failure: report.failure.map(ControlError.init))
    }
}
