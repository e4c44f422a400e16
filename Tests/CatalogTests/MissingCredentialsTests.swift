import Testing

@testable import GarnerCatalog

/// A stream without credentials beside siblings that send some may be a slip.
struct MissingCredentialsTests {
    /// Lines of the source, of a first stream and of a second one, and the number of warnings.
    @Test(arguments: [
        ("", "auth: { type: bearer, token: \"${T}\" }", "", 1), ("", "", "", 0),
        ("auth: { type: bearer, token: \"${T}\" }", "", "", 0),
        ("auth: { type: bearer, token: \"${T}\" }", "", "auth: { type: none }", 0),
        ("", "auth: { type: bearer, token: \"${T}\" }", "auth: { type: none }", 0),
        ("", "auth: { type: bearer, token: \"${T}\" }", "headers: { X-Key: \"${T}\" }", 0),
        ("", "auth: { type: bearer, token: \"${T}\" }", "params: { key: \"${T}\" }", 0),
        ("", "auth: { type: bearer, token: \"${T}\" }", "json: { key: \"${T}\" }", 0),
        ("", "auth: { type: bearer, token: \"${T}\" }", "headers: { Accept: a/b }", 1),
    ])
    func `it is told which stream sends none, and which one does`(
        source: String, first: String, second: String, count: Int
    ) throws {
        let text = """
            version: 1
            sources:
              shop:
                base_url: https://shop.example/
                \(source)
                streams:
                  issues:
                    path: issues
                    \(first)
                  orders:
                    path: orders
                    \(second)
              other:
                base_url: https://other.example/
                streams: { items: { path: items } }
            """
        let warnings = try Fixture.parse(text, environment: ["T": "s3"]).warnings
        #expect(
            warnings.map(\.message)
                == Array(repeating: "'shop.orders' sends no credentials; 'shop.issues' does", count: count))
        #expect(warnings.allSatisfy { $0.place.line == 10 })
    }
}
