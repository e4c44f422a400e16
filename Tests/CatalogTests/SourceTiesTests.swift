import GarnerModel
import Testing

@testable import GarnerCatalog

struct SourceTiesTests {
    private static let head = "version: 1\nsources:\n"

    /// A source with one stream of its name and these lines.
    private static func source(
        _ name: String, host: String? = nil, _ lines: [String] = [], stream: String = "", path: String = ""
    )
        -> String
    {
        "  \(name):\n    base_url: https://\(host ?? name).example.com/\n"
            + lines.map { "    \($0)\n" }.joined()
            + "    streams: { \(name)s: { path: \"/\(name)\(path)\"\(stream.isEmpty ? "" : ", \(stream)") } }\n"
    }

    private static func groups(_ sources: String...) throws -> [[String]] {
        try Fixture.parse(head + sources.joined(), environment: ["T": "token"]).groups
    }

    private static func refreshing(_ more: String = "") -> [String] {
        [
            "auth: { type: oauth2, grant_type: refresh_token, token_url: \"https://login.example.com/\", "
                + "client_id: me, refresh_token: \"${T}\"\(more) }"
        ]
    }

    @Test func `sources that share nothing are groups of their own, in the order of the file`() throws {
        #expect(
            try Self.groups(Self.source("zoo"), Self.source("bank"), Self.source("park")) == [
                ["zoo"], ["bank"], ["park"],
            ])
    }

    @Test func `a parent, SQL over a table, a host and a login make a group`() throws {
        let zoo = Self.source("zoo")
        #expect(
            try Self.groups(
                zoo, Self.source("bank"), Self.source("park", stream: "parent: zoo.zoos", path: "/{parent.id}"))
                == [["zoo", "park"], ["bank"]])
        #expect(
            try Self.groups(
                zoo,
                Self.source(
                    "park", stream: "partitions: { id: { query: \"SELECT id FROM Zoos\" } }", path: "/{partition.id}"))
                == [["zoo", "park"]])
        #expect(
            try Self.groups(zoo, Self.source("bank"), Self.source("park", host: "ZOO")) == [["zoo", "park"], ["bank"]])
        // Clients that differ in their scopes share one refresh token.
        #expect(
            try Self.groups(
                Self.source("zoo", Self.refreshing()), Self.source("park", Self.refreshing(", scopes: [all]")))
                == [["zoo", "park"]])
        let command = ["auth: { type: command, run: [token, zoo] }"]
        #expect(try Self.groups(Self.source("zoo", command), Self.source("park", command)) == [["zoo", "park"]])
    }

    @Test func `what several processes may have at once makes no group`() throws {
        let bearer = ["auth: { type: bearer, token: \"${T}\" }"]
        #expect(try Self.groups(Self.source("zoo", bearer), Self.source("park", bearer)).count == 2)
        // The path of the login follows the base URL of each.
        let session = ["auth: { type: session_token, request: { path: /login }, take: { token: $.token } }"]
        #expect(try Self.groups(Self.source("zoo", session), Self.source("park", session)).count == 2)
        let url = [
            "auth: { type: session_token, request: { url: \"https://l.example.com/\" }, take: { token: $.token } }"
        ]
        #expect(try Self.groups(Self.source("zoo", url), Self.source("park", url)) == [["zoo", "park"]])
    }

    @Test func `groups that have one source in common are one group`() throws {
        #expect(
            try Self.groups(
                Self.source("a"), Self.source("b", host: "x"),
                Self.source("c", host: "y", stream: "parent: a.as", path: "/{parent.id}"),
                Self.source("d"), Self.source("e", host: "x", stream: "parent: c.cs", path: "/{parent.id}")) == [
                    ["a", "b", "c", "e"], ["d"],
                ])
    }

    @Test func `a part of a configuration has the streams of its sources, and knows what they need elsewhere`() throws {
        let whole = try Fixture.parse(
            Self.head + Self.source("zoo") + Self.source("park", stream: "parent: zoo.zoos", path: "/{parent.id}")
                + Self.source("bank"))
        let part = whole.restricted(to: ["park", "bank"], places: ["zoo": 3, "park": 1])
        #expect(part.streams.map(\.name.description) == ["park.parks", "bank.banks"])
        #expect(part.digest == whole.digest && part.place == whole.place)
        let zoos = try #require(StreamName(full: "zoo.zoos"))
        #expect(part.streams.map(\.elsewhere) == [[zoos: "garner workers move park 3"], [:]])
        #expect(whole.restricted(to: ["park", "zoo"]).streams.map(\.elsewhere) == [[:], [:]])
    }
}

struct ShardNumberTests {
    private static func configuration(_ url: String) throws -> Configuration {
        try Fixture.parse("version: 1\ndatabase: \"\(url)\"\nsources: {}\n")
    }

    @Test func `the number of shards is ours, and not the client library's`() throws {
        let url = "postgresql://me:pw@db.example/app"
        let plain = try Self.configuration(url)
        for (options, shards, rest) in [
            ("?shards=3", 3, ""), ("?sslmode=require&shards=10", 10, "?sslmode=require"),
            ("?shards=1&application_name=x", 1, "?application_name=x"),
        ] {
            let server = try #require(try Self.configuration(url + options).place.server)
            #expect(server.shards == shards && server.url.reveal() == url + rest)
        }
        #expect(plain.place.server?.shards == nil && plain.place.server?.url.reveal() == url)
        #expect(try Self.configuration(url + "?shards=3").database == plain.database)
        #expect(try Fixture.parse("version: 1\nsources: {}\n").place.server == nil)
    }

    @Test(arguments: ["0", "11", "-1", "all", "", "99999999999999999999"])
    func `a number of shards that there cannot be is refused`(number: String) {
        let issues = Fixture.issues(
            "version: 1\ndatabase: \"postgresql://db.example/app?shards=\(number)\"\nsources: {}\n")
        #expect(issues.map(\.message) == ["'database' asks for a number of shards that there cannot be"])
    }
}
