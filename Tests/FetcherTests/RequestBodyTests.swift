import GarnerCatalog
import GarnerModel
import Testing

@testable import GarnerFetcher

struct RequestBodyTests {
    @Test func `a request's description hides its body`() throws {
        let url = "https://zoo.example/a"
        let body = RequestBody(mediaType: "text/plain", content: Secret("c4nary"))
        let entry = RequestEntry(sentAt: Timestamp(millisecondsSince1970: 0), url: url)
        var request = Request(address: try #require(WebAddress(url)), headers: [], trace: RequestTrace(entry))
        request.method = .post
        request.body = body
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), "\(body)", String(reflecting: body)] {
            #expect(!text.contains("c4nary"))
        }
        #expect("\(request)" == "POST https://zoo.example/a")
    }
}
