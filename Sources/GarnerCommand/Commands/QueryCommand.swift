import ArgumentParser
import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Run read-only SQL.",
        discussion: """
            The SQL is one statement that only reads. It ends after a minute unless you
            set --timeout. Time spent waiting for a reader of the output does not count.
            -p passes a text; for other types, write name:int=, name:real=, name:json= or
            name:null=. With -d, garner reads any SQLite database, even one of another
            program.

              garner query 'SELECT animal_type, count(*) FROM animals GROUP BY 1'
              garner query 'SELECT * FROM animals WHERE id = :id' -p id=7 --json
              garner query 'SELECT name FROM animals LIMIT :n' -p n:int=3
              garner query 'SELECT count(*) FROM animals' --as-of 1   # after the first run
              garner query select name from animals
              garner query 'SELECT name FROM sqlite_schema' -d other.db
              echo 'SELECT count(*) FROM animals' | garner query -
            """)

    @Argument(help: "The SQL statement, in one word or several, or - to read it from standard input.")
    var sql: [String]

    @Option(
        name: .customShort("p"), help: ArgumentHelp("A value for :name in the SQL.", valueName: "name[:type]=value"))
    var parameters: [String] = []

    @OptionGroup var time: TimeoutOption

    @OptionGroup var moment: AsOfOption

    // A `QueryProcess` gives these: limits in bytes, and errors as JSON whatever the format of the rows.
    @Option(help: .hidden) var memoryLimit: Int?
    @Option(help: .hidden) var fileLimit: Int?
    @Flag(help: .hidden) var jsonErrors = false

    @OptionGroup var shared: SharedOptions

    func run() throws {
        ProcessLimits(memory: memoryLimit, file: fileLimit).apply()
        let setup = Setup(shared)
        let values = try parsedParameters()
        let text =
            sql == ["-"]
            ? try StandardInput.read(upTo: QueryLimits.maximumTextBytes, "the SQL") : sql.joined(separator: " ")
        if !jsonErrors {
            RowOptions.warnOfNull(in: text, of: "the query")
            RowOptions.warnOfIndex(in: text)
            RedirectedOutput.warn(of: sql)
        }
        let reader =
            try setup.serverOfQuery.map { try ReadOnlyDatabase(path: $0.path, isAny: true) }
            ?? setup.reader(isAny: moment.asOf == nil)
        if !jsonErrors { RowOptions.warnOfSlips(in: text, reader) }
        var query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        if let memoryLimit { query.heapBytes = memoryLimit }
        do {
            try setup.paging {
                try moment.viewing(reader, setup) {
                    try query.run(on: reader) {
                        try RowOutput(setup: setup, queryGuard: $0).write(reader.rows(text, parameters: values))
                    }
                }
            }
        } catch let error as PersistenceError where error.kind == .request {
            throw failure(error, of: text, setup)
        }
    }

    /// Returns the failure with the line that a shell passes on unchanged, if it has changed what was typed, or with the one
    /// that does what no query does.
    private func failure(_ error: PersistenceError, of text: String, _ setup: Setup) -> CommandError {
        var failure = CommandError(error)
        if error.hint == .onlyRead, !jsonErrors, let database = try? setup.databasePath(),
            let advice = OtherWords.advice(onWriting: text, to: database)
        {
            failure.hint = advice
            return failure
        }
        if !jsonErrors, let advice = OtherWords.advice(onDatabaseIn: sql) {
            failure.hint = advice
            return failure
        }
        // A value is missing where a shell has put nothing in the place of '$name'.
        let gap = /(?:[=<>]|\blike)\s*(?:$|\b(?:and|or|order\s+by|group\s+by|limit)\b)/.ignoresCase()
        let isCut = ["incomplete input", "syntax error"].contains(where: failure.message.contains)
        if !jsonErrors, isCut, sql != ["-"], text.firstMatch(of: gap) != nil {
            failure.hint =
                "write the value; if $name stood there, the shell has taken it: write :name, and -p name=VALUE behind the SQL"
            return failure
        }
        if sql.count == 1, sql[0].hasSuffix(".sql"), ShellText.isPlain(sql[0]) {
            failure.hint = "garner query - < \(sql[0])"
            return failure
        }
        let words = RedirectedOutput.restored(in: sql)
        if case .quoteText = error.hint { return failure }
        if case .quoteName(_, let reason, let quoted?) = error.hint, !jsonErrors, sql != ["-"] {
            failure.hint = "\(reason): \(line(with: quoted))"
        } else if ExpandedStar.restored(in: sql) != sql {
            failure.hint =
                "a shell puts the names of files into the place of *; put the SQL in quotes: "
                + line(with: words.joined(separator: " "))
        }
        return failure
    }

    /// Returns the line that was typed with other SQL.
    private func line(with text: String) -> String {
        var words = Array(CommandLine.arguments.dropFirst())
        if let place = words.firstRange(of: sql) {
            words.replaceSubrange(place, with: [text])
        } else {
            words = ["query", text]
        }
        return "garner \(words.map(ShellText.quoted).joined(separator: " "))"
    }

    private func parsedParameters() throws -> [String: Value] {
        var values: [String: Value] = [:]
        for parameter in parameters {
            // The text is split by scalars, since the sign with a combining mark is a single character.
            let scalars = parameter.unicodeScalars
            guard let sign = scalars.firstIndex(of: "="), sign > scalars.startIndex else {
                throw CommandError.usage(
                    "-p \(parameter) is not of the form name=value",
                    hint: sql.contains { $0.contains("?") }
                        ? "write :name in place of ? in the SQL, and -p name=VALUE"
                        : "write -p \(ShellText.isPlain(parameter) ? parameter : "name")=VALUE")
            }
            let name = scalars[..<sign].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let text = String(scalars[sign...].dropFirst())
            values[String(name[0])] = try Self.value(of: text, type: name.count > 1 ? String(name[1]) : "text")
        }
        return values
    }

    /// Returns the value of a text. `nan`, `infinity` and `0x1p3` are refused, though `Double` reads them.
    private static func value(of text: String, type: String) throws -> Value {
        let isNumber = text.allSatisfy { "0123456789+-.eE".contains($0) }
        switch type {
        case "text": return .text(text)
        case "int":
            guard let integer = Int64(text) else {
                throw CommandError.usage("'\(text)' is no integer of 64 bits", hint: "write -p n:int=7")
            }
            return .integer(integer)
        case "real":
            guard isNumber, let real = Double(text), real.isFinite else {
                throw CommandError.usage("'\(text)' is no number", hint: "write -p x:real=0.5")
            }
            return .real(real)
        case "json":
            guard let json = JSONText.canonical(text) else {
                throw CommandError.usage(
                    "the value of a json parameter is no JSON", hint: "write -p tags:json='[\"a\"]'")
            }
            return .text(json)
        case "null":
            guard text.isEmpty else {
                throw CommandError.usage("a null parameter has no value", hint: "write -p name:null=")
            }
            return .null
        default:
            throw CommandError.usage(
                "'\(type)' is no type of a parameter", hint: "write one of text, int, real, json, null")
        }
    }
}
