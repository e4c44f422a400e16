import GarnerCatalog
import GarnerControl
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerPresentation
import GarnerPublish
import GarnerReports
import GarnerRuntime

extension Setup {
    /// Throws if the URL of `publish` is none that libpq can read, or if it would read it in another way than it is meant.
    func requirePublishable(_ configuration: Configuration) throws {
        guard let target = configuration.publish, target.missing.isEmpty else { return }
        do {
            try PostgresURL(target.url.reveal()).requireReadable()
        } catch {
            throw CommandError(
                .misconfigured, kind: "configuration", message: "'publish': \(error.message)",
                place: target.place.description,
                hint: error.hint ?? "write postgresql://USER@HOST/DATABASE, with options of libpq: ?sslmode=require")
        }
    }

    /// Returns the configuration with the target of a command that reads no other secrets.
    func withSecretsOfPublication(_ configuration: Configuration) throws -> Configuration {
        guard configuration.publish != nil else { return configuration }
        var configuration = configuration
        configuration.publish = try loadedConfiguration().publish
        return configuration
    }

    func configurationPublishing(_ database: String) -> Configuration? {
        guard let configuration = try? loadedConfiguration(), configuration.publish != nil,
            configuration.database == database
        else { return nil }
        return configuration
    }

    /// Publishes what a command has changed that opened the database by itself.
    func publishChanges(of database: String) async throws {
        guard configurationPublishing(database) != nil else { return }
        _ = try await withWriters(of: database, publishes: true) { _ in }
    }

    /// Gives published tables to the file to which their streams have gone, if the configuration publishes any.
    func handOver(_ sources: [String], _ publication: StreamTransfer.Publication?) async {
        guard let publication, let target = (try? loadedConfiguration())?.publish, target.missing.isEmpty else {
            return
        }
        let handover = PublicationHandover(of: sources, from: publication.origin, to: publication.target)
        do {
            try await handover.perform(at: PostgresURL(target.url.reveal()))
        } catch {
            StandardError.warn(
                "the published tables of \(sources.sorted().joined(separator: ", ")) are still those of the former shard: \(RunFailure.publishing(error).message)",
                try: "run in \(target.shownURL): \(handover.sql)")
        }
    }

    /// Tells that published tables stay, with the line that drops them.
    func tellPublished(_ tables: [String], of stream: StreamName, in database: String) {
        guard !isQuiet, let target = configurationPublishing(database)?.publish, !tables.isEmpty,
            target.publishes(stream.description)
        else { return }
        let places = tables.map { name in
            PublishedPlace(schema: target.schema, name: PublishedNames.table(name, taken: [])).sql
        }
        StandardError.write(
            "\(target.shownURL) keeps the published rows. Try: DROP TABLE \(places.joined(separator: ", "))\n")
    }

    /// Publishes what waits, unless nothing is published. The rows are stored in any case, so that a failure is a warning.
    func publish(with publication: TablePublication?, _ target: PublicationTarget?) async {
        guard let publication, let target, !Task.isCancelled else { return }
        show(PublicationAnswer(await publication.publish()), to: target)
    }

    /// Tells people what was published, and warns of what was not.
    func show(_ answer: PublicationAnswer, to target: PublicationTarget) {
        guard !isQuiet else { return }
        if answer.rows > 0, !format.isJSON {
            StandardError.write("Published \(answer.rows.counted("row")) to \(target.shownURL).\n")
        }
        warn(of: answer)
        guard let failure = answer.failure, failure.category != .cancelled else { return }
        StandardError.warn("not published to \(target.shownURL): \(failure.message)", try: failure.hint)
    }

    /// Warns of tables that are behind, and of values that PostgreSQL does not hold as they are.
    func warn(of answer: PublicationAnswer) {
        guard !isQuiet else { return }
        for table in answer.tables {
            guard let reason = table.behind else { continue }
            StandardError.warn("the published table \(table.name) is behind: \(reason)")
        }
        for warning in answer.warnings { StandardError.warn("\(warning)") }
    }
}
