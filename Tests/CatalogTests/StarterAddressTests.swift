import GarnerModel
import Testing

@testable import GarnerCatalog

struct StarterAddressTests {
    @Test(arguments: [
        ("https://api.example.com/v1/items", "example.items", "https://api.example.com/v1/", "items"),
        ("https://pokeapi.co/api/v2/berry/", "pokeapi.berry", "https://pokeapi.co/api/v2/", "berry/"),
        ("https://api.example.com", "example.records", "https://api.example.com/", ""),
        ("http://localhost:8080/", "localhost.records", "http://localhost:8080/", ""),
        ("http://127.0.0.1:8080/a.json", "api.a", "http://127.0.0.1:8080/", "a.json"),
        ("https://data.shop.co.uk/orders", "shop.orders", "https://data.shop.co.uk/", "orders"),
        ("https://x.org/berry/1/", "x.berry", "https://x.org/berry/", "1/"),
        ("https://x.org/2024", "x.records", "https://x.org/", "2024"),
        ("https://x.org/null", "x.records", "https://x.org/", "null"),
        ("https://x.org/sqlite_a", "x.records", "https://x.org/", "sqlite_a"),
        ("https://x.org/a\"b", "x.a_b", "https://x.org/", "a%22b"),
        ("https://x.org/a%20b", "x.a_b", "https://x.org/", "a%20b"),
        ("https://x.org/http://", "x.http_", "https://x.org/http://", ""),
        ("https://x.org//a//b//", "x.b", "https://x.org//a//b//", ""),
        (
            "https://x.org/api/v2/incremental/tickets/cursor.json", "x.tickets",
            "https://x.org/api/v2/incremental/tickets/", "cursor.json"
        ),
        ("https://x.org/v1/databases/7/query", "x.databases", "https://x.org/v1/databases/7/", "query"),
        ("https://x.org/v2/search", "x.search", "https://x.org/v2/", "search"),
        ("http://[::1]:80/a#b", "api.a", "http://[::1]:80/", "a"),
    ])
    func `a URL gives names, a base and a path`(url: String, name: String, base: String, path: String) throws {
        let address = try #require(StarterAddress(url))
        #expect("\(address.source).\(address.stream)" == name)
        #expect(address.baseURL == base)
        #expect(address.path == path)
        let stream = try #require(try Fixture.parse(StarterFile(of: address).text).streams.first)
        #expect(stream.name.description == name)
        #expect(stream.request.baseURL == base && stream.request.path == path)
    }

    @Test(arguments: [
        ("https://x.org/v2/search", "tickets", "tickets"),
        ("https://x.org/tickets/search", "hits_of_all", "hits_of_all"),
        ("https://x.org/tickets", "rows", "tickets"), ("https://x.org/tickets/search", nil, "tickets"),
        ("https://x.org/tickets/search", "list", "tickets"), ("https://x.org", "tickets", "tickets"),
    ])
    func `a list gives its name where the URL says nothing of the records`(url: String, list: String?, name: String)
        throws
    {
        let findings = StarterFindings(
            recordSelector: .init(nil, ""), listName: list, primaryKey: .init(nil, ""), paginator: .init(.auto, ""))
        #expect(try #require(StarterAddress(url)).named(after: findings).stream == name)
        #expect(try #require(StarterAddress(url)?.named("mine")).named(after: findings).stream == "mine")
    }

    @Test(arguments: ["items", "ftp://x.org/", "https://user:password@x.org/", "https://", ""])
    func `what is no URL of an API has no address`(text: String) {
        #expect(StarterAddress(text) == nil)
    }

    @Test(arguments: [
        "page=3", "page=0", "offset=40", "skip=0", "%24skip=5", "page%5Bnumber%5D=2",
        "cursor=eyJhIjoxMjM0NTY3ODkwMTIzNH0",
        "pageToken=abc", "start=20", "_start=20", "after=abc", "starting_after=cus_1", "cursor=", "offset=-1",
    ])
    func `which page is meant is left to the paginator`(query: String) throws {
        let sorted = StarterQuery(query, source: "x")
        #expect(sorted.positions.count == 1)
        #expect(sorted.params.isEmpty && sorted.size == nil && sorted.secrets.isEmpty && sorted.unnamed == "")
    }

    @Test(arguments: [
        "sort=id", "after=2024-01-31", "start=2024-01-31T00:00:00Z", "start=1700000000", "page=about", "offset=+02:00",
        "from=20", "count=yes", "key=animals", "id=550e8400-e29b-41d4-a716-446655440000", "q=",
    ])
    func `what only looks like paging or a secret is sent as it is`(query: String) {
        let sorted = StarterQuery(query, source: "x")
        #expect(sorted.params.count == 1)
        #expect(sorted.positions.isEmpty && sorted.size == nil && sorted.secrets.isEmpty)
    }

    @Test(arguments: [
        ("limit=5", "limit", 5), ("per_page=100", "per_page", 100), ("perPage=1", "perPage", 1),
        ("%24top=7", "$top", 7),
        ("page%5Bsize%5D=9", "page[size]", 9), ("_limit=3", "_limit", 3), ("limit=5&count=8", "limit", 5),
        ("searchCriteria%5BpageSize%5D=9", "searchCriteria[pageSize]", 9),
    ])
    func `a size is kept`(query: String, name: String, value: Int) {
        #expect(StarterQuery(query, source: "x").size == .init(name: name, value: value))
    }

    @Test func `Magento's number of a page is one`() {
        #expect(ParameterRole(name: "searchCriteria[currentPage]", value: "1") == .page)
    }

    @Test(arguments: ["limit=0", "limit=-1", "limit=99999999999"])
    func `a size that none can be is left out`(query: String) {
        let sorted = StarterQuery(query, source: "x")
        #expect(sorted.size == nil && sorted.params.isEmpty)
        #expect(sorted.omitted == ["limit"])
    }

    private static let token = "s3cr3tA1b2C3d4E5f6G7h8I9"

    @Test(arguments: [
        ("api_key=zq9x", "api_key", "ZOO_API_KEY"), ("key=\(token)", "key", "ZOO_KEY"),
        ("appid=\(token)", "appid", "ZOO_APPID"), ("x%5By%5D=\(token)", "x[y]", "ZOO_X_Y_"),
        ("t=Bearer%20\(token)", "t", "ZOO_T"), ("api_key=%7B\(token)", "api_key", "ZOO_API_KEY"),
    ])
    func `a secret is a variable, and stands nowhere`(query: String, name: String, variable: String) throws {
        let address = try #require(StarterAddress("https://zoo.example/animals?\(query)&sort=id"))
        let secret = try #require(address.query.secrets.first)
        #expect(secret.name == name && secret.variable == variable)
        let text = StarterFile(of: address).text
        #expect(text.contains("\"${\(variable)}\""))
        #expect(!text.contains(secret.value.reveal()) && !text.contains(Self.token))
        let configuration = try Fixture.parse(text, environment: address.environment)
        let parameter = try #require(configuration.streams.first?.request.params.last)
        #expect(parameter == .init(name: name, value: .secret(secret.value)))
    }

    @Test(arguments: ["\(token)", "\(token)=1", "=\(token)", "api_key=\(token)&api_key=\(token)x", "%01=\(token)"])
    func `a secret that no parameter can hold is left out`(query: String) throws {
        let address = try #require(StarterAddress("https://zoo.example/animals?\(query)"))
        #expect(!address.query.omitted.isEmpty)
        let text = StarterFile(of: address).text
        #expect(!text.contains(Self.token))
        _ = try Fixture.parse(text, environment: address.environment)
    }

    @Test func `two secrets have two variables`() {
        let secrets = StarterQuery("api-key=ab&api_key=cd", source: "zoo").secrets
        #expect(secrets.map(\.variable) == ["ZOO_API_KEY", "ZOO_API_KEY_2"])
    }

    @Test(arguments: ["a=1&a=2", "flag", "a=%7Bb%7D", "a=%0A", "a=%FF", "=x"])
    func `what a mapping cannot hold stays in the path`(query: String) throws {
        let address = try #require(StarterAddress("https://zoo.example/animals?\(query)&sort=id"))
        #expect(address.path == "animals?\(query)")
        #expect(address.query.params == [.init(name: "sort", value: "id")])
    }

    @Test(arguments: [
        ("http://x.org/a", "https://x.org/a", "https://x.org/"),
        ("http://x.org/a", "http://x.org/b/a", "http://x.org/"),
        ("http://x.org/a", "https://www.x.org/v2/a", "https://www.x.org/v2/"),
        ("http://x.org/a?api_key=zq9x", "https://y.org/a", "http://x.org/"),
    ])
    func `a redirect to another origin is followed, but never with secrets`(url: String, source: String, base: String)
        throws
    {
        let address = try #require(StarterAddress(url)).moved(to: try #require(WebAddress(source)))
        #expect(address.baseURL == base)
    }
}
