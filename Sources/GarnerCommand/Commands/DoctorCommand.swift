import ArgumentParser
import GarnerCatalog
import GarnerLibC
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the database, its files, SQLite and the configuration.",
        discussion: """
            This command changes no data. It only removes temporary files that killed
            copies and exports left in the database's folder. If it finds a problem, it
            exits with 1.

              garner doctor
              garner doctor --full -d monday.db
              garner doctor --json | jq '.[] | select(.level != "ok")'
            """)

    @Flag(help: "Also compare every index with its table.")
    var full = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let (configured, database, file) = configuration(setup)
        var findings = try setup.interruptibly { cancellation in
            configured + LibraryExamination().findings()
                + (try database.map {
                    try DatabaseExamination(of: $0, isFull: full, cancellation: cancellation).findings()
                        + [Leftovers(besideDatabase: $0).remove().finding]
                } ?? [])
        }
        if let database, let shard = try? setup.shard(at: database) {
            findings += await ShardFindings(place: shard, configuration: file).all()
        }
        if let file, let database {
            findings += await PublicationFindings(setup: setup, configuration: file, database: database).all()
        }
        if setup.format == .table, !setup.options.vertical {
            let lines = findings.filter { !setup.isQuiet || $0.level != .ok }.map { line($0, setup) }
            try StandardOutput.write(lines.joined())
        } else {
            try Report(
                records: findings.map {
                    [
                        .init("check", $0.check), .init("level", $0.level.rawValue), .init("message", $0.message),
                        .init("hint", $0.hint?.words),
                    ]
                }
            ).write(to: setup)
        }
        if findings.contains(where: { $0.level == .problem }) { throw ExitError(code: ErrorCategory.failed.exitCode) }
    }

    /// Returns the findings on the configuration, and the database that the configuration or an option names.
    private func configuration(_ setup: Setup) -> ([Finding], database: String?, Configuration?) {
        let named = setup.namedDatabase
        do {
            let configuration = try setup.configuration()
            let warnings = configuration.warnings.map {
                Finding.warning(
                    "configuration", "\($0.place): \($0.message)", hint: .text($0.hint ?? "see docs/configuration.md"))
            }
            return (
                [.ok("configuration", "\(configuration.file) is valid")] + warnings, named ?? configuration.database,
                configuration
            )
        } catch ConfigurationError.notFound where named != nil && setup.namedConfiguration == nil {
            return ([.ok("configuration", "there is none; the database was named")], named, nil)
        } catch ConfigurationError.invalid(let issues) {
            return (
                issues.map {
                    .problem("configuration", "\($0.message) (\($0.place))", hint: .text($0.hint ?? "garner check"))
                }, named, nil
            )
        } catch {
            let failure = CommandError(error)
            let place = failure.place.map { " (\($0))" } ?? ""
            return (
                [.problem("configuration", failure.message + place, hint: .text(failure.hint ?? "garner check"))],
                named,
                nil
            )
        }
    }

    private func line(_ finding: Finding, _ setup: Setup) -> DisplayText {
        let decoration = setup.decoration(on: STDOUT_FILENO)
        let width = 8
        let level = DisplayText(finding.level.rawValue)
        let shown = finding.level == .problem ? decoration.red(level) : level
        let space = String(repeating: " ", count: width - level.text.count)
        let cells = setup.tableLayout.width
        let message = ("\(finding.check): \(finding.message)" as DisplayText).wrapped(to: cells, indent: width)
        let line: DisplayText = "\(shown)\(space)\(message)\n"
        guard let hint = finding.hint else { return line }
        let advice = DisplayText(hint.words).wrapped(to: cells, indent: width + "Try: ".count)
        return "\(line)\(String(repeating: " ", count: width))\(decoration.bold("Try:")) \(advice)\n"
    }
}
