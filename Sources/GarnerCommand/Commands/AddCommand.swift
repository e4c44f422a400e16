import ArgumentParser
import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerRuntime
import GarnerSync

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a stream to garner.yaml from the URL of a collection.",
        discussion: """
            Garner fetches one page, as 'garner init URL' does, and appends the stream to
            its source in the file. If the file has no such source, garner appends a new
            one. The rest of the file stays as it is, including comments. With --from or
            --openapi, it adds streams of a connector's file or of an OpenAPI document in
            sources of their own.

              garner add https://api.example.org/v1/orders
              garner add https://api.example.org/v1/orders --name purchases
              garner add https://other.example.org/items --auth bearer
              garner add -- curl https://api.example.org/v1/orders -u name:password
              garner add --from manifest.yaml --streams contacts,deals
              garner add --openapi openapi.yaml --streams pets
            """)

    @Argument(help: "The URL of a collection in your API.")
    var url: String?

    @Option(help: ArgumentHelp("The stream's name; derived from the URL by default.", valueName: "name"))
    var name: String?

    @Flag(help: "Do not contact the API. Each run then detects what the file does not set.")
    var offline = false

    @OptionGroup var requested: RequestOptions
    @OptionGroup var imported: ImportOptions
    @OptionGroup var options: StarterOptions

    func validate() throws {
        let other =
            url != nil || !requested.curl.isEmpty ? "a URL" : name != nil ? "--name" : offline ? "--offline" : nil
        try imported.validate(beside: other)
    }

    func run() async throws {
        let setup = Setup(options.shared)
        try options.requireDatabase()
        // A curl command brings the secrets that the environment lacks.
        let configuration = try setup.loadedConfiguration()
        let path = try setup.configurationPath()
        if let file = imported.file {
            return try Importing(setup: setup, options: imported, file: file, option: options.common.config)
                .add(to: path, configuration)
        }
        let old = try Starter.text(of: path)
        guard let command = try requested.command(url) else {
            throw Starter.wrong("there is neither a URL nor a curl command")
        }
        var place = try place(of: command.url, in: configuration, ConfigurationText(old).emptySources)
        var request = try requested.request(
            of: place.address.source, command, besides: place.address.environment)
        if !place.isNewSource { request.leaveToSource() }
        let environment = Starter.environment(place.address, request, setup)
        var starter = Starter(address: place.address, request: request, probe: nil)
        var text = try added(starter, to: old, place, path)
        let known = try Starter.configuration(
            parsing: text, path: path, offline ? request.assumed(environment) : environment)
        if !offline, let stream = known.streams.first(where: { $0.name == place.name }) {
            let found = try await Starter.probing(place.address, request, as: stream, configuration, with: setup)
            if let findings = found.probe?.findings { place.name(after: findings, in: configuration) }
            if let named = NamedRecord(in: place.address, among: configuration.streams) {
                let parent = await named.parent(in: configuration.database) { stream in
                    try? await setup.context.withTransports(of: configuration) { transports in
                        try await PageSample.fetch(stream, over: transports.access(to: stream, timing: setup.timing))
                    }
                }
                place.address = place.address.child(of: parent)
            }
            starter = Starter(address: place.address, request: request, probe: found.probe)
            text = try added(starter, to: old, place, path)
            _ = try Starter.configuration(parsing: text, path: path, environment)
        }
        try AtomicFile.write(text, to: path)
        guard !setup.isQuiet else { return }
        StandardError.write(
            starter.summary("Added \(place.name) to \(path).", option: options.common.config, setup.environment))
    }

    /// The place of the new stream in the file.
    private struct Place {
        var address: StarterAddress
        let isNewSource: Bool

        var name: StreamName { StreamName(source: address.source, stream: address.stream) }

        /// Takes the name of the list in the answer if the URL has none, unless another stream has it.
        mutating func name(after findings: StarterFindings, in configuration: Configuration) {
            var named = self
            named.address = address.named(after: findings)
            if !configuration.streams.contains(where: { $0.name == named.name }) { self = named }
        }
    }

    /// - Parameter empty: The sources of the file that have no stream yet.
    private func place(
        of url: String, in configuration: Configuration, _ empty: [(name: String, base: String)]
    ) throws -> Place {
        var address = try Starter.address(url, beside: configuration.streams)
        if let name {
            guard let named = address.named(name), named.stream == name else {
                throw Starter.wrong("'\(name)' can be no name of a stream", hint: "write letters, digits and _")
            }
            address = named
        }
        let bases: [(name: String, base: String)] =
            configuration.streams.map { (name: $0.name.source, base: $0.request.baseURL) } + empty
        let known = bases.sorted { $0.base.utf8.count > $1.base.utf8.count }
        let own = known.lazy.compactMap { address.relative(to: $0.base, of: $0.name) }.first
        guard let own else {
            // The same host may have several base URLs.
            let sources = Set(bases.map(\.name))
            let names = (1...).lazy.map { $0 == 1 ? address.source : "\(address.source)_\($0)" }
            let free = names.first { !sources.contains($0) } ?? address.source
            return Place(address: address.sourced(free), isNewSource: true)
        }
        let place = Place(address: own, isNewSource: false)
        guard !configuration.streams.contains(where: { $0.name == place.name }) else {
            throw CommandError(
                .usage, kind: "exists", message: "there is a stream \(place.name) already",
                hint: "give the new one another name with --name")
        }
        return place
    }

    private func added(_ starter: Starter, to text: String, _ place: Place, _ path: String) throws -> String {
        var configuration = ConfigurationText(text)
        let isDone =
            place.isNewSource
            ? configuration.add(source: starter.file.source)
            : configuration.add(
                starter.file.stream(within: configuration.lines(of: place.address.source)), to: place.address.source)
        guard isDone else {
            throw CommandError(
                .misconfigured, kind: "configuration",
                message: "the streams of \(path) are not in block style (one key per line), so no stream can be added",
                place: path,
                hint: "write 'sources:', the source and 'streams:' on lines of their own")
        }
        return configuration.text
    }
}
