import ArgumentParser
import GarnerCatalog
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerSync

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a commented garner.yaml to start from.",
        discussion: """
            With the URL of a collection, garner fetches one page. It detects the record
            path, the primary key and the pagination. If the page does not show how to
            reach the next one, garner sends up to five more requests. The file is valid as
            written. Garner never overwrites an existing file. To add a stream to it, run
            'garner add URL'. With --update, garner looks at its streams again and adds
            the settings that it lacks.

            Behind '--' goes a curl command, as documentation and the developer tools of
            browsers give it, in words or as one text in quotes. What garner does not take
            of it is named.

            With --from, garner translates the file of a connector, an Airbyte manifest,
            and reports on each stream. Nothing is downloaded, and no secret is written.

            With --openapi, garner lists what could be the streams of an OpenAPI or Swagger
            document, and writes those that --streams names.

              garner init
              garner init https://api.example.org/v1/items
              garner init https://api.example.org/v1/items --auth bearer
              garner init https://api.example.org/v1/items -H 'X-API-Key: ${API_KEY}'
              garner init https://api.example.org/v1/query --json '{"page_size": 100}'
              garner init -- curl 'https://api.example.org/v1/items' -H 'API-Version: 2'
              garner init https://api.example.org/v1/items --offline --config zoo.yaml
              garner init --update
              garner init --from manifest.yaml --set subdomain=acme
              garner init --openapi openapi.yaml
              garner init --openapi openapi.yaml --streams pets,orders
            """)

    @Argument(help: "The URL of a collection in your API.")
    var url: String?

    @Flag(help: "Do not contact the API. Each run then detects what the file does not set.")
    var offline = false

    @Flag(help: "Look at the file's streams again and add the settings that it lacks.")
    var update = false

    @OptionGroup var requested: RequestOptions
    @OptionGroup var imported: ImportOptions
    @OptionGroup var options: StarterOptions

    func validate() throws {
        let other = url != nil || !requested.curl.isEmpty ? "a URL" : update ? "--update" : offline ? "--offline" : nil
        try imported.validate(beside: other)
        if update, url != nil || offline || !requested.curl.isEmpty {
            throw ValidationError("--update goes with neither a URL nor --offline")
        }
    }

    func run() async throws {
        let setup = Setup(options.shared)
        try options.requireDatabase()
        if update { return try await StarterUpdate(setup: setup, path: setup.configurationPath()).run() }
        let path = setup.namedConfiguration ?? "garner.yaml"
        // An empty file has nothing to lose.
        let isBlank = (try? Starter.text(of: path))?.allSatisfy(\.isWhitespace) == true
        if access(path, F_OK) == 0, !imported.onlyReports, !isBlank {
            throw CommandError(
                .cannotCreate, kind: "exists", message: "\(path) exists already", place: path,
                hint: imported.file.map {
                    $0 == path
                        ? "name another one: garner init \(imported.option) \($0) --config api.yaml"
                        : "add to it with 'garner add \(imported.option) \($0)', or name another file with --config"
                }
                    ?? "add a stream to it with 'garner add URL', edit it, or name another file with --config")
        }
        if let file = imported.file {
            let importing = Importing(setup: setup, options: imported, file: file, option: options.common.config)
            return try importing.initialize(path, database: database(besides: path), replaces: isBlank)
        }
        let starter = try await starter(setup, path)
        let file = starter?.file ?? StarterFile(database: database(besides: path))
        try AtomicFile.write(file.text, to: path, replaces: isBlank)
        guard !setup.isQuiet else { return }
        let done = "Wrote \(path)."
        let option = options.common.config
        StandardError.write(
            starter?.summary(done, option: option, setup.environment) ?? Starter.summary(done, option: option))
    }

    /// Returns nil if there is no URL.
    private func starter(_ setup: Setup, _ path: String) async throws -> Starter? {
        guard let command = try requested.command(url) else { return nil }
        let address = try Starter.address(command.url)
        let request = try requested.request(of: address.source, command, besides: address.environment)
        var unknown = Starter(address: address, request: request, probe: nil)
        unknown.database = database(besides: path)
        let environment = Starter.environment(address, request, setup)
        let configuration = try Starter.configuration(
            parsing: unknown.file.text, path: path, offline ? request.assumed(environment) : environment)
        guard !offline, let stream = configuration.streams.first else { return unknown }
        var starter = try await Starter.probing(address, request, as: stream, configuration, with: setup)
        starter.database = unknown.database
        _ = try Starter.configuration(parsing: starter.file.text, path: path, environment)
        return starter
    }

    /// The database that an option names, as the file names it: relative to its own folder.
    private func database(besides path: String) -> String? {
        guard let database = options.common.database, !database.hasPrefix("/"), path.contains("/") else {
            return options.common.database
        }
        return FileCreation.resolved(".").map { "\($0)/\(database)" } ?? database
    }
}
