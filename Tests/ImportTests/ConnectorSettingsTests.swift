import Testing

@testable import GarnerImport

struct ConnectorSettingsTests {
    private let spec = """
        type: object
        required: [token, account, login, since]
        properties:
          token: { type: string, title: API Token, airbyte_secret: true }
          account: { type: string, title: Account, examples: [acme] }
          since: { type: string, title: Since, format: date-time }
          size: { type: integer, default: 50 }
          lists: { type: array, items: { type: string } }
          number: { type: string }
          hidden: { type: string }
          code: { type: string, pattern: "^[a-z]+$", pattern_descriptor: letters }
          slow: { type: string, pattern: "^(([a-z])+)+$" }
          login:
            type: object
            title: Login
            oneOf:
              - { title: Key, required: [key], properties: { kind: { const: key }, key: { type: string, airbyte_secret: true } } }
              - { title: Password, required: [user], properties: { kind: { const: password }, user: { type: string, title: User } } }
        """

    private func settings(
        _ single: [(String, String)] = [], values: String? = nil, tokens: Set<String> = []
    ) throws -> ConnectorSettings {
        try ConnectorSettings(
            ManifestReader.node(of: spec),
            given: ConnectorSettings.Given(
                values: try values.map { try ManifestReader.node(of: $0) },
                single: single.map { (name: $0.0, text: $0.1) }),
            tokens: tokens, prefix: "zoo")
    }

    private func message(_ read: () throws -> Void) -> String {
        do {
            try read()
            return "no error"
        } catch { return (error as? ManifestError)?.message ?? "another error" }
    }

    @Test func `what is missing is listed at once, and a secret is not`() throws {
        let settings = try settings()
        #expect(settings.missing.map(\.name) == ["account", "since"])
        #expect(
            settings.error?.message
                == """
                the connector needs settings that are not given: account (Account), since (Since); \
                add --set account=acme --set since=2024-01-01T00:00:00Z or --values FILE
                """)
        #expect(settings.config["token"] == .secret("ZOO_TOKEN"))
        #expect(settings.config["size"] == .integer(50))
        #expect(settings.secrets.map(\.variable) == ["ZOO_TOKEN", "ZOO_KEY"])
    }

    @Test func `no secret of a settings file is kept, but a plain value is taken where one is given by hand`() throws {
        let values = "{ token: canary, hidden: canary, api_key: canary, login: { kind: key, key: canary } }"
        let read = try settings(values: values, tokens: ["hidden"])
        #expect(!"\(read.config)".contains("canary"))
        #expect(read.config["hidden"] == .secret("ZOO_HIDDEN"))
        #expect(read.config["api_key"] == .secret("ZOO_API_KEY"))
        let told = try settings([("token", "account-5"), ("code", "ab")])
        #expect(told.config["token"] == .text("account-5"))
        #expect(told.shownSecrets == ["token"])
        #expect(read.shownSecrets.isEmpty)
    }

    @Test func `of alternatives the given one counts, else the first`() throws {
        let first = try settings()
        #expect(first.config["login"]["kind"] == .text("key"))
        #expect(first.choices.map(\.others) == [["Password"]])
        #expect(first.choices.first?.setting == "login.kind=password")
        for settings in [
            try settings([("login.kind", "password"), ("login.user", "me")]),
            try settings(values: "{ login: { kind: password, user: me } }"), try settings([("login.user", "me")]),
        ] {
            #expect(settings.config["login"]["kind"] == .text("password"))
            #expect(settings.config["login"]["user"] == .text("me"))
            #expect(settings.config["login"]["key"] == .missing)
        }
    }

    @Test func `of alternatives the first one without code counts`() throws {
        let spec = try ManifestReader.node(of: self.spec)
        let usual = try ConnectorSettings(spec, codes: ["login.kind=key"])
        #expect(usual.config["login"]["kind"] == .text("password"))
        #expect(usual.choices.first?.others == ["Key"])
        let given = ConnectorSettings.Given(single: [(name: "login.kind", text: "key")])
        #expect(try ConnectorSettings(spec, given: given, codes: ["login.kind=key"]).choices.first?.chosen == "Key")
    }

    @Test func `the choices that need code are those of custom authenticators`() throws {
        let manifest = try Manifest(
            ManifestReader.node(
                of: """
                    version: 6.0.0
                    type: DeclarativeSource
                    streams:
                      - name: animals
                        retriever:
                          requester:
                            authenticator:
                              type: SelectiveAuthenticator
                              authenticator_selection_path: [login, kind]
                              authenticators:
                                oauth: { type: CustomAuthenticator, class_name: source_zoo.Login }
                                token: { type: BearerAuthenticator, api_token: "{{ config['login']['key'] }}" }
                    """))
        #expect(SettingsInUse(manifest).codes == ["login.kind=oauth"])
    }

    @Test func `an object is no secret, also where an authenticator asks whether it is there`() throws {
        let settings = try settings(tokens: ["login", "login.key"])
        #expect(settings.config["login"]["kind"] == .text("key"))
        #expect(settings.config["login"]["key"] == .secret("ZOO_KEY"))
    }

    @Test func `values have the types of the specification`() throws {
        let settings = try settings([("size", "7"), ("lists", "a, b"), ("number", "007")], values: "{ account: 12 }")
        #expect(settings.config["size"] == .integer(7))
        #expect(settings.config["lists"] == .list([.text("a"), .text("b")]))
        #expect(settings.config["number"] == .text("007"))
        #expect(settings.config["account"] == .text("12"))
    }

    @Test(arguments: [
        ("size", "x", "--set size is no integer; write --set size=1"),
        ("acount", "x", "the connector has no setting 'acount'; did you mean 'account'?"),
        (
            "since", "yesterday",
            "the value of 'since' is no date-time; write --set since=2024-01-01T00:00:00Z, for example"
        ),
        (
            "code", "A1",
            "the value of 'code' does not match the pattern ^[a-z]+$; write --set code=letters, for example"
        ),
    ])
    func `a wrong setting is told`(name: String, text: String, expected: String) {
        #expect(message { _ = try settings([(name, text)]) } == expected)
    }

    /// What is told is taken, whatever of the specification contradicts itself.
    @Test(arguments: [
        ("format: date, pattern: '^[0-9]{2}-[0-9]{2}-[0-9]{4}$'", "01-01-2024"),
        ("format: date-time, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'", "2024-01-01"),
        ("pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$'", "2024-01-01T00:00:00Z"),
        ("format: date-time", "2024-01-01T00:00:00Z"), ("format: date", "2024-01-01"), ("title: a", "…"),
        ("pattern: '^[A-Z0-9]*$'", "EXAMPLE"), ("pattern: '^[0-9]+$'", "1"),
        ("pattern: '^[a-z]+$', examples: [A1, ab]", "ab"),
        ("pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'", "2024-01-01"),
        ("examples: ['<your-zoo>.example.com']", "your-zoo.example.com"),
    ])
    func `an example is one that the specification takes`(schema: String, example: String) throws {
        let spec = try ManifestReader.node(of: "{ required: [a], properties: { a: { type: string, \(schema) } } }")
        let missing = try ConnectorSettings(spec).missing
        #expect(missing.map(\.example) == [example])
        for setting in missing {
            let given = try ConnectorSettings(spec, given: .init(single: [(setting.name, setting.example)]))
            #expect(given.config["a"] == .text(example))
        }
    }

    @Test(arguments: [
        ("'{{ config.a }}'", "1704067200"), ("{ datetime: '{{ config[\"a\"] }}' }", "1704067200"),
        ("{ datetime: '{{ config.a }}', datetime_format: '%d/%m/%Y' }", "01/01/2024"),
        ("'{{ format_datetime(config.a, \"%s\") }}'", "2024-01-01T00:00:00Z"),
    ])
    func `without a specification, the example of a start has the format that is read`(
        start: String, example: String
    ) throws {
        let manifest = try Manifest(
            ManifestReader.node(
                of: "streams: [{ name: a, incremental_sync: { start_datetime: \(start), datetime_format: '%s' } }]"))
        #expect(try ConnectorSettings(SettingsInUse(manifest).specification).missing.map(\.example) == [example])
    }

    @Test func `names of the file are quoted in what is to be pasted`() throws {
        let spec = try ManifestReader.node(
            of: """
                required: ["a;id>x;"]
                properties:
                  "a;id>x;": { type: integer }
                  "b;id>x;": { type: string, pattern: "^[0-9]+$", examples: ["1"] }
                  "c;id>x;":
                    oneOf:
                      - { properties: { "k'": { const: d } } }
                      - { properties: { "k'": { const: e } } }
                """)
        func read(_ single: [(name: String, text: String)] = []) throws -> ConnectorSettings {
            try ConnectorSettings(spec, given: .init(single: single))
        }
        #expect(try read().error?.advice == "add --set 'a;id>x;'=1 or --values FILE")
        #expect(try read().choices.first?.setting == #"'c;id>x;.k'\'''=e"#)
        #expect(message { _ = try read([("a;id>x;", "z")]) }.contains("write --set 'a;id>x;'=1"))
        #expect(message { _ = try read([("b;id>x;", "z")]) }.contains("write --set 'b;id>x;'=1, for example"))
    }

    @Test(arguments: [
        ("since", "2024-01-01"), ("code", "ab"), ("code", ""), ("slow", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"),
    ])
    func `a value that may be right is taken`(name: String, text: String) throws {
        #expect(try settings([(name, text)]).config[name] == .text(text))
        #expect(try settings(values: "{ \(name): '\(text)' }").config[name] == .text(text))
    }

    @Test(arguments: [
        ("apiKey", "", "API_KEY"), ("api-key", "acme", "ACME_API_KEY"), ("2fa", "", "KEY_2FA"), ("a.b", "", "A_B"),
    ])
    func `a variable has a name of letters, digits and underscores`(name: String, prefix: String, expected: String) {
        #expect(ConnectorSettings.variable(name, prefix) == expected)
    }

    @Test func `without a specification the settings are those that texts use`() throws {
        let manifest = try Manifest(
            ManifestReader.node(
                of: """
                    version: 0.50.0
                    type: DeclarativeSource
                    streams:
                      - name: "{{ config['account'] }}/{{ config.get('size', 5) }}/{{ config['place'].city }}"
                        retriever:
                          requester:
                            path: "{{ config['api_key'] }}{{ config['page'] or 1 }}"
                            authenticator: { type: BearerAuthenticator, api_token: "{{ config['login']['code'] }}" }
                    """))
        let used = SettingsInUse(manifest)
        #expect(used.tokens == ["login.code"])
        #expect(used.required == ["account", "place.city", "api_key", "login.code"])
        let settings = try ConnectorSettings(used.specification, tokens: used.tokens)
        #expect(settings.missing.map(\.name) == ["account", "place.city"])
        #expect(settings.secrets.map(\.variable) == ["API_KEY", "CODE"])
    }

    @Test func `a file that uses countless settings ends`() throws {
        let texts = (0..<600).map { "{{ config.a\($0) }}{{ config.b\($0) or 1 }}" }.joined()
        let manifest = try Manifest(ManifestReader.node(of: "streams: [{ name: \"\(texts)\" }]"))
        let used = SettingsInUse(manifest)
        #expect((used.required.count, used.optional.count) == (500, 500))
        #expect(try ConnectorSettings(used.specification).missing.count == 500)
    }

    @Test func `two settings of one name have variables of their own`() throws {
        let spec = try ManifestReader.node(
            of: """
                required: [a, b]
                properties:
                  a: { required: [key], properties: { key: { type: string, airbyte_secret: true } } }
                  b: { required: [key], properties: { key: { type: string, airbyte_secret: true } } }
                """)
        let settings = try ConnectorSettings(spec)
        #expect(settings.secrets.map(\.variable) == ["KEY", "B_KEY"])
    }

    @Test(
        arguments: [
            ("config['a'] or 'x'", [], ["a"]), ("1 if config['a'] else 2", [], ["a"]),
            ("config.get('a', 'b.c')", [], ["a"]), ("config.get('a', {}).get('b')", [], ["a.b"]),
            ("config['a']['b'] | default('x')", [], ["a.b"]), ("config['a'].replace('-', '')", ["a"], []),
            ("config.a.lower()", ["a"], []), ("config.get('a').upper()", [], ["a"]),
            ("config['a'] ~ (config['b'] or config['a'])", ["a"], ["b"]), ("config.get('a', now_utc())", [], ["a"]),
            ("config", [], []), ("my_config['a']", [], []),
        ] as [(String, [String], [String])])
    func `all settings that a text uses are known, and those that it can do without are optional`(
        text: String, required: [String], optional: [String]
    ) throws {
        let manifest = try Manifest(
            ManifestReader.node(
                of: """
                    version: 0.50.0
                    type: DeclarativeSource
                    streams: [{ name: a, retriever: { requester: { path: "{{ \(text) }}" } } }]
                    """))
        let used = SettingsInUse(manifest)
        #expect(used.required == required)
        #expect(used.optional == optional)
        #expect(try ConnectorSettings(used.specification).missing.map(\.name) == required)
        let names = required + optional
        let given = ConnectorSettings.Given(single: names.map { ($0, "1") })
        #expect(try ConnectorSettings(used.specification, given: given).missing.isEmpty)
        #expect(throws: ManifestError.self) {
            try ConnectorSettings(used.specification, given: ConnectorSettings.Given(single: [("nosuch", "1")]))
        }
    }
}
