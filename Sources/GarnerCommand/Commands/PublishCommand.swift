import ArgumentParser
import GarnerCatalog
import GarnerControl
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerPublish
import GarnerRuntime
import GarnerShards

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Send to PostgreSQL what waits, or make tables there again.",
        discussion: """
            Syncs and the service publish by themselves, if the configuration has
            'publish'. This command says what was sent, and ends with 69 if PostgreSQL
            is away. If the service is running, it does the work.

            A table that you name is made again, with the types that it has in the
            database now. Grants, views and indexes stay. If a column gets another
            type, or one that you have added would lose its values, the command asks
            first, and without a terminal it ends with 64, unless you pass --yes.

              garner publish
              garner publish orders items
              garner publish --take-over --yes    # after the database was restored
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
        try await requireConsent(to: target, of: configuration.database, isServed: service != nil)
        var answer: PublicationAnswer?
        for part in try await setup.allParts(of: configuration) {
            let own = try tables(in: part.shard, of: configuration.database)
            guard tables.isEmpty || !own.isEmpty else { continue }
            let one =
                if let service = await RunningService(of: part, setup) {
                    try await service.client.publish(own, takesOver: takeOver)
                } else {
                    try await setup.withStore(part.configuration, in: part.shard) { _, _, publication in
                        try await answered(by: publication, own)
                    }
                }
            answer = answer?.adding(one) ?? one
        }
        guard let answer else {
            throw CommandError.usage(
                "no shard has a table \(tables.joined(separator: " or "))",
                hint: "compare the names with those of: garner tables")
        }
        try report(answer, target, setup)
    }

    /// Returns those of the named tables that a shard has.
    private func tables(in shard: ShardPlace?, of database: String) throws -> [String] {
        guard let shard else { return tables }
        let reader = try ReadOnlyDatabase(path: "\(database)#\(shard.shard)")
        return tables.filter { (try? reader.description(of: $0)) != nil }
    }

    private func answered(by publication: TablePublication?, _ tables: [String]) async throws -> PublicationAnswer {
        guard let publication else {
            return PublicationAnswer(tables: [], otherTables: 0, rows: 0, warnings: [], failure: nil)
        }
        let takeOver = takeOver
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

    /// Asks before all tables are made again, and before a column gets another type or loses its values.
    private func requireConsent(to target: PublicationTarget, of path: String, isServed: Bool) async throws {
        guard takeOver || !tables.isEmpty else { return }
        let examined = try? Publisher.Target(target)
        if let examined { try RemakeExamination.requireTables(tables, of: examined, path: path) }
        guard !yes else { return }
        var found: RemakeExamination?
        do {
            if let examined { found = try await RemakeExamination(of: tables, examined, path: path) }
        } catch  where isServed || takeOver {
            // The question is asked all the same.
        }
        if takeOver {
            let although = found?.refusal.map { ", although \($0)" } ?? ""
            return try confirm("This makes all tables in \(target.shownURL) again from \(path)\(although)")
        }
        let changes = found?.changes.joined(separator: ", ") ?? (isServed ? "columns that have another one here" : "")
        let losses = found?.losses.joined(separator: ", ") ?? ""
        let effects: [String?] = [
            changes.isEmpty
                ? nil
                : "This changes the type of \(changes). A transaction that is open now and reads the table later sees no rows",
            losses.isEmpty ? nil : "This deletes the values of \(losses), which Garner does not write",
        ]
        let words = effects.compactMap(\.self).joined(separator: ". ")
        if !words.isEmpty { try confirm(words) }
    }

    private func confirm(_ words: String) throws {
        let options = takeOver ? ["--take-over"] : []
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandError.usage(
                "nothing was made again, since nobody can be asked here: \(words)",
                hint: "garner publish \((options + tables + ["--yes"]).joined(separator: " "))")
        }
        StandardError.write("\(words). Go on? [y/N] ")
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
