import Foundation
import GarnerCatalog
import GarnerJSON
import GarnerModel
import Testing

@testable import GarnerImport

/// Manifests of our own with the file and the report that each becomes. `GARNER_RECORD=1` writes the expected files anew.
struct ManifestImportTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Manifests")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return files.filter { $0.hasSuffix(".manifest.yaml") }.map { String($0.dropLast(14)) }.sorted()
    }()

    @Test(arguments: names)
    func `a manifest becomes the file and the report that stand beside it`(name: String) throws {
        let file = "\(name).manifest.yaml"
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        var options = ManifestImport.Options(file: file)
        // A manifest's first lines may give settings: `# --set start_date=2024-01-01`.
        for match in text.matches(of: /(?m)^# --set (\w[\w.]*)=(.*)$/) {
            options.given.single.append((String(match.1), String(match.2)))
        }
        let made = try ManifestImport(Manifest(ManifestReader.node(of: text)), options)
        let report = made.report.lines.map { "\($0)\n" }.joined()
        let written = made.text(database: "garner.db")
        try expect(report, in: "\(name).report.txt")
        let place = Self.folder.appending(path: "\(name).garner.yaml")
        guard made.report.hasStreams else {
            return #expect(!FileManager.default.fileExists(atPath: place.path()), "it is the file of another time")
        }
        try expect(written, in: "\(name).garner.yaml")
        _ = try Configuration(parsing: written, file: "\(name).garner.yaml", environment: [:], needsSecrets: false)
    }

    @Test(arguments: [
        (["pages"], []), (["Big Owners"], ["shape.big_owners"]),
        (["big_owners", "one"], ["shape.big_owners", "shape.one"]),
    ])
    func `only the streams that are named are written, with their parents`(names: [String], expected: [String]) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "shape.manifest.yaml"), encoding: .utf8)
        var options = ManifestImport.Options(file: "shape.manifest.yaml")
        options.given.single = [("account", "zoo")]
        options.streams = names
        let manifest = try Manifest(ManifestReader.node(of: text))
        #expect(try ManifestImport(manifest, options).report.streams.compactMap(\.written) == expected)
        options.streams = ["cats"]
        #expect(throws: ManifestError.self) { try ManifestImport(manifest, options) }
    }

    @Test(arguments: [
        (["one"], "one_2 is in acme already; choose others with --streams"),
        (["one", "big_owners"], "one_2 is in acme already; choose others with --streams big_owners"),
    ])
    func `streams that the configuration has already are told`(names: [String], expected: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "shape.manifest.yaml"), encoding: .utf8)
        let manifest = try Manifest(ManifestReader.node(of: text))
        var options = ManifestImport.Options(file: "shape.manifest.yaml")
        options.given.single = [("account", "zoo")]
        let configuration = try Configuration(
            parsing: ManifestImport(manifest, options).text(database: "a.db"), file: "a.yaml", environment: [:],
            needsSecrets: false)
        let there = try #require(configuration.streams.first { $0.name.stream == "one" }).request
        // Another source has the table of that name.
        options.present = [.init(source: "acme", name: "one_2", base: there.baseURL, path: there.path)]
        options.streams = names
        do {
            _ = try ManifestImport(manifest, options)
            Issue.record("no error")
        } catch {
            #expect(error.message == expected)
        }
        options.present = [.init(source: "acme", name: "one", base: "https://other.example", path: there.path)]
        #expect(throws: Never.self) { try ManifestImport(manifest, options) }
    }

    @Test(arguments: [
        (
            "ConfigAddFields, fields: [{ path: [sub], value: \"{{ config.domain.split('.')[0] }}\" }]",
            "{ domain: a.b, sub: a }", ""
        ),
        (
            "ConfigAddFields, condition: '{{ config.key }}', fields: [{ path: [x, y], value: '{{ config.key }}' }]",
            "{ domain: a.b, city: \"${ACME_KEY}\" }", ""
        ),
        ("ConfigAddFields, condition: '{{ config.sub }}', fields: [{ path: [sub], value: z }]", "{ domain: a.b }", ""),
        ("ConfigRemapField, field_path: [domain], map: { a.b: zoo }", "{ domain: zoo }", ""),
        ("ConfigRemapField, field_path: [domain], map: { a: zoo }", "{ domain: a.b }", ""),
        ("ConfigRemoveFields, field_pointers: [[domain], [x, y]]", "", ""),
        ("CustomConfigTransformation, class_name: a.B", "{ domain: a.b }", "custom_code differs: a.B"),
        ("ConfigShuffle", "{ domain: a.b }", "other differs: ConfigShuffle"),
    ])
    func `settings are what the connector makes of them`(rule: String, sent: String, loss: String) throws {
        let manifest = try ManifestReader.node(
            of: """
                streams:
                  - { type: DeclarativeStream, name: a, primary_key: id, retriever: { record_selector: {}, requester: {
                      url_base: "https://zoo.example", path: /a, request_parameters: {
                        domain: "{{ config.domain }}", sub: "{{ config.sub }}", city: "{{ config.x.y }}" } } } }
                spec:
                  connection_specification:
                    properties: { domain: { type: string, default: a.b }, key: { type: string, airbyte_secret: true } }
                  config_normalization_rules:
                    config_migrations: [{ transformations: [] }]
                    transformations: [{ type: \(rule) }]
                """)
        let made = try ManifestImport(Manifest(manifest), ManifestImport.Options(file: "acme.manifest.yaml"))
        let losses = made.report.streams[0].losses
        #expect(losses.map { "\($0.code.rawValue) \($0.effect): \($0.detail ?? "")" }.joined() == loss)
        let line = made.text(database: "a.db").split(separator: "\n").first { $0.contains("params: ") }
        #expect(line?.trimmingPrefix { $0 == " " } ?? "" == (sent.isEmpty ? "" : "params: \(sent)"))
    }

    @Test func `there are manifests, also with secrets`() {
        #expect(Self.names.count > 30)
        #expect(Self.namesWithSecrets.count > 3)
    }

    private static let namesWithSecrets = names.filter { name in
        guard let text = try? String(contentsOf: folder.appending(path: "\(name).manifest.yaml"), encoding: .utf8),
            let manifest = try? Manifest(ManifestReader.node(of: text))
        else { return false }
        let used = SettingsInUse(manifest)
        let settings = try? ConnectorSettings(manifest.spec ?? used.specification, tokens: used.tokens)
        return settings?.secrets.isEmpty == false
    }

    @Test(arguments: namesWithSecrets)
    func `no secret of a settings file is in what is made of a manifest`(name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(name).manifest.yaml"), encoding: .utf8)
        let manifest = try Manifest(ManifestReader.node(of: text))
        let used = SettingsInUse(manifest)
        let settings = try ConnectorSettings(manifest.spec ?? used.specification, tokens: used.tokens)
        var values = ManifestNode(.mapping([]))
        for setting in settings.secrets.map({ ($0.name, "canary5e1f0c77") })
            + settings.missing.map({ ($0.name, $0.example) })
        {
            let path = setting.0.split(separator: ".").map(String.init)
            values = values.setting(ManifestNode(.text(setting.1)), at: path, creates: true)
        }
        var options = ManifestImport.Options(file: "manifest.yaml")
        options.given.values = values
        let made = try ManifestImport(manifest, options)
        #expect(!(made.text(database: "garner.db") + made.report.json.text + "\(made.report.lines)").contains("canary"))
    }

    /// A refusal names a line, by which the stream is found. Its children go with it.
    @Test func `a stream that Garner refuses is not written, and the others are`() throws {
        func stream(_ name: String, port: Int, _ router: String = "[]") -> String {
            """
            { type: DeclarativeStream, name: \(name), primary_key: id, retriever: { type: SimpleRetriever,
              requester: { type: HttpRequester, url_base: "https://zoo.example:\(port)/v1", path: /\(name) },
              record_selector: { extractor: { field_path: [data] } }, partition_router: \(router) } }
            """
        }
        let parent = """
            { type: SubstreamPartitionRouter, parent_stream_configs: [{ type: ParentStreamConfig, parent_key: id,
              partition_field: pet, stream: \(stream("pets", port: 99999)),
              request_option: { type: RequestOption, inject_into: request_parameter, field_name: pet } }] }
            """
        let streams = [stream("pets", port: 99999), stream("toys", port: 443, parent), stream("cats", port: 443)]
        let text = "version: 6.0.0\nstreams: [\(streams.joined(separator: ",\n"))]"
        let made = try ManifestImport(
            Manifest(ManifestReader.node(of: text)), ManifestImport.Options(file: "zoo.yaml"))
        #expect(
            made.report.streams.map { $0.losses.map(\.sentence) } == [
                [
                    "this part is not understood, Garner refuses what was made of it: 'base_url' has a port that cannot be"
                ],
                ["these partitions, its parent 'pets' is not written"], [],
            ])
        #expect(made.report.streams.map(\.written) == [nil, nil, "zoo.cats"])
        #expect(made.sources.map(\.name) == ["zoo"])
    }

    private func expect(_ text: String, in file: String) throws {
        let place = Self.folder.appending(path: file)
        if ProcessInfo.processInfo.environment["GARNER_RECORD"] == "1" {
            try text.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: place, encoding: .utf8) == text)
    }
}
