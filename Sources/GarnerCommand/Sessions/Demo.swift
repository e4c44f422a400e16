import GarnerCatalog
import GarnerDatabase
import DemoAPI
import GarnerFetcher
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerSync

/// The steps of `garner demo`: sync, change the source, sync again, show the changes.
struct Demo {
    let server: AnimalServer
    let folder: DemoFolder
    let options: SharedOptions
    /// True if the API stays up after the demo.
    let serves: Bool

    func run() async throws {
        try say("An animals API is running at \(server.baseURL) (built in; nothing leaves this machine).\n")
        try await sync("animals", "First sync")
        let before = try animals()
        server.show(.second)
        try say("\nThe API changes: some animals are added, some corrected, some removed.\n")
        try await sync("animals", "Second sync")
        try showChanges(from: before, to: try animals())
        // Its counts differ from time to time, so they are not told.
        try await sync("random_animal")
        try say(
            """

            Now try:
              cd \(folder.path)
              garner tables
              garner query 'SELECT animal_type, count(*) AS animals FROM animals GROUP BY 1 ORDER BY 2 DESC'
              garner rows animals --where "diet LIKE '%fish%'" --columns name,diet --limit 5
              garner changes
              garner export animals -o animals.csv
              garner rows random_animal --columns name,lifespan
              garner export random_animal --attachments picture
            \(ending)
            Your own API: garner init URL

            """)
    }

    /// The stream whose table holds one animal at a time.
    static let randomAnimal = StreamName(source: "zoo", stream: "random_animal")

    var setup: Setup {
        var options = options
        options.common.config = folder.configurationPath
        options.common.database = folder.databasePath
        return Setup(options, environment: [:])
    }

    private var ending: DisplayText {
        serves
            ? """
            'garner sync' and 'garner serve' work there as long as this goes on.
            'garner sync random_animal' fetches another animal with its picture.
            """
            : "The API has ended with this demo; 'garner demo --serve' does all this anew and keeps it running."
    }

    /// Syncs a stream.
    ///
    /// - Parameter title: the words before the counts; nil to say nothing.
    private func sync(_ name: String, _ title: String? = nil) async throws {
        let setup = setup
        let configuration = try setup.configuration()
        let streams = try configuration.streams(matching: [name])
        let outcomes = try await setup.withStore(configuration, tellCreated: { _ in }) { writer, transports, _ in
            var outcomes: [RunOutcome] = []
            for stream in streams {
                outcomes.append(
                    await setup.context.streamSync(stream, of: configuration, into: writer, over: transports).run())
            }
            return outcomes
        }
        for outcome in outcomes {
            if let failure = outcome.failure { throw CommandError(failure, of: outcome.stream.description) }
            guard let title else { continue }
            let counts = outcome.counts
            try say(
                "\(title) of \(outcome.stream): \(counts.pages.counted("page")), \(counts.inserted) inserted, \(counts.updated) updated, "
                    + "\(counts.unchanged) unchanged, \(counts.deleted) deleted\n")
        }
    }

    private typealias Animal = [(column: String, value: String?)]

    /// Returns all rows by their id.
    private func animals() throws -> [Int64: Animal] {
        let reader = try ReadOnlyDatabase(path: folder.databasePath)
        let rows = try reader.rows("SELECT id, * FROM animals")
        var animals: [Int64: Animal] = [:]
        while let row = try rows.next() {
            animals[row.integer(at: 0)] = rows.columns.indices.dropFirst()
                .map { (rows.columns[$0], row.optionalText(at: $0)) }
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

    private func say(_ text: DisplayText) throws {
        if !options.quiet { try StandardOutput.write(text) }
    }
}

/// The folder of `garner demo`, with a configuration for the running API and a new database.
struct DemoFolder {
    let path: String

    var configurationPath: String { "\(path)/garner.yaml" }
    var databasePath: String { "\(path)/garner.db" }

    /// Creates the folder, or reuses that of an earlier demo. Throws if the folder has other contents.
    init(_ path: String, apiURL: String) throws {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw OutputError(errno, writing: path) }
        let mark = "\(path)/\(Self.mark)"
        let isDemo = (try? TextFile(path: mark, maximumBytes: 1 << 10))?.text == Self.markText
        if let other = [mark, configurationPath, databasePath].first(where: Self.exists), !isDemo {
            throw CommandError(
                .cannotCreate, kind: "exists", message: "\(other) exists and is not the demo's",
                hint: "name another folder with --folder")
        }
        try DatabaseWriter.remove(databasePath)
        try AtomicFile.write(Self.markText, to: mark)
        try AtomicFile.write(Self.configuration(apiURL), to: configurationPath)
    }

    private static let mark = "README.txt"
    private static let markText = "This folder was made by 'garner demo' and is made anew by the next one.\n"

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func configuration(_ apiURL: String) -> String {
        """
        version: 1
        database: garner.db

        sources:
          zoo:
            base_url: \(apiURL)
            proxy: none                  # the API is on this machine
            streams:
              animals:
                path: /animals
                params: { per_page: 20 }
                primary_key: id
                delete_missing: hard       # what the API no longer lists is deleted here too
                history: true              # for 'garner changes' and 'garner query --as-of'
                search: [name, habitat, diet]
                attachments: [ { field: image_link, media_types: [image/svg+xml] } ]
                schedule: { every: 1m }    # for 'garner serve'
              random_animal:
                path: /animals/rand        # another animal each time
                record_selector: $
                primary_key: id
                write_disposition: replace # the table holds only the latest one
                attachments: [ { field: image_link, media_types: [image/svg+xml] } ]
                schedule: { every: 10s }   # its name, lifespan and picture come in one run

        """
    }
}
