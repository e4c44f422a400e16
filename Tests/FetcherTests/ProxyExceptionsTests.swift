import GarnerCatalog
import Testing
@testable import GarnerFetcher

struct ProxyExceptionsTests {
    /// The value of `no_proxy`, a URL, and whether it goes without the proxy.
    private static let cases: [(String, String, Bool)] = [
        ("", "http://zoo.example/", false), (" , ,", "http://zoo.example/", false), ("*", "http://zoo.example/", true),
        ("*", "http://10.0.0.1/", true), ("zoo.example", "http://zoo.example/", true),
        ("zoo.example", "https://api.zoo.example/", true), (".zoo.example", "https://zoo.example/", true),
        (".zoo.example", "https://a.b.zoo.example/", true), ("*.zoo.example", "https://a.zoo.example/", true),
        ("zoo.example", "http://myzoo.example/", false), ("zoo.example", "http://zoo.example.org/", false),
        ("ZOO.Example", "http://zoo.EXAMPLE/", true), ("zoo.example.", "http://zoo.example/", true),
        ("zoo.example", "http://zoo.example./", true), ("a.example,zoo.example", "http://zoo.example/", true),
        ("a.example zoo.example", "http://zoo.example/", true), ("a.example, b.example", "http://zoo.example/", false),
        ("zoo.example:8080", "http://zoo.example:8080/", true), ("zoo.example:8080", "http://zoo.example/", false),
        ("zoo.example:443", "https://zoo.example/", true), ("zoo.example:80", "https://zoo.example/", false),
        ("10.0.0.1", "http://10.0.0.1/", true), ("10.0.0.1", "http://10.0.0.10/", false),
        ("10.0.0.1:81", "http://10.0.0.1:81/", true), ("10.0.0.1:81", "http://10.0.0.1/", false),
        ("0.0.1", "http://10.0.0.1/", false), ("10.0.0.0/8", "http://10.200.0.1/", true),
        ("10.0.0.0/8", "http://11.0.0.1/", false), ("192.168.6.0/23", "http://192.168.7.255/", true),
        ("192.168.6.0/23", "http://192.168.8.0/", false), ("0.0.0.0/0", "http://1.2.3.4/", true),
        ("0.0.0.0/0", "http://[::1]/", false), ("10.0.0.0/33", "http://10.0.0.0/", false),
        ("10.0.0.0/-1", "http://10.0.0.0/", false), ("10.0.0.0/", "http://10.0.0.0/", false),
        ("::1", "http://[::1]/", true), ("[::1]", "http://[::1]/", true), ("[::1]:81", "http://[::1]/", false),
        ("[::1]:81", "http://[::1]:81/", true), ("0:0:0:0:0:0:0:1", "http://[::1]/", true),
        ("fd00::/8", "http://[fd12::1]/", true), ("fd00::/8", "http://[fe12::1]/", false),
        ("localhost", "http://localhost/", true), ("localhost", "http://127.0.0.1/", false),
        (":80", "http://zoo.example/", false), (".", "http://zoo.example/", false),
        ("/8", "http://10.0.0.1/", false), ("zoo.example:99999999999999999999", "http://zoo.example/", false),
    ]

    @Test(arguments: cases)
    func `no_proxy is read as curl reads it`(value: String, url: String, isException: Bool) throws {
        let origin = try #require(WebAddress(url)).origin
        #expect(ProxyExceptions(value).contains(origin) == isException)
    }
}
