import Catalog
import Fetcher
import JSON
import Testing

struct CursorPagingTests {
    private static let bodies: [(String, String?)] = [
        (#""c":"abc""#, "abc"), (#""c":17"#, "17"), (#""c":1.50"#, "1.50"), (#""c":"a+b/c==""#, "a%2Bb%2Fc%3D%3D"),
        (#""c":"abc","more":true"#, "abc"), (#""c":"abc","more":null"#, "abc"), (#""c":"abc","more":false"#, nil),
        (#""c":null"#, nil), (#""c":"""#, nil), (#""c":false"#, nil), (#""c":{}"#, nil), (#""more":true"#, nil),
        ("", nil),
    ]

    @Test(arguments: bodies)
    func `the cursor in the body becomes the parameter of the next request`(members: String, token: String?)
        async throws
    {
        let page = try await scriptedPage(
            Paginator(.cursor(.init(cursorPath: "$.c", cursorParam: "after", hasMorePath: "$.more"))),
            at: "animals?after=old&limit=2", body: records(2, members))
        #expect(page.next?.url == token.map { "https://zoo.example/v1/animals?after=\($0)&limit=2" })
    }
}
