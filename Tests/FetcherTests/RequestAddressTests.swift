import GarnerCatalog
import GarnerModel
import Testing

@testable import GarnerFetcher

struct RequestAddressTests {
    /// base_url, path, and the first request's URL without parameters of its own.
    private static let paths: [(String, String, String)] = [
        ("https://a/v1/", "animals", "https://a/v1/animals"), ("https://a/v1/", "/animals", "https://a/v1/animals"),
        ("https://a/v1", "animals", "https://a/v1/animals"), ("https://a/v1", "/animals/", "https://a/v1/animals/"),
        ("https://a", "animals", "https://a/animals"), ("https://a/v1/", "", "https://a/v1/"),
        ("https://a/v1", "", "https://a/v1"),
        ("https://a/v1/", "?x=1", "https://a/v1/?x=1"),
        ("https://a/v1/", "location/?limit=100", "https://a/v1/location/?limit=100"),
        ("https://a/v1/", "a b/ü?q=x y", "https://a/v1/a%20b/%C3%BC?q=x%20y"),
        ("https://a/v1/", "a%2Fb", "https://a/v1/a%2Fb"),
        ("https://a/v1/", "animals(1)?$top=5", "https://a/v1/animals(1)?$top=5"),
        ("https://a/v1/", "a:b", "https://a/v1/a:b"),
    ]

    @Test(arguments: paths)
    func `a path is appended to base_url`(base: String, path: String, url: String) throws {
        #expect(try RequestTemplate(baseURL: base, path: path).address().description == url)
        let params = [RequestTemplate.Parameter(name: "n ame", value: .literal("a&b=ü+ %"))]
        let withParams = try RequestTemplate(baseURL: base, path: path, params: params).address().description
        #expect(withParams == url + (url.contains("?") ? "&" : "?") + "n%20ame=a%26b%3D%C3%BC%2B%20%25")
    }

    /// The path, the field's value, and what is asked for; nil: nothing can be.
    private static let links: [(String, String, String?)] = [
        ("{parent.url}", "https://a/v1/users/3/orders?x=1", "https://a/v1/users/3/orders?x=1"),
        ("{parent.url}/items", "https://a/v1/users/3", "https://a/v1/users/3/items"),
        ("{parent.url}?all=1", "https://a/v1/users/3", "https://a/v1/users/3?all=1"),
        ("{parent.url}", "HTTPS://b/elsewhere", "https://b/elsewhere"),
        ("{parent.url}", "https://me:secret@a/", nil), ("{parent.url}", "https://", nil),
        ("x/{parent.url}", "https://a/1", "https://a/v1/x/https%3A%2F%2Fa%2F1"),
        ("{parent.url}", "3", "https://a/v1/3"),
    ]

    @Test(arguments: links)
    func `a path that begins with a URL of the parent is that URL`(path: String, value: String, url: String?) {
        let template = RequestTemplate(baseURL: "https://a/v1/", path: path)
        #expect((try? template.locator(filledWith: [.parent("url"): value]))?.address.description == url)
    }

    @Test func `a URL of the parent at another origin is asked for where that is allowed only`() async throws {
        let boundless = Paginator(.auto, limits: PageLimits(allowsOtherOrigins: true))
        for (paginator, isAllowed) in [(Paginator(), false), (boundless, true)] {
            let fetcher = try PageFetcher(
                stream: stream(at: "https://a/v1/", path: "{parent.url}", paginator: paginator),
                transport: ScriptedTransport { _ in scripted("[]") }, timing: timing())
            let position = try fetcher.firstPosition(filling: [.parent("url"): "https://b/1"])
            #expect(position.url == "https://b/1")
            let kind = await failureKind(of: { try await fetcher.page(at: position) })
            #expect(kind == (isAllowed ? nil : .linkToOtherOrigin("https://b")))
        }
    }
}
