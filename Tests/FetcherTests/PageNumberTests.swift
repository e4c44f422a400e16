import GarnerCatalog
import GarnerFetcher
import Testing

struct PageNumberTests {
    @Test(arguments: [
        ("/p/2", "/p/3", 3), ("/p/9.json", "/p/10.json", 10), ("/v1/p2/x", "/v1/p3/x", 3), ("/p/09", "/p/10", 10),
        ("/p/2", "/p/4", nil), ("/p/3", "/p/2", nil), ("/p/2", "/p/2", nil), ("/p/2/3", "/p/3/4", nil),
        ("/p/a", "/p/b", nil), ("/p/2?a=1", "/p/3?a=2", nil), ("/p", "/p/2", nil), ("/p/2a", "/p/3b", nil),
        ("/a%29", "/a%30", nil), ("/p/9223372036854775806", "/p/9223372036854775807", nil),
    ])
    func `a link counts if one number of its path is greater by one`(from: String, to: String, number: Int?) throws {
        let (before, after) = (
            try #require(WebAddress("http://localhost\(from)")), try #require(WebAddress("http://localhost\(to)"))
        )
        let found = before.pageNumber(countedTo: after)
        #expect(found?.number == number)
        if let found { #expect(after.path[found.place] == "\(found.number)") }
    }
}
