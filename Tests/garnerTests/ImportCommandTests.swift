import Foundation
import TestSupport
import Testing

/// A connector's file becomes a configuration that works.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ImportCommandTests {
    private static let manifest = """
        version: 6.1.0
        type: DeclarativeSource
        definitions:
          requester:
            type: HttpRequester
            url_base: "{{ config['url'] }}/v1/"
            authenticator: { type: BearerAuthenticator, api_token: "{{ config['token'] }}" }
          selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [items] } }
        streams:
          - type: DeclarativeStream
            name: pets
            primary_key: [id]
            retriever:
              type: SimpleRetriever
              requester: { $ref: "#/definitions/requester", path: pets }
              record_selector: { $ref: "#/definitions/selector" }
          - type: DeclarativeStream
            name: files
            retriever: { type: CustomRetriever, class_name: acme.Unzip }
        spec:
          type: Spec
          connection_specification:
            type: object
            required: [url, token]
            properties:
              url: { type: string, title: Address of the API, examples: ["https://api.example.org"] }
              token: { type: string, title: Token, airbyte_secret: true }
              size: { type: integer }
              since: { type: string, format: date }
              code: { type: string, pattern: "^[a-z]+$", examples: [abc] }
        """

    /// One object, behind a paginator that its endpoint does not know, and a list.
    private static let profile = """
        version: 6.1.0
        type: DeclarativeSource
        definitions:
          stream: &stream
            type: DeclarativeStream
            primary_key: [id]
            retriever: &retriever
              type: SimpleRetriever
              record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [] } }
        streams:
          - <<: *stream
            name: profile
            retriever:
              <<: *retriever
              requester: { type: HttpRequester, url_base: "{{ config['url'] }}", path: profile }
              paginator:
                type: DefaultPaginator
                page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page }
                pagination_strategy: { type: PageIncrement, page_size: 10, start_from_page: 1 }
          - <<: *stream
            name: pets
            retriever:
              <<: *retriever
              requester: { type: HttpRequester, url_base: "{{ config['url'] }}", path: pets }
        spec:
          connection_specification: { type: object, required: [url], properties: { url: { type: string } } }
        """

    private static let canary = "canary5e1f0c77"

    private static let api: LoopbackServer.Handler = { request in
        guard request["authorization"] == "Bearer \(canary)" else { return .response(status: 401, body: "{}") }
        return .json(#"{"items":[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"}]}"#)
    }

    private func workplace() throws -> Workplace {
        let place = try Workplace()
        try place.write(Self.manifest, to: "manifest.yaml")
        return place
    }

    @Test func `a manifest becomes a file that syncs, without a secret of the settings`() async throws {
        try await LoopbackServer.serve(Self.api) { server in
            let place = try workplace()
            try place.write(#"{ "url": "\#(server.url)", "token": "\#(Self.canary)" }"#, to: "values.json")
            let made = try await place.garner("init", "--from", "manifest.yaml", "--values", "values.json")
            #expect(made.code == 0, "\(made.errors)")
            #expect(
                made.output.contains(
                    "manifest.yaml: 2 streams\n  1 whole\n  1 not written  files: custom code, acme.Unzip"))
            let text = try place.text(of: "garner.yaml")
            #expect(!(text + made.output + made.errors).contains(Self.canary))
            #expect(text.contains("# not written: 'files': custom code, acme.Unzip"))
            let variable = try #require(made.errors.firstMatch(of: /export (\w+)=…/)).1
            let sync = try await place.garner("sync", environment: [String(variable): Self.canary])
            #expect(sync.code == 0, "\(sync.errors)")
            #expect(try place.texts("SELECT name FROM pets ORDER BY id") == ["Ada", "Bo"])
        }
    }

    @Test func `what is missing is named with options that can be pasted`() async throws {
        let place = try workplace()
        let told = try await place.garner("init", "--from", "manifest.yaml")
        #expect(told.code == 65 && told.errors.contains("url (Address of the API)"), "\(told.errors)")
        let options = try #require(told.errors.firstMatch(of: /add (--set \S+) or --values FILE/)).1
        let made = try await place.shell("garner init --from manifest.yaml \(options) && garner check --no-secrets")
        #expect(made.code == 0, "\(made.errors)")
        #expect(try place.text(of: "garner.yaml").contains("https://api.example.org/v1/"))
    }

    @Test(arguments: ["size=x", "since=yesterday", "code=A1"])
    func `a value that is refused is told with one that can be pasted`(setting: String) async throws {
        let place = try workplace()
        let command = "garner init --from manifest.yaml --set url=https://api.example.org"
        let told = try await place.shell("\(command) --set \(setting)")
        let option = try #require(told.errors.firstMatch(of: /Try: write (--set [^\s,]+)/), "\(told)").1
        #expect(told.code == 65 && !place.names.contains("garner.yaml"))
        let made = try await place.shell("\(command) \(option) && garner check --no-secrets")
        #expect(made.code == 0, "\(option): \(made.errors)")
    }

    @Test func `a secret that --set gives is told, and one that --values gives is not, and is not in the file`()
        async throws
    {
        let place = try workplace()
        let words = ["init", "--from", "manifest.yaml", "--set", "url=https://api.example.org"]
        try place.write("token: \(Self.canary)", to: "values.yaml")
        let warning = "token is a secret of the connector and is written as it is, since --set gave it"
        let advice = "Try: give it with --values, which keeps it out of the file\n"
        let told = try await place.start(
            words + ["--set", "token=\(Self.canary)", "--config", "set.yaml"], input: ""
        ).end()
        #expect(told.code == 0 && told.errors.contains("\(warning)\n\(advice)"), "\(told.errors)")
        #expect(try place.text(of: "set.yaml").contains(Self.canary))
        let quiet = try await place.start(words + ["--values", "values.yaml"], input: "").end()
        #expect(quiet.code == 0 && !quiet.errors.contains(warning), "\(quiet.errors)")
        #expect(try !place.text(of: "garner.yaml").contains(Self.canary))
    }

    @Test func `what is told of a file and of streams that are there leads to those that are not`() async throws {
        let place = try Workplace()
        try place.write(Self.profile, to: "manifest.yaml")
        let options = "--set url=https://api.example.org"
        let made = try await place.shell("garner init --from manifest.yaml --streams profile \(options)")
        #expect(made.code == 0, "\(made.errors)")
        let there = try await place.shell("garner init --from manifest.yaml \(options)")
        #expect(there.code == 73)
        let command = try #require(there.errors.firstMatch(of: /add to it with '(garner add [^']+)'/), "\(there)").1
        let told = try await place.shell("\(command) \(options)")
        #expect(told.code == 65)
        let others = try #require(told.errors.firstMatch(of: /choose others with (--streams \S+)/), "\(told)").1
        let added = try await place.shell("\(command) \(options) \(others) && garner check")
        #expect(added.code == 0 && added.output.contains(".pets "), "\(added)")
    }

    @Test func `sources that are not in block style are told with the style that takes another one`() async throws {
        let place = try workplace()
        let zoo = "{ base_url: https://zoo.example, streams: { animals: { path: animals } } }"
        try place.write("version: 1\nsources: { zoo: \(zoo) }\n", to: "garner.yaml")
        let command = "garner add --from manifest.yaml --set url=https://api.example.org"
        let told = try await place.shell(command)
        #expect(told.code == 78, "\(told)")
        #expect(told.errors.contains("Try: write 'sources:' and each source on lines of their own\n"), "\(told)")
        try place.write("version: 1\nsources:\n  zoo: \(zoo)\n", to: "garner.yaml")
        let added = try await place.shell("\(command) && garner check --no-secrets")
        #expect(added.code == 0, "\(added)")
    }

    @Test func `a file without the signs of a format is taken with one of them, or with the option`() async throws {
        let place = try Workplace()
        let start = "version: 6.1.0\ntype: DeclarativeSource\ndefinitions:"
        let text = Self.profile.replacing(start, with: "anchors:")
        try place.write(text, to: "manifest.yaml")
        let command = "garner init --from manifest.yaml --set url=https://api.example.org --dry-run"
        let told = try await place.shell(command)
        #expect(told.code == 65 && told.errors.contains("or say which it is with --from-format\n"), "\(told)")
        let named = try await place.shell("\(command) --from-format airbyte")
        #expect(named.code == 0, "\(named)")
        let line = try #require(told.errors.firstMatch(of: /name a file that has '([^']+)'/), "\(told)").1
        try place.write("\(line)\n\(text)", to: "manifest.yaml")
        let signed = try await place.shell(command)
        #expect(signed.code == 0, "\(signed)")
    }

    @Test func `a pipe is told with the word for standard input`() async throws {
        let place = try workplace()
        let command = "cat manifest.yaml | garner init --set url=https://api.example.org --dry-run"
        let told = try await place.shell("\(command) --from /dev/stdin")
        let option = try #require(told.errors.firstMatch(of: /'(--from -)' for standard input/), "\(told)").1
        let read = try await place.shell("\(command) \(option)")
        #expect(told.code == 66 && read.code == 0, "\(read)")
    }

    @Test func `one object behind a paginator is read with the line of the documentation`() async throws {
        let docs = DocumentationPage("docs/connectors.md").text
        let line = try #require(docs.firstMatch(of: /write `(paginator: [^`]+)` for that stream/)).1
        try await LoopbackServer.serve({ _ in .json(#"{"id":9,"name":"Ada"}"#) }) { server in
            let place = try Workplace()
            try place.write(Self.profile, to: "manifest.yaml")
            let made = try await place.garner(
                "init", "--from", "manifest.yaml", "--streams", "profile", "--set", "url=\(server.url)")
            #expect(made.code == 0, "\(made.errors)")
            let failed = try await place.garner("sync")
            #expect(failed.code == 65 && failed.errors.contains("the page is the same as the one before"), "\(failed)")
            try place.replace("      profile:\n", with: "      profile:\n        \(line)\n")
            let sync = try await place.garner("sync", "--json")
            #expect(sync.code == 0 && sync.output.contains(#""completeness":"complete""#), "\(sync)")
            #expect(try place.integers("SELECT id FROM profile") == [9])
        }
    }

    @Test func `a variable that is set already is named, with whom it goes to`() async throws {
        let place = try workplace()
        let words = ["init", "--from", "manifest.yaml", "--set", "url=https://api.example.org"]
        let first = try await place.garner(words[0], words[1], words[2], words[3], words[4])
        let variable = String(try #require(first.errors.firstMatch(of: /export (\w+)=…/)).1)
        #expect(!first.errors.contains("is set already"))
        let again = try await place.garner(
            words[0], words[1], words[2], words[3], words[4], "--config", "other.yaml", environment: [variable: "x"])
        #expect(
            again.errors.contains("\(variable) is set already, and will be sent to api.example.org: see"),
            "\(again.errors)")
    }

    @Test func `streams are added to a file that is there, and only reported with --dry-run`() async throws {
        let place = try workplace()
        try place.write(
            "version: 1\nsources:\n  zoo:\n    base_url: https://zoo.example/\n    streams:\n      pets: { path: pets }\n",
            to: "garner.yaml")
        let before = try place.text(of: "garner.yaml")
        let words = ["--from", "manifest.yaml", "--set", "url=https://api.example.org"]
        let report = try await place.garner(
            "add", words[0], words[1], words[2], words[3], "--dry-run", "--format", "json")
        #expect(report.code == 0, "\(report.errors)")
        #expect(report.output.contains(#""code":"custom_code""#))
        #expect(try place.text(of: "garner.yaml") == before)
        let strict = try await place.garner("add", words[0], words[1], words[2], words[3], "--strict")
        #expect(strict.code == 65)
        #expect(
            strict.errors.contains(
                "nothing was written, since 1 stream is neither whole nor renamed (--strict)"), "\(strict.errors)")
        #expect(try place.text(of: "garner.yaml") == before)
        let added = try await place.garner(
            "add", words[0], words[1], words[2], words[3], "--streams", "pets", "--strict")
        #expect(added.code == 0, "\(added.errors)")
        #expect(try place.text(of: "garner.yaml").hasPrefix(before))
        let again = try await place.garner("add", words[0], words[1], words[2], words[3])
        #expect(again.code == 65 && again.errors.contains("pets_2 is in"), "\(again.errors)")
        #expect(try await place.garner("check", "--no-secrets").code == 0)
    }

    @Test(arguments: [
        (["https://example.org/manifest.yaml"], "", 64, "curl -L -o manifest.yaml 'https://example.org/manifest.yaml'"),
        (
            ["https://github.com/o/r/blob/main/manifest.yaml"], "", 64,
            "curl -L -o manifest.yaml 'https://github.com/o/r/raw/main/manifest.yaml', then name manifest.yaml"
        ),
        (["-"], "\n<!DOCTYPE html>\n<html></html>", 65, "the file is a page of HTML or XML"),
        (["nowhere.yaml"], "", 66, "there is no file nowhere.yaml"),
        (["."], "", 66, ". is a folder"),
        (["/dev/zero"], "", 66, "cannot read /dev/zero: it is a pipe, a device or the like"),
        (["manifest.yaml", "--values", "/dev/zero"], "", 66, "cannot read /dev/zero: it is a pipe"),
        (["-"], "a: 1", 65, "neither an Airbyte manifest nor an OpenAPI document"),
        (["-"], "a: [1", 65, "not valid YAML or JSON"),
        (["manifest.yaml", "--set", "ur=x"], "", 65, "did you mean 'url'?"),
        (
            ["manifest.yaml", "--set", "url=https://a.example", "--streams", "cats"], "", 65,
            "its streams are: pets, files"
        ),
        (
            ["manifest.yaml", "--set", "url=https://a.example", "--streams", "files"], "", 65,
            "no stream of manifest.yaml can"
        ),
        (["manifest.yaml", "--offline"], "", 64, "--from does not go with --offline"),
        (["manifest.yaml", "--openapi", "openapi.yaml"], "", 64, "--openapi does not go with --from"),
        (["-", "--strict"], "openapi: 3.0.0\npaths: {}", 64, "--strict is for manifests"),
        (["-"], "openapi: 3.0.0\npaths: {}", 65, "no GET of the document answers with a list of objects"),
    ])
    func `what cannot be read says why`(words: [String], input: String, code: Int, expected: String) async throws {
        let place = try workplace()
        let told = try await place.start(["init", "--from"] + words, input: input).end()
        #expect(Int(told.code) == code)
        #expect(told.errors.contains(expected), "\(told.errors)")
        #expect(!place.names.contains("garner.yaml"))
    }

    private static let document = """
        openapi: 3.1.0
        servers: [{ url: "{address}/v1", variables: { address: {} } }]
        security: [{ token: [] }]
        paths:
          /pets:
            get:
              parameters: [{ name: kind, in: query, required: true, schema: { type: string } }]
              responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Pets" } } } } }
          /pets/{petId}:
            get:
              responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } } }
        components:
          schemas:
            Pets: { properties: { items: { type: array, items: { $ref: "#/components/schemas/Pet" } } } }
            Pet: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
          securitySchemes: { token: { type: http, scheme: bearer } }
        """

    @Test func `an OpenAPI document becomes a list, and then a file that syncs`() async throws {
        try await LoopbackServer.serve(Self.api) { server in
            let place = try Workplace()
            try place.write(Self.document, to: "openapi.yaml")
            let list = try await place.garner("init", "--openapi", "openapi.yaml")
            #expect(list.code == 0, "\(list.errors)")
            #expect(list.output.contains("pets  /pets  $.items[*]  --set kind=…"), "\(list.output)")
            #expect(list.output.contains("Add --streams pets to write these"), "\(list.output)")
            #expect(!place.names.contains("garner.yaml"))
            let told = try await place.garner("init", "--from", "openapi.yaml", "--streams", "pets")
            #expect(told.code == 65 && told.errors.contains("add --set address=… --set kind=…"), "\(told.errors)")
            let made = try await place.garner(
                "init", "--openapi", "openapi.yaml", "--streams", "pets", "--set", "kind=cat", "--set",
                "address=\(server.url)")
            #expect(made.code == 0, "\(made.errors)")
            #expect(try place.text(of: "garner.yaml").contains("kind: cat"))
            let variable = try #require(made.errors.firstMatch(of: /export (\w+)=…/)).1
            let sync = try await place.garner("sync", environment: [String(variable): Self.canary])
            #expect(sync.code == 0, "\(sync.errors)")
            #expect(try place.texts("SELECT name FROM pets ORDER BY id") == ["Ada", "Bo"])
            let again = try await place.garner(
                "add", "--openapi", "openapi.yaml", "--streams", "pets", "--set", "kind=dog", "--set",
                "address=\(server.url)", "--dry-run", "--format", "json")
            #expect(again.code == 0, "\(again.errors)")
            #expect(again.output.contains(#""path":"/pets""#))
        }
    }
}
