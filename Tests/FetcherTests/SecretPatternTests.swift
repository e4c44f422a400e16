import GarnerCatalog
import TestSupport
import Testing

@testable import GarnerFetcher

struct SecretPatternTests {
    private static let secret = "a&b'c%41 ü/z"

    /// The secret in the spellings that others may use.
    private static let spellings = [
        "a&b'c%41 ü/z", "A&B'C%41 Ü/Z".replacing("Ü", with: "ü"), "a%26b%27c%2541%20%C3%BC%2Fz",
        "a%26b'c%2541+%c3%bc/z",
        "a&amp;b&#39;c%41 &#252;/z", "a&amp;b&#x27;c%41 &#xFC;&#x2F;z", #"a\u0026b\u0027c%41 \u00fc\/z"#,
        "a%2526b%2527c%252541%2520%25C3%25BC%252Fz", "a%252526b%252527c%25252541%252520%2525C3%2525BC%25252Fz",
        #"a\u0026amp;b'c%41 ü/z"#, #"a%5Cu0026b'c%2541 ü%5C/z"#,
    ]

    @Test(arguments: spellings)
    func `a secret is found however it is written`(spelling: String) {
        let pattern = SecretPattern(Secret(Self.secret))
        let bytes = Array("\(spelling) and more".utf8)
        #expect(pattern.match(bytes[...]).length == spelling.utf8.count)
        #expect(pattern.isFound(in: "before it \(spelling)"))
    }

    @Test(arguments: [
        "жук-😀-pass", "&#1078;&#1091;&#1082;-&#128512;-pass", "&#x436;&#x443;&#x43A;-&#x1F600;-pass",
        #"\u0436\u0443\u043a-\ud83d\ude00-pass"#, "%D0%B6%D1%83%D0%BA-%F0%9F%98%80-pass",
    ])
    func `a secret of other letters is found, too`(spelling: String) {
        let pattern = SecretPattern(Secret("жук-😀-pass"))
        let bytes = Array(spelling.utf8)
        #expect(pattern.match(bytes[...]).length == spelling.utf8.count)
        for count in 1..<bytes.count { #expect(pattern.match(bytes[..<count]) == .begun, "\(count)") }
    }

    @Test(arguments: spellings)
    func `a text that ends inside of it may go on with it`(spelling: String) {
        let pattern = SecretPattern(Secret(Self.secret))
        let bytes = Array(spelling.utf8)
        for count in 1..<bytes.count { #expect(pattern.match(bytes[..<count]) == .begun, "\(count)") }
    }

    @Test(arguments: [
        "a&b'cA ü/z", "a&amp b'c%41 ü/z", "a%26b%27c%41%20%C3%BC%2F", "b&b'c%41 ü/z", "a%2b'c%41 ü/z", "",
    ])
    func `what differs is not found`(text: String) {
        #expect(!SecretPattern(Secret(Self.secret)).isFound(in: text))
    }

    @Test func `what is written in the open covers no other secret`() throws {
        let template = RequestTemplate(
            baseURL: "https://zoological-society.example/", path: "animals",
            headers: [.init(name: "X-Tenant", value: .secret(Secret("zoological-society")))],
            authentication: .bearer(token: Secret(Canary.text)))
        let boundary = SecretBoundary(
            template, start: try template.address(), redaction: Redaction(template))
        let kept = try #require(WebAddress("https://other.example/zoological-society/2"))
        #expect(boundary.withoutSecrets(kept) == kept)
        let refused = try #require(WebAddress("https://other.example/\(Canary.encoded)/2"))
        #expect(boundary.withoutSecrets(refused) == nil)
    }

    @Test func `the secrets of a body are secrets`() {
        let body = BodyValue.object([
            .init(name: "of", value: .array([.text(.literal("zoo")), .text(.secret(Secret(Canary.text)))]))
        ])
        let template = RequestTemplate(baseURL: "https://zoo.example/", path: "", method: .post, body: body)
        #expect(Redaction(template).redacted("wrong: \(Canary.text), of the zoo") == "wrong: ***, of the zoo")
    }
}
