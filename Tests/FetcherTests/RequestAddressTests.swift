import Catalog
import Testing

@testable import Fetcher

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
}
