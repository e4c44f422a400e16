import ArgumentParser
import GarnerCatalog
import GarnerControl
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Send to PostgreSQL what waits, or make tables there again.",
        discussion: """
            Syncs and the service publish by themselves, if the configuration has
            'publish'. This command says what was sent, and ends with 69 if PostgreSQL
            is away. If the service is running, it does the work.

            A table that you name is made again, with the types that it has in the
            database now. Grants, views and indexes stay.

              garner publish
              garner publish orders items
              garner publish --take-over    # after the database was restored
            """)

    @Argument(help: "Tables to make again, by their names in the database.", completion: .tables)
    var tables: [String] = []

    @Flag(
        help:
            "Make all tables again from this database, although PostgreSQL has more than it or is published by a copy.")
    var takeOver = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let (configuration, service) = try await setup.configurationForRuns()
        setup.showWarnings(of: configuration)
        guard let target = configuration.publish else {
            throw CommandError(
                .misconfigured, kind: "not_published", message: "\(configuration.file) has no 'publish'",
                hint: "add publish: postgresql://USER@HOST/DATABASE")
        }
        // There is nothing to publish of a database that is not there.
        _ = try ReadOnlyDatabase(path: configuration.database)
        if !yes, takeOver || !tables.isEmpty { try confirm(target, configuration) }
        let answer: PublicationAnswer
        if let service {
            answer = try await service.client.publish(tables, takesOver: takeOver)
        } else {
            answer = try await setup.withPublishedStore(configuration) { _, _, publication in
                try await answered(by: publication)
            }
        }
        try report(answer, target, setup)
    }

    private func answered(by publication: TablePublication?) async throws -> PublicationAnswer {
        guard let publication else {
            return PublicationAnswer(tables: [], otherTables: 0, rows: 0, warnings: [], failure: nil)
        }
        let (tables, takeOver) = (tables, takeOver)
        let (result, signal) = await Signals.cancelling { () -> Result<PublicationAnswer, any Error> in
            do {
                return .success(PublicationAnswer(try await publication.make(tables, takesOver: takeOver)))
            } catch {
                return .failure(error)
            }
        }
        if let signal { throw ExitError(code: 128 + signal) }
        return try result.get()
    }

    private func confirm(_ target: PublicationTarget, _ configuration: Configuration) throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandError.usage("nothing was made again: nobody can be asked here", hint: "add --yes")
        }
        let what = takeOver ? "all tables" : tables.joined(separator: ", ")
        let source = takeOver ? " from \(configuration.database)" : ""
        StandardError.write(
            """
            This makes \(what) in \(target.shownURL) again\(source). If a column gets another type, \
            a transaction that is open now and reads it later sees no rows. Go on? [y/N]\u{20}
            """)
        guard ["y", "yes"].contains(readLine()?.lowercased() ?? "") else {
            throw CommandError.usage("nothing was made again", hint: "answer with y to go on")
        }
    }

    private func report(_ answer: PublicationAnswer, _ target: PublicationTarget, _ setup: Setup) throws {
        if !answer.tables.isEmpty || answer.failure == nil {
            try Report(
                records: answer.tables.map { table in
                    [
                        .init("table", table.name), .init("inserted", table.inserted), .init("updated", table.updated),
                        .init("deleted", table.deleted), .init("made", table.isMade), .init("behind", table.behind),
                    ]
                }, emptyHint: "Nothing waits: \(target.shownURL) has all that is published."
            ).write(to: setup)
        }
        if answer.otherTables > 0, !setup.isQuiet {
            StandardError.write("and \(answer.otherTables.counted("other table"))\n")
        }
        setup.warn(of: answer)
        if let failure = answer.failure { throw failure }
        if answer.tables.contains(where: { $0.behind != nil }) {
            throw ExitError(code: ErrorCategory.failed.exitCode)
        }
    }
}
