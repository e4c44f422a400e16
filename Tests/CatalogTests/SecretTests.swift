import GarnerCatalog
import Foundation
import Testing

struct SecretTests {
    private let environment = [
        "TOKEN": "hunter2", "USER": "me", "EMPTY": "", "BROKEN": "hunter2\nX-Evil: 1", "ENDED": "hunter2\r\n",
    ]
    private static let unnamed = "'headers.X-Any' has '${…}' without the name of a variable"

    @Test(arguments: [
        ("\"${TOKEN}\"", "hunter2"), ("${TOKEN}", "hunter2"), ("Bearer ${TOKEN}", "Bearer hunter2"),
        ("${USER}:${TOKEN}!", "me:hunter2!"), ("$$${TOKEN}$$", "$hunter2$"), ("$5 ${TOKEN}", "$5 hunter2"),
        ("${TOKEN}\u{301}", "hunter2\u{301}"),
    ])
    func `a variable makes the text a secret`(written: String, expected: String) throws {
        let stream = try Fixture.stream(
            "headers: { X-Any: 1 }\nparams:\n  q: \(written)", environment: environment)
        let value = try #require(stream.request.params.first?.value)
        #expect(value == .secret(Secret(expected)))
        #expect("\(value)" == "***")
    }

    @Test(arguments: [
        ("a$$b", "a$b"), ("$$", "$"), ("$$${}", nil), ("$", "$"), ("$top", "$top"), ("$${TOKEN}", "${TOKEN}"),
        ("$$\u{301}", "$\u{301}"),
    ])
    func `two dollars are one, and make no secret`(written: String, expected: String?) throws {
        let lines = "params:\n  q: '\(written)'"
        guard let expected else {
            #expect(Fixture.issues(Fixture.streamText(lines)).count == 1)
            return
        }
        #expect(try Fixture.stream(lines).request.params.map(\.value) == [.literal(expected)])
    }

    @Test(arguments: ["'${NOWHERE}'", "'${EMPTY}'", "{ file: no/such/file }"])
    func `what is read without requests needs no secret`(written: String) throws {
        let text = Fixture.streamText("auth: { type: bearer, token: \(written) }")
        #expect(try Fixture.parse(text, environment: environment).streams.map(\.missing.count) == [1])
        let stored = try Configuration(
            parsing: text, file: "garner.yaml", environment: environment, needsSecrets: false)
        #expect(stored.streams.count == 1)
    }

    @Test func `a variable that names the database is needed in any case`() throws {
        let text = "version: 1\ndatabase: '${DATA}/x.db'\nsources: {}\n"
        #expect(try Fixture.parse(text, environment: ["DATA": "/data"]).database == "/data/x.db")
        for needsSecrets in [true, false] {
            #expect(throws: ConfigurationError.self) {
                try Configuration(
                    parsing: text, file: "garner.yaml", environment: environment, needsSecrets: needsSecrets)
            }
        }
    }

    @Test(arguments: [
        ("'${NOWHERE}'", "environment variable 'NOWHERE' is not set", "export NOWHERE=…"),
        ("'${EMPTY}'", "environment variable 'EMPTY' is empty", "export EMPTY=…"),
        ("'${TOKEN'", "'headers.X-Any' has '${' without '}'", "${NAME}"),
        ("'${}'", Self.unnamed, "${NAME}"), ("'${a-b}'", Self.unnamed, "${NAME}"),
        ("'${NOWHERE:-x}'", Self.unnamed, "write ${NOWHERE}, and export NOWHERE=…: a variable has no default here"),
        ("'${env:TOKEN}'", Self.unnamed, "write ${TOKEN}"), ("'${{ secrets.TOKEN }}'", Self.unnamed, "write ${TOKEN}"),
        (
            "'${ENDED}'", "'headers.X-Any' holds a line break or another control character",
            "remove the line break at its end: export ENDED=\"$(printf %s \"$ENDED\" | tr -d '\\r\\n')\""
        ),
        (
            "'${BROKEN}'", "'headers.X-Any' holds a line break or another control character",
            "one line of text; put only the line that is meant into BROKEN: export BROKEN=…"
        ),
        ("\"a\\nb\"", "'headers.X-Any' holds a line break or another control character", "one line"),
        ("\"a\\rb\"", "'headers.X-Any' holds a line break or another control character", "one line"),
        ("\"a\\0b\"", "'headers.X-Any' holds a line break or another control character", "one line"),
        (
            "{ env: TOKEN }", "'headers.X-Any' is a mapping, and a variable is written as a text", "write \"${TOKEN}\""
        ),
        ("[a]", "'headers.X-Any' must be text, not a list", "{ file: path }"),
        ("", "'headers.X-Any' must be text, not empty", "{ file: path }"),
        ("{ file: no/such/file }", "the file of 'headers.X-Any' does not exist", "folder/no/such/file"),
        (
            "{ file: / }",
            "the file of 'headers.X-Any' cannot be read: it is a pipe, a device or the like instead of a file", "/"
        ),
        ("{ fiel: x }", "unknown key 'fiel'", "did you mean 'file'?"),
    ])
    func `a secret that cannot be had is an issue`(written: String, message: String, hint: String) throws {
        let issues = Fixture.issues(Fixture.streamText("headers:\n  X-Any: \(written)"), environment: environment)
        #expect(issues.first?.message == message)
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
        #expect(!"\(issues)".contains("hunter2"))
    }

    @Test(arguments: [
        ("\"hunter2\"", "a variable in 'auth.token' is in quotes, which is sent, too"),
        ("'hunter2'", "a variable in 'auth.token' is in quotes, which is sent, too"),
        ("hunter2 ", "a variable in 'auth.token' begins or ends with a blank, which is sent, too"),
        ("hunter2\u{200B}", "'auth.token' holds U+200B (zero width space), which nobody sees and which is sent, too"),
        ("hunter2", nil), ("hunter\"2", nil),
    ])
    func `what a shell has added to a token is told of`(token: String, message: String?) throws {
        let text = Fixture.streamText("auth: { type: bearer, token: \"${T}\" }")
        let warnings = try Fixture.parse(text, environment: ["T": token]).warnings
        #expect(warnings.map(\.message) == [message].compactMap(\.self))
        #expect(!"\(warnings)".contains("hunter"))
    }

    @Test(arguments: [
        (
            "auth: { type: bearer, token: \"${T}\" }", "\u{FEFF}hunter2", "'auth.token' holds U+FEFF",
            "; or: export T=\""
        ),
        ("auth: { type: bearer, token: \"${T}\" }", "hunter2\u{A0}", "'auth.token' holds U+00A0", "where T is set"),
        ("auth: { type: bearer, token: \"${T}\" }", "é\u{AD}hunter2", "'auth.token' holds U+00AD", "where T is set"),
        (
            "auth: { type: http_basic, username: \"a\\u200E\" }", "", "'auth.username' holds U+200E",
            "type the text anew"
        ),
        (
            "auth: { type: http_basic, username: a, password: \"${T}\" }", "hunter2\n",
            "'auth.password' holds U+000A (line break)", "tr -cd ' -~')\""
        ),
        ("headers: { X-Any: \"a\\u2060b\" }", "", "'headers.X-Any' holds U+2060", "type the text anew"),
        ("params: { q: \"${T}\" }", "a\u{1}b", "'params.q' holds U+0001", "export T="),
        ("params: { q: \"a\\n\" }", "", nil, ""), ("json: { q: \"a\\u00A0b\" }", "", nil, ""),
        ("params: { q: \"\u{1F468}\u{200D}\u{1F469}é\" }", "", nil, ""),
    ])
    func `a character that nobody sees is named with its way out`(
        lines: String, variable: String, message: String?, hint: String
    ) throws {
        let warnings = try Fixture.parse(Fixture.streamText(lines), environment: ["T": variable]).warnings
        #expect(warnings.count == (message == nil ? 0 : 1), "\(warnings)")
        #expect(warnings.first?.message.hasPrefix(message ?? "") ?? true, "\(warnings)")
        #expect(warnings.first?.hint?.contains(hint) ?? true, "\(warnings)")
        #expect(!"\(warnings)".contains("hunter"))
    }

    @Test(arguments: [
        "flatten_depth: ${TOKEN}", "max_delete_ratio: ${TOKEN}", "allow_private_network: ${TOKEN}",
        "record_selector: \"$.${TOKEN}\"",
        "schedule: { every: \"${TOKEN}\" }",
        "primary_key: [\"${TOKEN}\"]", "auth: { type: \"${TOKEN}\" }",
        "paginator: { type: header_link, rel: \"${TOKEN}\" }",
        "params: { \"${TOKEN}\": x }", "json: { \"${TOKEN}\": x }", "partitions: { a: \"${TOKEN}\" }",
        "auth: { type: api_key, name: \"${TOKEN}\", value: \"${TOKEN}\" }",
    ])
    func `a variable anywhere else is refused, and the place told where it may stand`(lines: String) {
        let issues = Fixture.issues(Fixture.streamText(lines), environment: environment)
        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("cannot hold '${…}'") == true, "\(issues)")
        #expect(issues.first?.hint?.contains("headers, params and auth") == true)
    }

    @Test func `variables that everybody may see are inserted into base_url, path and table`() throws {
        let text = """
            version: 1
            sources:
              zoo:
                base_url: "https://${HOST}/v1/"
                streams:
                  animals: { path: "${PLACE}/animals/{partition.kind}", table: "animals_${PLACE}", partitions: { kind: [a] } }
            """
        let configuration = try Fixture.parse(text, environment: ["HOST": "zoo.example", "PLACE": "bern"])
        let stream = try #require(configuration.streams.first)
        #expect(stream.request.baseURL == "https://zoo.example/v1/")
        #expect(stream.request.path == "bern/animals/{partition.kind}")
        #expect(stream.table == "animals_bern")
        #expect("\(configuration.effective)".contains("zoo.example"))
        #expect(
            Fixture.issues(text, environment: ["HOST": "zoo.example"]).map(\.message)
                == Array(repeating: "environment variable 'PLACE' is not set", count: 2))
        #expect(
            Fixture.issues(text, environment: ["HOST": "zoo.example", "PLACE": "{parent.id}"]).first?.message
                == "a variable of 'path' holds a brace")
    }

    @Test(arguments: [
        ("table: \"a${API_TOKEN}\"", "'table' would show the variable 'API_TOKEN', whose name is that of a secret"),
        (
            "table: \"a_${TENANT}\"\nheaders: { X-Any: \"${TENANT}\" }",
            "'table' would show the variable 'TENANT', which is a secret elsewhere"
        ),
        (
            "table: \"a_${TENANT}\"\npath: \"/${TENANT}/x\"\nheaders: { X-Any: \"${TENANT}\" }",
            "'table' would show the variable 'TENANT', which is a secret elsewhere"
        ),
    ])
    func `a variable that is a secret is not shown`(lines: String, message: String) {
        let issues = Fixture.issues(
            Fixture.streamText(lines), environment: ["API_TOKEN": "hunter2", "TENANT": "hunter2"])
        #expect(issues.map(\.message) == [message])
        #expect(!"\(issues)".contains("hunter2"))
    }

    @Test func `a secret in a file is read from the folder of the configuration`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("garner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("hunter2\r\n".utf8).write(to: folder.appendingPathComponent("token.txt"))
        try Data("\n".utf8).write(to: folder.appendingPathComponent("empty.txt"))
        try Data([0x68, 0xFF]).write(to: folder.appendingPathComponent("binary.txt"))
        func text(_ file: String) -> String {
            Fixture.sourceText("auth: { type: bearer, token: { file: \(file) } }")
        }

        let configuration = try Fixture.parse(text("token.txt"), file: folder.path + "/garner.yaml")
        #expect(configuration.streams.map(\.request.authentication) == [.bearer(token: Secret("hunter2"))])
        #expect(configuration.warnings.isEmpty)

        try Data("API_TOKEN=hunter2\n".utf8).write(to: folder.appendingPathComponent("named.txt"))
        let named = try Fixture.parse(text("named.txt"), file: folder.path + "/garner.yaml").warnings
        #expect(
            named.map(\.message) == [
                "the file of 'auth.token' seems to have a name and '=' before the secret, which are sent, too"
            ])
        #expect(!"\(named)".contains("hunter2") && !"\(named)".contains("API_TOKEN"))

        try Data("hunter2\u{200B}\n".utf8).write(to: folder.appendingPathComponent("copied.txt"))
        let copied = try Fixture.parse(text("copied.txt"), file: folder.path + "/garner.yaml").warnings
        let path = folder.path + "/copied.txt"
        #expect(
            copied.map(\.hint) == [
                "remove it from \(path); or: printf %s \"$(LC_ALL=C tr -cd ' -~' < \(path))\" > \(path)"
            ])
        try Data("hunter2\nX-Evil: 1".utf8).write(to: folder.appendingPathComponent("lines.txt"))
        let lines = Fixture.issues(text(folder.path + "/lines.txt"))
        #expect(lines.first?.hint?.hasSuffix("leave only the line that is meant in \(folder.path)/lines.txt") == true)

        // Reading a pipe would wait until somebody writes to it.
        #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
        for (file, message) in [
            ("empty.txt", "is empty"), ("binary.txt", "cannot be read: it is not UTF-8 text (line 1)"),
            ("pipe", "cannot be read: it is a pipe, a device or the like instead of a file"),
        ] {
            let missing = try Fixture.parse(text(file), file: folder.path + "/garner.yaml").missing
            #expect(missing.map(\.message) == ["the file of 'auth.token' \(message)"])
        }
    }

    @Test(arguments: [
        ("auth: { type: bearer, token: hunter2 }", "auth.token"),
        ("auth: { type: http_basic, username: me, password: hunter2 }", "auth.password"),
        ("auth: { type: api_key, name: X-Key, value: hunter2 }", "auth.value"),
        ("headers: { Authorization: hunter2 }", "headers.Authorization"),
        ("headers: { x-API-key: hunter2 }", "headers.x-API-key"), ("headers: { Cookie: hunter2 }", "headers.Cookie"),
        ("params: { api_key: hunter2 }", "params.api_key"),
        ("params: { access-token: hunter2 }", "params.access-token"), ("params: { sig: hunter2 }", "params.sig"),
        ("params: { key: hunter2hunter2 }", "params.key"), ("params: { Token: hunter2hunter2 }", "params.Token"),
    ])
    func `a literal secret is a warning, and a secret all the same`(lines: String, name: String) throws {
        let configuration = try Fixture.parse(Fixture.streamText(lines))
        #expect(configuration.warnings.map(\.message) == ["'\(name)' holds a secret in plain text"])
        #expect(configuration.warnings.first?.place.line == 7)
        #expect(!"\(configuration)".contains("hunter2"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test(arguments: [("API_TOKEN=s3cret-token", true), ("s3cret-token=", false), ("s3cret", false)])
    func `a name before a secret in a variable is told of`(variable: String, isTold: Bool) throws {
        let configuration = try Fixture.parse(
            Fixture.streamText("auth: { type: bearer, token: \"${API_TOKEN}\" }"), environment: ["API_TOKEN": variable])
        let told = configuration.warnings.contains { $0.message.contains("seems to have a name and '='") }
        #expect(told == isTold, "\(configuration.warnings)")
    }

    @Test(arguments: [
        ("pa #ss", true), ("pä\t#ss", true), ("pass # of the test", false), ("\"pa #ss\"", false), ("pa#ss", false),
        ("pass ## old", false), ("pass", false),
    ])
    func `a secret that a comment cuts is told so`(written: String, isCut: Bool) throws {
        let configuration = try Fixture.parse(
            Fixture.streamText("auth:\n  type: http_basic\n  username: joe\n  password: \(written)"))
        let warning = try #require(configuration.warnings.first)
        #expect(warning.message.contains("which ends before ' #'") == isCut, "\(warning)")
        #expect(warning.hint?.contains("put it into quotes") == isCut, "\(warning)")
    }

    @Test(arguments: [("a?api_key=x&b=1", "api_key"), ("a?b=1&t%6Fken=hunter2hunter2", "token")])
    func `a secret in the query of a path is a warning`(path: String, name: String) throws {
        let configuration = try Fixture.parse(Fixture.streamText("path: \(path)"))
        #expect(
            configuration.warnings.map(\.message)
                == ["'path' holds a secret in plain text, the parameter '\(name)'"])
    }

    @Test func `what is no secret stays readable and warns of nothing`() throws {
        let configuration = try Fixture.parse(
            Fixture.streamText(
                "headers: { Accept: application/json }\npath: a?key=lion\nparams: { page: 1, name: lion }"))
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.streams.first?.request.headers.map(\.value) == [.literal("application/json")])
    }

    @Test(arguments: [
        "base_url: https://me:hunter2@example.com", "base_url: hunter2", "base_url: { hunter2: 1 }", "auth: hunter2",
        "auth: { type: bearer, token: [hunter2] }", "auth: { type: bearer, token: \"hunter2\\n\" }", "headers: hunter2",
        "headers: { \"hunter2\\n\": x }", "headers: { \"Authorization: hunter2\": x }",
        "auth: { type: http_basic, username: \"hunter2:\", password: hunter2 }",
    ])
    func `no issue shows what may be a secret`(lines: String) {
        let text = "version: 1\nsources:\n  zoo:\n    \(lines)\n    streams: { a: { path: \"/a#b\" } }"
        let issues = Fixture.issues(text)
        #expect(!issues.isEmpty)
        #expect(!"\(issues)".contains("hunter2"), "\(issues)")
    }

    @Test func `neither broken YAML nor a duplicate key shows the file`() {
        for text in ["version: 1\ntoken: hunter2\n  x: [", "version: 1\nsources: { a: hunter2, a: hunter2 }"] {
            let issues = Fixture.issues(text)
            #expect(issues.count == 1)
            #expect(!"\(issues)".contains("hunter2"), "\(issues)")
        }
    }
}
