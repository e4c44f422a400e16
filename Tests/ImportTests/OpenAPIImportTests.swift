import Foundation
import GarnerCatalog
import Testing

@testable import GarnerImport

/// OpenAPI documents of our own with the file that each becomes. `GARNER_RECORD=1` writes the expected files anew.
struct OpenAPIImportTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Manifests")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return files.filter { $0.hasSuffix(".openapi.yaml") }.map { String($0.dropLast(13)) }.sorted()
    }()

    /// Returns a document and the options that its first lines give: `# --set shop=acme`, `# --streams pets,orders`.
    private static func document(_ name: String) throws -> (text: String, options: ManifestImport.Options) {
        let file = "\(name).openapi.yaml"
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        var options = ManifestImport.Options(file: file)
        for match in text.matches(of: /(?m)^# --set ([\w.-]+)=(.*)$/) {
            options.given.single.append((String(match.1), String(match.2)))
        }
        options.streams = text.firstMatch(of: /(?m)^# --streams (.*)$/)
            .map { $0.1.split(separator: ",").map(String.init) }
        return (text, options)
    }

    private func message(_ read: () throws -> Void) -> String {
        do {
            try read()
            return "no error"
        } catch let error as ManifestError {
            return error.message
        } catch {
            return "another error"
        }
    }

    @Test(arguments: names)
    func `a document becomes the list, the file and the report that stand beside it`(name: String) throws {
        let (text, options) = try Self.document(name)
        let root = try ManifestReader.node(of: text)
        var all = options
        (all.streams, all.given.single) = (nil, [])
        let list = try OpenAPIImport(root, all)
        let made = try OpenAPIImport(root, options)
        let written = made.text(database: "garner.db")
        #expect(!list.hasStreams)
        #expect(made.hasStreams)
        try expect((list.lines + made.lines).map { "\($0)\n" }.joined(), in: "\(name).report.txt")
        try expect(written, in: "\(name).garner.yaml")
        let configuration = try Configuration(
            parsing: written, file: "\(name).garner.yaml", environment: [:], needsSecrets: false)
        #expect(configuration.streams.count == made.rows.count)
        #expect(made.secrets.allSatisfy { written.contains("${\($0.variable)}") })
    }

    @Test(arguments: names)
    func `a line that stands as a comment is right once it is one of the file`(name: String) throws {
        let (text, options) = try Self.document(name)
        let written = try OpenAPIImport(ManifestReader.node(of: text), options).text(database: "garner.db")
        var lines = written.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var count = 0
        for index in lines.indices {
            guard let match = lines[index].wholeMatch(of: /( +)# ((paginator|params|incremental): .*)/) else {
                continue
            }
            lines[index] = "\(match.1)\(match.2)"
            count += 1
            guard match.3 == "params" else { continue }
            // The line replaces the one that is there.
            let rest = lines[index...].dropFirst().prefix { $0.hasPrefix(match.1) }
            if let old = rest.firstIndex(where: { $0.hasPrefix("\(match.1)params:") }) { lines[old] = "" }
        }
        #expect(count > 0)
        _ = try Configuration(
            parsing: lines.joined(separator: "\n"), file: "x.yaml", environment: [:], needsSecrets: false)
    }

    private func expect(_ text: String, in file: String) throws {
        let place = Self.folder.appending(path: file)
        if ProcessInfo.processInfo.environment["GARNER_RECORD"] == "1" {
            try text.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: place, encoding: .utf8) == text)
    }

    @Test(arguments: [
        (
            "parcels", "",
            "the document does not tell some values: shop (a part of the API's URL), Customer-Id (a parameter of orders), status (a parameter of orders); add --set shop=… --set Customer-Id=… --set status=…"
        ),
        ("flags", "base_url=/v1", "add --set base_url=https://api.example.org/v1"),
        ("order", "", "there is no list 'order' in shop.openapi.yaml; did you mean 'orders'?"),
        ("flags", "bas_url=1", "nothing that is written takes 'bas_url'; did you mean 'base_url'?"),
    ])
    func `what is missing or unknown is told with what to write`(
        stream: String, setting: String, expected: String
    ) throws {
        var (text, options) = try Self.document("shop")
        options.streams = [stream]
        options.given.single =
            setting.firstIndex(of: "=").map {
                [(String(setting[..<$0]), String(setting[$0...].dropFirst()))]
            } ?? []
        let root = try ManifestReader.node(of: text)
        text = message { _ = try OpenAPIImport(root, options) }
        #expect(text.contains(expected), "\(text)")
    }

    private static func listing(_ schema: String, _ components: String = "") -> String {
        """
        openapi: 3.1.0
        servers: [{ url: "https://api.example.org" }]
        paths: { /pets: { get: { responses: { "200": { content: { application/json: { schema: \(schema) } } } } } } }
        components: { schemas: { \(components) } }
        """
    }

    private static let pet = "Pet: { type: object, properties: { id: { type: integer } } }"

    @Test(
        arguments: [
            ("{ type: array, items: { $ref: '#/components/schemas/Pet' } }", pet, ["$[*]"]),
            ("{ type: [array, 'null'], items: { type: [object, 'null'] } }", "", ["$[*]"]),
            ("{ $ref: '#/components/schemas/A' }", "A: { $ref: '#/components/schemas/A' }", nil),
            (
                "{ $ref: '#/components/schemas/A' }",
                "A: { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/A' }] }", nil
            ),
            (
                "{ $ref: '#/components/schemas/A' }",
                "A: { properties: { a: { $ref: '#/components/schemas/A' }, b: { anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/A' }] } } }",
                nil
            ),
            (
                "{ properties: { x: { properties: { y: { type: array, items: { type: object } } } } } }", "",
                ["$.x.y[*]"]
            ),
            (
                "{ properties: { a: { type: array, items: { type: object } }, pets: { type: array, items: { type: object } } } }",
                "", ["$.pets[*]"]
            ),
            ("{ properties: { id: { type: string }, lines: { type: array, items: { type: object } } } }", "", nil),
            ("{ properties: { errors: { type: array, items: { type: object } } } }", "", ["$.errors[*]"]),
            ("{ type: array, items: { type: array, items: { type: object } } }", "", nil),
            ("{ $ref: 'other.yaml#/Pets' }", "", nil),
            (
                "{ $ref: '#/components/schemas/a~1b%20c/0' }", "'a/b c': [{ type: array, items: { type: object } }]",
                ["$[*]"]
            ),
            ("true", "", nil), ("[]", "", nil), ("{ type: array, items: 5 }", "", nil),
        ] as [(String, String, [String]?)])
    func `records are found where the only list of objects is`(schema: String, components: String, places: [String]?)
        throws
    {
        let root = try ManifestReader.node(of: Self.listing(schema, components))
        let made = try? OpenAPIImport(root, ManifestImport.Options(file: "a.yaml"))
        #expect(made?.rows.first?.places == places)
    }

    @Test(arguments: [
        (
            listing("{ $ref: '#/components/schemas/Nope' }"),
            "line 3: the reference #/components/schemas/Nope leads nowhere"
        ),
        ("openapi: 4.0.0\npaths: {}", "line 1: openapi 4.0.0 is an unknown version; take a document of"),
        ("swagger: 1.2\npaths: {}", "swagger 1.2 is an unknown version"),
    ])
    func `what makes a document unreadable is named`(text: String, expected: String) {
        let told = message { _ = try OpenAPIImport(ManifestReader.node(of: text), .init(file: "a.yaml")) }
        #expect(told.contains(expected), "\(told)")
    }

    @Test(arguments: [("enum: [new, old]", "new"), ("default: old, enum: [new, old]", "old")])
    func `elements of a list give a value, and the name of the request names its stream`(
        items: String, value: String
    ) throws {
        let text = Self.listing("{ type: array, items: { type: object } }").replacing(
            "get: { ",
            with: "get: { operationId: findPets, parameters: [{ name: s, in: query, required: true, "
                + "schema: { type: array, items: { type: string, \(items) } } }], ")
        var options = ManifestImport.Options(file: "a.yaml")
        options.streams = ["findPets"]
        let made = try OpenAPIImport(ManifestReader.node(of: text), options).text(database: "a.db")
        #expect(made.contains("params: { s: \(value) }"), "\(made)")
    }

    @Test(
        arguments: [
            (["/pet/findByStatus"], ["pet_find_by_status"]), (["/api/v1.2/"], ["records"]),
            (["/users/{id}/posts", "/posts", "/groups/{id}/posts"], ["users_posts", "posts", "groups_posts"]),
            (["/a/b", "/c/a/b", "/d/a/b"], ["b", "a_b", "a_b_2"]),
            (["/orders/search", "/order"], ["orders_search", "order_list"]),
            (["/v1/petTypes.json"], ["pet_types"]), (["/x/${y}/a"], nil), (["/x/{y/a"], nil),
        ] as [([String], [String]?)])
    func `each list has a name of its own, from its path`(paths: [String], names: [String]?) throws {
        let answer = "{ content: { application/json: { schema: { type: array, items: { type: object } } } } }"
        let lines = paths.map { "  \"\($0)\": { get: { responses: { default: \(answer) } } }\n" }.joined()
        let root = try ManifestReader.node(of: "openapi: 3.0.0\npaths:\n\(lines)")
        #expect((try? OpenAPIImport(root, .init(file: "a.yaml")))?.rows.map(\.name) == names)
    }

    @Test func `a document that holds too much ends with an error`() throws {
        let deep = String(repeating: "{ properties: { a: ", count: 80) + "1" + String(repeating: " } }", count: 80)
        #expect(
            message { _ = try OpenAPIImport(ManifestReader.node(of: Self.listing(deep)), .init(file: "a")) }
                .contains("nested too deeply"))
        #expect(
            message { _ = try ManifestReader.node(of: "openapi: " + String(repeating: "x", count: 4 << 20)) }
                .contains("4 MiB"))
        let list = "{ get: { responses: { default: { schema: { type: array, items: { type: object } } } } } }"
        let paths = { (count: Int) in "swagger: '2.0'\npaths:\n" + (1...count).map { "  /p\($0): \(list)\n" }.joined() }
        #expect(message { _ = try OpenAPIImport(ManifestReader.node(of: paths(2000)), .init(file: "a")) } == "no error")
        #expect(
            message { _ = try OpenAPIImport(ManifestReader.node(of: paths(2001)), .init(file: "a")) }
                .contains("line 3: the document has more than 2000 lists"))
        // Each schema leads to all others, so that the ways through them are countless.
        let names = (0..<60).map { "A\($0)" }
        let properties = names.map { "\($0): { $ref: '#/components/schemas/\($0)' }" }.joined(separator: ", ")
        let schemas = names.map { "\($0): { properties: { \(properties) } }" }.joined(separator: ", ")
        let root = try ManifestReader.node(of: Self.listing("{ $ref: '#/components/schemas/A0' }", schemas))
        #expect(message { _ = try OpenAPIImport(root, .init(file: "a")) }.contains("no GET of the document"))
    }

    @Test func `names of parameters are quoted in the table, as they are pasted from there`() throws {
        let text = Self.listing("{ type: array, items: { type: object } }").replacing(
            "get: { ", with: "get: { parameters: [{ name: 'a;id>x;', in: query, required: true }], ")
        let made = try OpenAPIImport(ManifestReader.node(of: text), .init(file: "a.yaml"))
        #expect(made.lines.contains { $0.hasSuffix("--set 'a;id>x;'=…") })
    }

    @Test func `members of schemas are counted`() throws {
        let properties = (0..<1000).map { "p\($0): {}" }.joined(separator: ", ")
        let schema = try ManifestReader.node(
            of: "allOf: [{ properties: { \(properties) } }, { properties: { \(properties) } }]")
        let document = try OpenAPIDocument(ManifestReader.node(of: "paths: {}"))
        _ = try OpenAPISchema(schema, in: document)
        #expect(document.steps > 2000)
    }

    // `GARNER_SEED=5` tries other changes, and more of them.
    private static let seed = ProcessInfo.processInfo.environment["GARNER_SEED"].flatMap { UInt64($0) } ?? 7
    private static let rounds = ProcessInfo.processInfo.environment["GARNER_SEED"] == nil ? 40 : 600

    @Test func `a file that is changed by chance never ends the program`() throws {
        for name in Self.names {
            let (text, options) = try Self.document(name)
            let bytes = Array(text.utf8)
            var random = Numbers(seed: Self.seed)
            for _ in 0..<Self.rounds {
                var changed = bytes
                for _ in 0...random.next(4) {
                    let place = random.next(changed.count)
                    switch random.next(4) {
                    case 0: changed.removeSubrange(place..<min(changed.count, place + random.next(30)))
                    case 1: changed[place] = UInt8(32 + random.next(95))
                    case 2:
                        let from = random.next(changed.count)
                        changed.insert(
                            contentsOf: changed[from..<min(changed.count, from + random.next(60))], at: place)
                    default:
                        changed.insert(
                            contentsOf: ["{", "[", "null", "-1", "{}", "$ref", "'"][random.next(7)].utf8, at: place)
                    }
                }
                guard let root = try? ManifestReader.node(of: String(decoding: changed, as: UTF8.self)) else {
                    continue
                }
                guard let list = try? OpenAPIImport(root, .init(file: "x.yaml")) else { continue }
                #expect(!list.lines.isEmpty)
                for row in list.rows {
                    var one = options
                    one.streams = [row.name]
                    one.given.single = []
                    guard let made = try? OpenAPIImport(root, one) else { continue }
                    let written = made.text(database: "garner.db")
                    #expect(throws: Never.self, "\(written)") {
                        try Configuration(parsing: written, file: "x.yaml", environment: [:], needsSecrets: false)
                    }
                }
            }
        }
    }
}

/// Numbers that come in the same order each time.
private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns a number from 0 to one below a bound.
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(1, bound)))
    }
}
