import GarnerCatalog
import GarnerFetcher
import GarnerModel
import TestSupport
import Testing

struct HeaderCursorPagingTests {
    private static let headers: [([(String, String)], String?)] = [
        ([("X-Next", "abc")], "abc"), ([("x-next", "17")], "17"), ([("X-Next", "a+b/c==")], "a%2Bb%2Fc%3D%3D"),
        ([("X-Next", "first"), ("X-Next", "second")], "first"), ([("X-Next", "")], nil), ([("X-Other", "abc")], nil),
        ([], nil),
    ]

    @Test(arguments: headers)
    func `the header's value becomes the parameter`(headers: [(String, String)], cursor: String?) async throws {
        let page = try await scriptedPage(
            Paginator(.headerCursor(.init(cursorHeader: "X-Next", cursorParam: "after"))),
            at: "animals?after=old&limit=2", body: records(2, #""next":"/body""#), headers: headers)
        #expect(page.next?.url == cursor.map { "https://zoo.example/v1/animals?after=\($0)&limit=2" })
    }

    @Test func `the cursor goes into the body where the parameter is a place in it`() async throws {
        let paginator = Paginator(.headerCursor(.init(cursorHeader: "X-Next", cursorParam: "$.page.after")))
        let stream = stream(at: "https://zoo.example/v1/", path: "search", paginator: paginator) {
            $0.request.method = .post
            $0.request.body = .object([.init(name: "page", value: .object([.init(name: "size", value: .number("2"))]))])
        }
        let fetcher = try PageFetcher(
            stream: stream, transport: ScriptedTransport { _ in scripted(records(2), headers: [("X-Next", "abc")]) },
            timing: timing(clock: ManualClock(), random: 0.5))
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.next?.body == #"{"page":{"size":2,"after":"abc"}}"#)
    }

    @Test func `a page whose header was there and is no more is the last one`() async throws {
        let paginator = Paginator(.headerCursor(.init(cursorHeader: "X-Next", cursorParam: "after")))
        let first = try await scriptedPage(paginator, body: records(2), headers: [("X-Next", "2")])
        let second = try #require(first.next)
        let last = try await scriptedFetcher(paginator, body: records(2)).page(at: second)
        #expect(last.next == nil)
        #expect(last.verdict == .complete)
    }

    /// A response of "not modified" and a body that comes again say nothing of the header.
    @Test func `a page is never taken for one that was read before`() async throws {
        let paginator = Paginator(.headerCursor(.init(cursorHeader: "X-Next")))
        let page = try await scriptedPage(paginator, body: records(2), headers: [("X-Next", "2"), ("ETag", "\"a\"")])
        #expect(page.memory == nil)
    }
}
