import GarnerCatalog
import GarnerImport
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// The words of other programs for commands and options, and what they are called here.
enum OtherWords {
    enum Meaning: ExpressibleByStringLiteral {
        /// The line is pasted instead. A `…` at its end stands for the words behind it.
        case line(String)
        case advice(String)
        /// The value is a word of the command without an option, with this behind it.
        case word(ending: String)
        /// The value stands behind this option. A bare number gets the ending.
        case option(String, ending: String)
        /// The service is stopped, or reads its file again.
        case stopping, reloading

        init(stringLiteral line: String) { self = .line(line) }
    }

    static let naming = Meaning.advice(
        "leave it out: garner.yaml names the streams, and the database has their state")

    private static let commands: [(words: String, meant: Meaning)] = [
        ("run pull extract load import ingest refresh update etl elt", "sync …"),
        ("resync refetch full-refresh", "sync --full-refresh …"),
        ("reload", .reloading),
        (
            "backfill",
            .advice("garner sync STREAM --from 2026-01-31, or garner sync STREAM --full-refresh for all of its records")
        ),
        ("start up daemon service server scheduler cron worker watch", "serve"),
        ("stop kill down restart shutdown cancel abort", .stopping),
        ("ls list dir count size du", "tables"), ("streams sources jobs ps health monitor", "status …"),
        ("validate test lint verify", "check …"), ("connect ping", "check --connect …"),
        ("discover sample", "preview …"), ("explain dry-run", "plan …"), ("sql", "query …"),
        ("head cat show view peek tail", "rows …"), ("describe desc columns info fields", "schema …"),
        ("delete remove rm", "drop …"), ("dump csv save", "export …"), ("diff history", "changes …"),
        ("find grep", "search …"), ("mv move", "rename …"), ("log logs executions", "runs"),
        ("error errors failures rejected", "quarantine list"), ("retry reprocess", "quarantine retry --all"),
        ("reset clear truncate rewind", "state reset …"), ("version", "--version"),
        ("new create setup configure", "init"), ("ui web gui dashboard open", "browse --open"),
        ("edit", .advice("edit the file that 'garner config path' names, and try it with 'garner check'")),
        ("clean gc vacuum compact purge", "prune"), ("upgrade", "migrate"), ("curl wget get-url download", "fetch"),
        ("docs examples tutorial quickstart man", "--help"),
        (
            "restore",
            .advice("stop garner, and put the file that 'garner backup' wrote into the place of the database")
        ),
    ]

    /// Returns what to try instead of a word that is no command, with the words behind it; nil if the word is not known.
    ///
    /// - Parameter names: The names of the commands.
    static func advice(onCommand words: [String], names: [String]) -> String? {
        let sql = ExpandedStar.restored(in: words).joined(separator: " ")
        let first = sql.prefix { !$0.isWhitespace }.lowercased()
        if first == "select" || first == "with" { return "garner query \(ShellText.quoted(sql))" }
        // 'show runs', 'list streams'
        if ["show", "list", "ls", "view"].contains(first), words.count > 1 {
            if names.contains(words[1]) { return "did you mean 'garner \(words[1])'?" }
            if let advice = advice(onCommand: Array(words.dropFirst()), names: names) { return advice }
        }
        if let advice = advice(onImporting: words) { return advice }
        switch meaning(of: first, in: commands) {
        case .line(let line):
            let rest = words.dropFirst()
            let isShown = line.hasSuffix("…") && rest.allSatisfy { ShellText.isPlain($0) && !$0.hasPrefix("-") }
            let command = line.hasSuffix("…") ? String(line.dropLast(2)) : line
            return "did you mean 'garner \(([command] + (isShown ? Array(rest) : [])).joined(separator: " "))'?"
        case .advice(let advice): return advice
        case .stopping:
            return
                (writer(words).map {
                    "'kill \($0)' stops it ('sudo systemctl stop garner' if systemd runs it), and 'garner serve' starts a service again"
                }
                ?? "none runs on the database now; Ctrl-C or SIGTERM stops a sync and the service, "
                + "and 'sudo systemctl stop garner' that of systemd") + "; 'garner pause' stops the schedule of streams"
        case .reloading:
            return writer(words).map { "the service reads its file again after: kill -HUP \($0)" }
                ?? "no service runs on the database now; one reads its file when it starts: garner serve"
        case .word, .option, nil: return nil
        }
    }

    /// Returns what to try instead of importing a file; nil if the words name none.
    private static func advice(onImporting words: [String]) -> String? {
        guard ["import", "load", "ingest"].contains(words[0].lowercased()),
            let file = words.dropFirst().first(where: { !$0.hasPrefix("-") && !$0.contains("://") }),
            let kind = file.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased()
        else { return nil }
        let reading = "garner init --from"
        switch kind {
        case "json" where isOfRecords(file): return advice(onRecordsIn: file)
        case "yaml", "yml", "json": return "\(reading) \(ShellText.quoted(file))"
        case "csv", "tsv", "xlsx", "xls", "ods", "parquet", "ndjson", "jsonl", "xml", "sql", "db", "sqlite":
            return
                "Garner reads JSON APIs ('garner init URL') and the files of connectors ('\(reading) FILE'), but no \(kind.uppercased())"
        default: return nil
        }
    }

    /// Returns true for a file of JSON that is of no connector.
    private static func isOfRecords(_ file: String) -> Bool {
        guard FileCreation.exists(file) else { return false }
        let text = try? TextFile(path: file, maximumBytes: Configuration.maximumBytes, isOnDisk: true).text
        let document = text.flatMap { try? ManifestReader.node(of: $0) }
        return document.map { ForeignFormat(of: $0) == nil && ForeignFormat.other($0) == nil } ?? true
    }

    /// Returns how Garner reads the records of a file in JSON, which a server has to send; nil for a file of another name.
    ///
    /// - Parameter command: The command for the URL; nil for that which makes a stream of it.
    static func advice(onRecordsIn file: String, for command: String? = nil) -> String? {
        guard file.lowercased().hasSuffix(".json"), let name = file.split(separator: "/").last else { return nil }
        let folder = String(file.dropLast(name.count))
        return "Garner reads records from a server: python3 -m http.server 8000 --bind 127.0.0.1"
            + (folder.isEmpty ? "" : " --directory \(ShellText.quoted(folder))") + ", and in another terminal: garner "
            + (command ?? (FileCreation.exists("garner.yaml") ? "add" : "init"))
            + " http://127.0.0.1:8000/\(PercentEncoding.encoded(String(name)))"
    }

    /// Returns what to write in place of a text that is no URL, but a file or nearly a URL; nil for others.
    static func advice(onAddress text: String, for command: String? = nil) -> String? {
        let file = NearURL.file(in: text) ?? text
        let isFile = file != text || !file.contains("/") || FileCreation.exists(file)
        return (isFile ? advice(onRecordsIn: file, for: command) : nil) ?? NearURL.meant(by: text).map { "write \($0)" }
    }

    /// Returns the process that writes to the database of the options or of the file; nil if none does.
    private static func writer(_ arguments: [String]) -> Int? {
        let environment = CurrentProcess.environment
        let named = ArgumentOrder.lastValue(of: ["-d", "--database"], in: arguments) ?? environment["GARNER_DATABASE"]
        let flag = ArgumentOrder.lastValue(of: ["-c", "--config"], in: arguments)
        let file = try? ConfigurationDiscovery.find(flag: flag, environment: environment)
        let database = named ?? Configuration.likelyDatabase(of: file ?? "garner.yaml")
        guard case .held(let process) = WriterLock.state(of: database) else { return nil }
        return process
    }

    /// Returns the file that the arguments name, or the usual one; nil if it cannot be read.
    static func configuration(_ arguments: [String], _ environment: [String: String]) -> Configuration? {
        let flag = ArgumentOrder.lastValue(of: ["-c", "--config"], in: arguments)
        guard let path = try? ConfigurationDiscovery.find(flag: flag, environment: environment) else { return nil }
        return try? Configuration.load(contentsOf: path, environment: environment, needsSecrets: false)
    }

    private static func streamNames(_ arguments: [String]) -> [String] {
        configuration(arguments, CurrentProcess.environment)?.streams.map(\.name.description) ?? []
    }

    /// Returns the line with the stream that an option needs.
    static func line(namingStreamIn arguments: [String]) -> String {
        let names = streamNames(arguments)
        let words = arguments.prefix(1) + [names.count == 1 ? names[0] : "STREAM"] + arguments.dropFirst()
        return "garner \(words.map(ShellText.quoted).joined(separator: " "))"
    }

    /// Returns what to try if the words of a command are missing; nil if nothing is known.
    static func advice(onMissingWordsOf arguments: [String]) -> String? {
        guard let command = arguments.first else { return nil }
        switch command {
        case "preview":
            let names = streamNames(arguments)
            if names.count == 1 { return "garner preview \(names[0])" }
            return names.isEmpty ? nil : "name one of the streams: \(names.prefix(8).joined(separator: ", "))"
        case "get":
            let parts = arguments.dropFirst().first?.split { "/:".contains($0) } ?? []
            guard arguments.count == 2, parts.count == 2 else {
                let table = arguments.dropFirst().first { !$0.hasPrefix("-") }
                return "write the key of the record, too: garner get \(table.map(ShellText.quoted) ?? "TABLE") KEY"
            }
            return "garner get \(parts.map { ShellText.quoted(String($0)) }.joined(separator: " "))"
        case "trigger", "pause", "resume": return "name streams, or all of them with a pattern: garner \(command) '*'"
        case "search":
            let words = arguments.dropFirst()
            guard words.count == 1, let text = words.first, !text.hasPrefix("-") else { return nil }
            return "name the table before the words: garner search TABLE \(ShellText.quoted(text))"
        case "runs" where arguments.dropFirst().first == "show":
            return "garner runs --limit 1 has its number: garner runs show NUMBER"
        case "state" where arguments.dropFirst().first == "reset":
            let names = streamNames(arguments)
            return names.isEmpty ? nil : names.prefix(4).map { "garner state reset \($0)" }.joined(separator: " && ")
        case "completions": return "name your shell: garner completions bash, zsh or fish"
        case "query":
            // '-c SQL' is a habit from other shells of databases.
            guard let sql = ArgumentOrder.lastValue(of: ["-c", "--config"], in: arguments), sql.contains(" ") else {
                return "garner query 'SELECT name FROM sqlite_schema', or garner query - < FILE for SQL in a file"
            }
            return "leave out -c, which names the configuration: garner query \(ShellText.quoted(sql))"
        default: return nil
        }
    }

    /// Returns what to run instead of SQL that does more than read; nil if nothing is known.
    static func advice(onWriting sql: String, to database: String) -> String? {
        if let file = sql.firstMatch(of: /^\s*attach\s+(?:database\s+)?'([^']+)'/.ignoresCase())?.1 {
            return "a query reads one database, which -d names: garner query -d \(ShellText.quoted(String(file))) "
                + "'SELECT name FROM sqlite_schema'"
        }
        if sql.firstMatch(of: /^\s*vacuum\s*;?\s*$/.ignoresCase()) != nil { return "garner prune --vacuum" }
        if let name = sql.firstMatch(of: /^\s*pragma\s+(\w+)/.ignoresCase())?.1 {
            return "garner sets what its database needs by itself; how it is set now tells: "
                + "sqlite3 -readonly \(ShellText.quoted(database)) 'PRAGMA \(name)'"
        }
        guard sql.firstMatch(of: /^\s*(?:create|drop)\s+(?:unique\s+)?(?:view|index)\s/.ignoresCase()) != nil else {
            return nil
        }
        return "while nothing syncs, run: sqlite3 \(ShellText.quoted(database)) \(ShellText.quoted(sql))"
    }

    /// Returns the line for a query whose first word is the database, as other shells of SQLite have it; nil if it is none.
    static func advice(onDatabaseIn sql: [String]) -> String? {
        guard let first = sql.first,
            [".db", ".db3", ".sqlite", ".sqlite3"].contains(where: first.lowercased().hasSuffix)
        else { return nil }
        let rest = sql.count > 1 ? sql.dropFirst().joined(separator: " ") : "SELECT name FROM sqlite_schema"
        return "name the database with -d: garner query -d \(ShellText.quoted(first)) \(ShellText.quoted(rest))"
    }

    /// Returns the command whose help explains what a word stands for; nil if the word is not known.
    static func helpTopic(for word: String) -> String? {
        guard case .line(let line)? = meaning(of: word, in: commands), !line.hasPrefix("-") else { return nil }
        return line.split(separator: " ").first.map(String.init)
    }

    private static func meaning(of word: String, in table: [(words: String, meant: Meaning)]) -> Meaning? {
        table.first { $0.words.split(separator: " ").contains(word[...]) }?.meant
    }

    /// Returns what to try instead of an option that the command does not have; nil if the option is not known.
    static func advice(onOption option: String, in arguments: [String]) -> String? {
        let command = arguments.first ?? ""
        if command == option, let name = Garner.commandNames.first(where: { "--\($0)" == option }) {
            return "did you mean 'garner \(name)'?"
        }
        let own = options.filter { $0.commands == "*" || $0.commands.split(separator: " ").contains(command[...]) }
        switch meaning(of: option, in: own.map { (words: $0.words, meant: $0.meant) }) {
        case .line(let line): return "did you mean '\(line)'?"
        case .advice(let advice): return advice
        case .word(let ending): return line(of: arguments, without: option, ending: ending)
        case .option(let name, let ending): return line(of: arguments, without: option, ending: ending, behind: [name])
        case .stopping, .reloading, nil: return nil
        }
    }

    /// Returns the line in which the value of an option is a word, or stands behind another option.
    private static func line(
        of arguments: [String], without option: String, ending: String, behind name: [String] = []
    ) -> String {
        var words: [String] = []
        var isValue = false
        for argument in arguments {
            let isOption = argument == option || argument.hasPrefix(option + "=")
            let value = argument == option ? nil : isOption ? String(argument.dropFirst(option.count + 1)) : argument
            if isValue || isOption {
                let values = (value ?? "").split(separator: ",").map { word in
                    name.isEmpty || word.allSatisfy(\.isNumber) ? "\(word)\(ending)" : "\(word)"
                }
                words += values.isEmpty ? [] : name + values
            } else {
                words.append(argument)
            }
            isValue = argument == option
        }
        return "garner \(words.map(ShellText.quoted).joined(separator: " "))"
    }

    /// Returns what to try if the words of a curl command stand where a URL is expected; nil if they do not.
    static func advice(onCurlIn arguments: [String]) -> String? {
        guard let command = arguments.first, ["init", "add"].contains(command), arguments.dropFirst().first == "curl"
        else {
            return nil
        }
        return "write -- before curl, as in: garner \(command) -- curl URL"
    }

    /// Returns what to try instead of a value that an option does not take; nil if nothing is known.
    static func advice(onValue value: String, of option: String, in arguments: [String]) -> String? {
        switch (option, arguments.first) {
        // Lists of runs and of the quarantine have no 0 for all.
        case ("--limit", "runs"), ("--limit", "quarantine"): return "write a number, as in --limit 1000"
        case ("--max-pages", _): return "leave --max-pages out for all pages"
        case ("-f", _), ("--format", _):
            if arguments.first == "query", value.hasSuffix(".sql"), ShellText.isPlain(value) {
                return "garner query - < \(value)"
            }
            let word = value.lowercased()
            let name =
                formats.first { $0.words.split(separator: " ").contains(word[...]) }?.name
                ?? Suggestion.closest(to: word, among: RowFormat.allCases.map(\.rawValue))
            return name.map { "did you mean '\($0)'?" }
        case ("--limit", _):
            guard value.allSatisfy(\.isLetter) else { return nil }
            return ["all", "none", "unlimited"].contains(value.lowercased())
                ? "--limit 0 gives all rows" : "write a number, as in --limit 10; --limit 0 gives all rows"
        default: return nil
        }
    }

    /// The formats by the words of other programs.
    private static let formats: [(words: String, name: String)] = [
        ("ascii human plain pretty text txt", "table"), ("json-lines jsonl jsonlines", "ndjson"), ("md", "markdown"),
        ("tab", "tsv"),
    ]

    /// Returns what to try instead of a word that stands for a number; nil if nothing is known.
    static func advice(onWord word: String, in arguments: [String]) -> String? {
        switch (arguments.prefix(2).joined(separator: " "), word.lowercased()) {
        case ("quarantine retry", "all"), ("quarantine retry", "*"): "garner quarantine retry --all"
        case ("runs show", "last"), ("runs show", "latest"):
            "garner runs --limit 1 has its number: garner runs show NUMBER"
        default: nil
        }
    }

    /// Returns the line with an expression of cron in quotes whose fields are words of their own; nil if none stands there.
    static func line(quotingCronIn arguments: [String]) -> String? {
        guard let option = arguments.firstIndex(of: "--cron") else { return nil }
        let fields = arguments[(option + 1)...].prefix { !$0.hasPrefix("-") }
        let restored = ExpandedStar.restored(in: Array(fields))
        guard restored.count == 5 else { return nil }
        let line = arguments[...option] + [restored.joined(separator: " ")] + arguments[fields.endIndex...]
        return "garner \(line.map(ShellText.quoted).joined(separator: " "))"
    }

    /// Returns the line without the secret that stands behind `--auth bearer` and the like; nil if none does.
    static func line(withoutSecretIn arguments: [String]) -> String? {
        guard let command = arguments.first, ["init", "add"].contains(command),
            let way = arguments.firstIndex(of: "--auth").map({ $0 + 1 }), arguments.indices.contains(way + 1)
        else { return nil }
        let secrets = arguments[(way + 1)...].prefix { !$0.hasPrefix("-") && !$0.contains("://") }
        guard !secrets.isEmpty else { return nil }
        let line = arguments[...way] + arguments[secrets.endIndex...]
        return "garner \(line.map(ShellText.quoted).joined(separator: " "))"
    }

    /// Returns the line of an export of SQL without the table beside it; nil if none is seen.
    static func line(withoutTableIn arguments: [String]) -> String? {
        let table = arguments.indices.dropFirst().first {
            !arguments[$0].hasPrefix("-") && !arguments[$0 - 1].hasPrefix("-")
        }
        guard let table else { return nil }
        let line = arguments[..<table] + arguments[(table + 1)...]
        return "garner \(line.map(ShellText.quoted).joined(separator: " "))"
    }

    private static func line(joiningColumnsOf arguments: [String]) -> String? {
        guard let option = arguments.firstIndex(of: "--columns") else { return nil }
        let names = arguments[(option + 1)...].prefix { !$0.hasPrefix("-") }
        guard names.count > 1 else { return nil }
        let columns = names.flatMap { $0.split(separator: ",") }.joined(separator: ",")
        let line = Array(arguments[...option]) + [columns] + Array(arguments[names.endIndex...])
        return "garner \(line.map(ShellText.quoted).joined(separator: " "))"
    }

    /// Returns what to try instead of words that the command does not take; nil if nothing is known.
    static func advice(onWordsOf arguments: [String]) -> String? {
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        if words.count > 3, ["rows", "export"].contains(words[0]), words[2].lowercased() == "where" {
            let condition = words.dropFirst(3).joined(separator: " ")
            return "garner \(words[0]) \(ShellText.quoted(words[1])) --where \(ShellText.quoted(condition))"
        }
        guard words.count > 1, words.allSatisfy({ ShellText.isPlain($0) }) else { return nil }
        let (command, first, last) = (words[0], words[1], words[words.count - 1])
        switch command {
        case "rows" where words.count == 2, "export" where words.count == 2:
            return line(joiningColumnsOf: arguments)
        case "init" where words.count == 3 && first.contains("://") && last.contains("://"),
            "add" where words.count == 3 && first.contains("://") && last.contains("://"):
            return "garner \(command) \(first) && garner add \(last)"
        case "init" where words.count == 3 && first.contains("://"):
            return "garner init \(first), and write '\(last):' over the stream in the file that it makes"
        case "changes" where words.count == 3: return "garner changes \(first)"
        case "runs": return Int64(last) != nil ? "garner runs show \(last)" : "garner status \(last)"
        case "state" where first == "set":
            return
                "a read sets it: garner sync \(words.count > 2 ? words[2] : "STREAM") --from VALUE reads from there once more"
        case "state":
            let resets = ["reset", "clear", "delete", "remove"]
            let names = words.dropFirst().filter { !(resets + ["show", "get", "list"]).contains($0) }
            let isReset = words.contains { resets.contains($0) }
            return names.first.map { "garner state \(isReset ? "reset" : "show") \($0)" }
        case "config" where ["edit", "set", "add", "unset"].contains(first):
            return advice(onCommand: ["edit"], names: [])
        case "drop" where words.count > 2:
            return "one stream at a time: " + words.dropFirst().map { "garner drop \($0)" }.joined(separator: " && ")
        case "config": return ["validate", "check", "test"].contains(first) ? "garner check" : "garner config show"
        case "migrate": return first == "status" ? "garner migrate --status" : "garner migrate"
        case "tables": return "garner schema \(last), or garner rows \(last)"
        case "rows" where words.count == 3 && Int(last) != nil: return "garner rows \(first) --limit \(last)"
        case "rows" where words.count > 2:
            return "garner rows \(first) --columns \(words.dropFirst(2).joined(separator: ","))"
        case "export" where words.count == 3:
            if last.contains(".") { return "garner export \(first) -o \(last)" }
            return RowFormat.ofFiles.contains { $0.rawValue == last }
                ? "garner export \(first) --format \(last)"
                : "one table at a time: garner export \(first) -o \(first).csv && garner export \(last) -o \(last).csv"
        case "serve" where ["start", "run", "up"].contains(last): return "garner serve"
        case "serve" where advice(onCommand: [last], names: []) == advice(onCommand: ["stop"], names: []):
            return advice(onCommand: ["stop"], names: [])
        case "serve": return "garner serve syncs what is scheduled; for one stream now: garner sync \(last)"
        case "browse" where !last.contains(where: { "./".contains($0) }):
            return "garner rows \(last), or garner browse --open for all tables"
        case "fetch" where words.count == 3 && first.uppercased() == "GET": return "garner fetch \(last)"
        case "rename" where words.count == 4 && ["to", "as", "into"].contains(words[2]):
            return "garner rename \(first) \(last)"
        case "doctor", "browse": return "garner \(command) --database \(last)"
        default: return nil
        }
    }
}
