import ArgumentParser
import Persistence
import SQLite
import Sync

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Run read-only SQL.",
        discussion: """
            One statement, which only reads. It ends after a minute unless --timeout says
            otherwise; the time in which others read its output does not count.
            A value of -p that looks like a number is one.

              garner query 'SELECT animal_type, count(*) FROM animals GROUP BY 1'
              garner query 'SELECT * FROM animals WHERE id = :id' -p id=7 --json
              garner query 'SELECT * FROM animals' --as-of 2026-01-31T08:00:00Z
              echo 'SELECT count(*) FROM animals' | garner query -
            """)

    @Argument(help: "The SQL, or - to read it from standard input.")
    var sql: String

    @Option(name: .customShort("p"), help: ArgumentHelp("A value for :name in the SQL.", valueName: "name=value"))
    var parameters: [String] = []

    @OptionGroup var time: TimeoutOption

    @Option(help: ArgumentHelp("The rows as they were: an age such as 24h, or an instant.", valueName: "when"))
    var asOf: String?

    @OptionGroup var shared: SharedOptions

    func run() throws {
        let setup = Setup(shared)
        let values = try parsedParameters()
        let text = sql == "-" ? try StandardInput.read(upTo: StatementLimits.maximumTextBytes, "the SQL") : sql
        let archive = try setup.archive()
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        try Instant.viewing(archive, asOf: asOf, now: setup.now()) {
            try query.run(on: archive) {
                try RowOutput(setup: setup, statementGuard: $0)
                    .write(archive.statement(text, parameters: values), of: archive)
            }
        }
    }

    private func parsedParameters() throws -> [String: Value] {
        var values: [String: Value] = [:]
        for parameter in parameters {
            // By scalars, since the sign and a combining mark are one character.
            let scalars = parameter.unicodeScalars
            guard let sign = scalars.firstIndex(of: "="), sign > scalars.startIndex else {
                throw Failure(
                    code: ExitCode.usage, kind: "usage", message: "-p \(parameter) is not of the form name=value",
                    hint: "write -p name=value")
            }
            values[String(scalars[..<sign])] = Self.value(of: String(scalars[sign...].dropFirst()))
        }
        return values
    }

    /// `nan`, `infinity` and `0x1p3` are words here, though `Double` reads them.
    private static func value(of text: String) -> Value {
        guard text.allSatisfy({ "0123456789+-.eE".contains($0) }) else { return .text(text) }
        return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) } ?? .text(text)
    }
}
