import GarnerCatalog
import GarnerFetcher
import GarnerModel
import Testing

struct PagePositionTests {
    private static let urls = [
        "https://zoo.example/", "https://zoo.example/a?b=%22c%22&d=[1]", #"https://zoo.example/"\"#, "",
        "ünï 🐼\n\u{0}\t",
        String(repeating: "x", count: 300),
    ]

    @Test(arguments: urls, [0, 1, 4_000_000_000, Int.max - 1])
    func `a checkpoint comes back as it was`(url: String, number: Int) {
        let position = PagePosition(url: url, number: number)
        #expect(PagePosition(checkpoint: position.checkpoint) == position)
    }

    private static let histories = [
        ReadHistory(records: 1), ReadHistory(records: Int.max - 1, place: .member(""), digest: "0"),
        ReadHistory(place: .member("\"a\"\u{1}"), digest: "\u{0}\""), ReadHistory(digest: "0f"),
        ReadHistory(records: 3, largestPage: 2, hasShrunk: true, place: .array),
    ]

    @Test(arguments: histories, [true, false])
    func `a checkpoint holds what is known of the read`(history: ReadHistory, mayBeMissing: Bool) {
        let position = PagePosition(url: "x", number: 1, mayBeMissing: mayBeMissing, history: history)
        #expect(PagePosition(checkpoint: position.checkpoint) == position)
    }

    @Test func `a checkpoint holds the judgement on the pages before, and nothing of good ones`() {
        let doubt = Verdict(.contradicted, "$.a (b; c) is odd", advice: "look at it")
        let position = PagePosition(url: "x", number: 1).behind(doubt, holdsCursor: true)
        let history = PagePosition(checkpoint: position.checkpoint)?.history
        #expect(history == position.history && history?.holdsCursor == true)
        #expect(history?.judged?.cause?.advice == "look at it")
        let good = PagePosition(url: "x", number: 1)
        #expect(good.behind(.complete, holdsCursor: false).checkpoint == good.checkpoint)
    }

    @Test(arguments: [
        "", " ", "null", "7", "[]", "{}", "https://zoo.example/", #"{"url":"x"}"#, #"{"number":1}"#,
        #"{"number":-1,"url":"x"}"#,
        #"{"number":1.5,"url":"x"}"#, #"{"number":"1","url":"x"}"#, #"{"number":1,"url":null}"#,
        #"{"number":1,"url":["x"]}"#,
        #"{"number":9223372036854775807,"url":"x"}"#, #"{"number":9223372036854775808,"url":"x"}"#,
        #"{"number":1,"url":"x"#, #"{"number":1,"records":-1,"url":"x"}"#, #"{"number":1,"records":"1","url":"x"}"#,
        #"{"number":1,"url":"x"} x"#,
    ])
    func `garbage is no checkpoint`(checkpoint: String) {
        #expect(PagePosition(checkpoint: checkpoint) == nil)
    }

    @Test func `members of later versions do not matter`() {
        let position = PagePosition(checkpoint: #" {"url":"x","etag":"y","number":2} "#)
        #expect(position == PagePosition(url: "x", number: 2))
    }

    @Test(arguments: ["", "x", "/animals", "ftp://zoo.example/", "https://"])
    func `a position without a URL is refused and not requested`(url: String) async throws {
        let fetcher = try scriptedFetcher(Paginator(.singlePage), body: "[1]")
        let kind = await failureKind(of: { try await fetcher.page(at: PagePosition(url: url, number: 1)) })
        #expect(kind == .invalidLink(url))
    }
}
