import Catalog
import DemoAPI
import Fetcher
import Model
import Persistence
import SQLite
import Sync

/// The course of `garner demo`: sync, change the source, sync again, show what changed.
struct Demo {
    let server: AnimalServer
    let folder: DemoFolder
    let options: SharedOptions
    /// True if the API goes on when the demo is over.
    let serves: Bool

    func run() async throws {
        try say("An animals API is running at \(server.baseURL) (built in; nothing leaves this machine).\n")
        try await sync("First sync")
        let before = try animals()
        server.show(.second)
        try say("\nThe API changes: some animals are added, some corrected, some removed.\n")
        try await sync("Second sync")
        try showChanges(from: before, to: try animals())
        try say(
            """

            Now try:
              cd \(folder.path)
              garner tables
              garner query 'SELECT animal_type, count(*) AS animals FROM animals GROUP BY 1 ORDER BY 2 DESC'
              garner rows animals --where "diet LIKE '%fish%'" --columns name,diet --limit 5
              garner changes
              garner export animals -o animals.csv
            \(ending)
            Your own API: garner init URL

            """)
    }

    private var ending: String {
        serves
            ? "'garner sync' and 'garner serve' work there as long as this goes on."
            : "The API has ended with this demo; 'garner demo --serve' does all this anew and keeps it running."
    }

    private func sync(_ title: String) async throws {
        var options = options
        options.config = folder.configurationPath
        options.database = folder.databasePath
        let setup = Setup(options, environment: [:])
        let configuration = try setup.configuration()
        let outcomes = try await setup.withStore(configuration) { store, transports in
            var outcomes: [RunOutcome] = []
            for stream in configuration.streams {
                outcomes.append(await setup.streamSync(stream, into: store, over: transports).run())
            }
            return outcomes
        }
        for outcome in outcomes {
            if let failure = outcome.failure { throw Failure(failure, of: outcome.stream.description) }
            let counts = outcome.counts
            try say(
                "\(title) of \(outcome.stream): \(counts.pages.counted("page")), \(counts.inserted) inserted, \(counts.updated) updated, "
                    + "\(counts.unchanged) unchanged, \(counts.deleted) deleted\n")
        }
    }

    private typealias Animal = [(column: String, value: String?)]

    /// All rows by their id.
    private func animals() throws -> [Int64: Animal] {
        let archive = try Archive(path: folder.databasePath)
        let statement = try archive.statement("SELECT id, * FROM animals")
        var animals: [Int64: Animal] = [:]
        while try statement.step() {
            animals[statement.integer(at: 0)] = (1..<statement.columnCount)
                .map { (statement.columnName(at: $0), statement.optionalText(at: $0)) }
        }
        return animals
    }

    private func showChanges(from before: [Int64: Animal], to after: [Int64: Animal]) throws {
        for (id, animal) in after.sorted(by: { $0.key < $1.key }) where before[id] == nil {
            try say("  + \(id) \(title(of: animal))\n")
        }
        for (id, animal) in after.sorted(by: { $0.key < $1.key }) {
            guard let old = before[id] else { continue }
            for (was, isNow) in zip(old, animal) where was.value != isNow.value {
                try say(
                    "  ~ \(id) \(title(of: animal)): \(isNow.column) '\(was.value ?? "")' is now '\(isNow.value ?? "")'\n"
                )
            }
        }
        for (id, animal) in before.sorted(by: { $0.key < $1.key }) where after[id] == nil {
            try say("  - \(id) \(title(of: animal))\n")
        }
    }

    private func title(of animal: Animal) -> String {
        func value(_ column: String) -> String { animal.first { $0.column == column }?.value ?? "?" }
        return "\(value("name")) (\(value("latin_name")))"
    }

    private func say(_ text: ShownText) throws {
        if !options.quiet { try StandardOutput.write(text) }
    }
}
