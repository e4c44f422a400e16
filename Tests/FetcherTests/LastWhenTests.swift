import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

/// The condition that the last answer meets.
struct LastWhenTests {
    private static let paginators: [Paginator.Kind] = [
        .auto, .jsonLink(.init(nextURLPath: "$.next")), .headerLink(.init()), .cursor(.init(cursorPath: "$.cursor")),
        .headerCursor(.init(cursorHeader: "X-Next")), .offset(.init(limit: 2)), .pageNumber(.init()),
    ]

    private func page(
        _ kind: Paginator.Kind, _ condition: String, _ members: String, count: Int = 2
    ) async throws -> Page {
        let limits = PageLimits(lastWhen: try FilterExpression(parsing: condition))
        return try await scriptedPage(
            Paginator(kind, limits: limits), body: records(count, #""next":"?page=2","cursor":"c",\#(members)"#),
            headers: [("Link", "<?page=2>; rel=next"), ("X-Next", "c")])
    }

    @Test(arguments: paginators)
    func `every paginator ends its read at the answer that meets it`(kind: Paginator.Kind) async throws {
        let last = try await page(kind, "$.end_of_stream == true", #""end_of_stream":true"#)
        #expect(last.next == nil)
        #expect(last.verdict == .complete)
        let other = try await page(kind, "$.end_of_stream == true", #""end_of_stream":false"#)
        #expect(other.next != nil)
        #expect(other.verdict == nil)
    }

    @Test(arguments: [
        ("@.last == true", true), ("$.meta.page >= $.meta.pages", true), ("count(@.data[*]) < 2", false),
        ("!$.more", true), ("$.last == true && $.meta.page > 3", false),
    ])
    func `both signs of the condition are the answer`(condition: String, isLast: Bool) async throws {
        let page = try await page(.pageNumber(.init()), condition, #""last":true,"meta":{"page":3,"pages":3}"#)
        #expect((page.next == nil) == isLast)
    }

    @Test func `a page that is not changed is still the last one`() async throws {
        let page = try await page(.pageNumber(.init()), "$.last == true", #""last":true,"total":900"#)
        // The configuration knows the end better than a total.
        #expect(page.verdict?.kind != .missed)
    }

    @Test func `a condition that takes too long is an error that names it`() async throws {
        let nested = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let members = #""x":[\#((0..<40).map { _ in nested }.joined(separator: ","))]"#
        let condition = "count(@..[?count(@..*) < 0]) > 0"
        let kind = await failureKind(of: { try await page(.auto, condition, members) })
        guard case .filterLimit(_, let key)? = kind else {
            Issue.record("\(String(describing: kind))")
            return
        }
        #expect(key == "last_when")
    }
}
