import GarnerFetcher
import GarnerModel
import SimulatedAPIs
import Testing

@testable import StorageProof

/// The bad manners of simulated APIs.
struct MannersTests {
    private static let shapes = SimulatedAPI.all.map { APIShape(of: $0) }
    private static let cases = (1...4000).map { MannersCase(of: $0, shapes) }

    @Test func `a seed makes the same case each time, and another seed another`() {
        #expect(MannersCase(of: 7, Self.shapes) == MannersCase(of: 7, Self.shapes))
        #expect(MannersCase(of: 7, Self.shapes) != MannersCase(of: 8, Self.shapes))
    }

    @Test func `four thousand seeds have every manner in every form, every API, and every way to read and to write it`()
    {
        for kind in Manner.Kind.allCases {
            let words = Set(Self.cases.flatMap(\.manners).filter { $0.kind == kind }.map { "\($0.words)" })
            #expect(words == Set((Manner.forms[kind] ?? [("", "")]).map { "\($0)" }), "\(kind)")
        }
        #expect(Set(Self.cases.map(\.api)) == Set(SimulatedAPI.all.indices))
        #expect(Set(Self.cases.map(\.writing)) == Set(MannersCase.Writing.allCases))
        #expect(Set(Self.cases.map(\.setup)).isSuperset(of: [.alone, .initialized, .line(0), .line(1)]))
        let switches: [(MannersCase) -> Bool] = [\.knowsRows, \.isHonest, \.overtakes]
        for isOn in switches { #expect(Set(Self.cases.map(isOn)) == [true, false]) }
    }

    @Test func `each line that reads an API in a case is one that the configuration accepts`() throws {
        for api in SimulatedAPI.all {
            for line in api.lines { #expect(throws: Never.self) { try api.stream([line]) } }
        }
    }

    @Test func `the answers of an API show where its records, its totals and its next pages stand`() throws {
        let shape = try Self.shape(of: "Django REST framework")
        #expect(shape.list == ["results"])
        #expect(shape.totals == [["count"]])
        #expect(shape.nexts == [["next"]])
        #expect(shape.pageParameter == "page")
        #expect(shape.size == 10)
        let bank = try Self.shape(of: "World Bank")
        #expect(bank.list == ["1"])
        #expect(bank.totals == [["0", "total"]])
        let hub = try Self.shape(of: "HubSpot")
        #expect(hub.nexts == [["paging", "next", "after"], ["paging", "next", "link"]])
        #expect(hub.wrappers == ["paging"])
        #expect(try Self.shape(of: "Algolia").isNumbered)
        #expect(try Self.shape(of: "Algolia").pageParameter == nil)
        #expect(try Self.shape(of: "GitHub issues").hasLink)
        #expect(try Self.shape(of: "WordPress").totalHeaders == ["X-WP-Total"])
    }

    @Test(arguments: SimulatedAPI.all)
    func `without manners an answer is that of the API`(api: SimulatedAPI) {
        let request = APIRequest(url: "/v1/\(api.path)", body: api.body == nil ? "" : "{}")
        let answer = BadAnswer(
            of: api, APIShape(of: api), to: request, Array(1...api.count), [], attempt: 1, now: MannersStage.epoch)
        let plain = api.answer(request, Array(1...api.count))
        #expect(answer.reply.body == plain.body)
        #expect(answer.reply.status == plain.status)
        #expect(answer.reply.headers.map { "\($0)" } == plain.headers.map { "\($0)" })
        #expect(answer.shown.isEmpty)
    }

    /// A manner, the API that has it, the page that is asked for, and what must be in the answer.
    struct Claim: Sendable, CustomTestStringConvertible {
        var api = "Django REST framework"
        var page = 2
        var attempt = 1
        let manner: Manner
        var status = 200
        /// Texts of the body and of header fields.
        let texts: [String]
        /// The number of records.
        var count: Int

        var testDescription: String { "\(api): \(manner.told())" }
    }

    private static let claims = [
        Claim(manner: .init(.partial, times: 2), texts: [#""incomplete_results":true"#, #""count":45"#], count: 8),
        Claim(manner: .init(.partial, form: 2), texts: [#""failed":1"#], count: 9),
        Claim(page: 1, manner: .init(.partial), texts: [#""count":46"#], count: 10),
        Claim(page: 3, manner: .init(.truncated), texts: [#""truncated":true"#, #""next":null"#], count: 0),
        Claim(manner: .init(.truncated, form: 5), texts: [#""last":false"#, #""count":17"#], count: 7),
        Claim(manner: .init(.refuses, form: 2), texts: [#""isSuccess":"false""#, #""results":[]"#], count: 0),
        Claim(manner: .init(.refuses, form: 7), texts: [#"{"code":429,"#], count: 0),
        Claim(attempt: 2, manner: .init(.refuses, form: 7), texts: [#""results":[{"id":11,"#], count: 10),
        Claim(manner: .init(.accepts, form: 2), status: 202, texts: [#"{"status":"pending"}"#], count: 0),
        Claim(manner: .init(.waits), status: 429, texts: ["Retry-After: 5.2"], count: 0),
        Claim(
            manner: .init(.waits, form: 1), status: 429, texts: ["Retry-After: Sat, 31 Jan 2026 08:05:06 GMT"], count: 0
        ),
        Claim(
            manner: .init(.waits, form: 4), status: 403,
            texts: ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1769846705"], count: 0),
        Claim(page: 6, manner: .init(.nothingBehind), status: 204, texts: [], count: 0),
        Claim(page: 6, manner: .init(.nothingBehind, form: 1), texts: ["null"], count: 0),
        Claim(page: 6, manner: .init(.lastAgain), texts: [#"[{"id":41,"#], count: 7),
        Claim(page: 5, manner: .init(.oddEnd), texts: [#""next":false"#], count: 7),
        Claim(manner: .init(.oddNext, form: 1), texts: [#""next":{"token":{"S":"x7"}}"#], count: 10),
        Claim(api: "GitHub issues", manner: .init(.oddNext), texts: ["rel='next'"], count: 10),
        Claim(api: "GitHub issues", manner: .init(.oddNext, form: 1), texts: [#"page=3>; rel="following""#], count: 10),
        Claim(manner: .init(.vague), texts: [#""cursor":"x7""#], count: 10),
        Claim(api: "GitHub issues", manner: .init(.vague, form: 1), texts: ["X-Next-Cursor: x7"], count: 10),
        Claim(manner: .init(.lastLink), texts: [#""next":null"#, #"page=5>; rel="last""#], count: 10),
        Claim(
            manner: .init(.lastLink, form: 1), texts: [#""links":{"last":"https://api.example.test/v1/x?page=5"}"#],
            count: 10),
        Claim(page: 4, manner: .init(.stuck, page: 3), texts: [#"[{"id":11,"#], count: 10),
        Claim(manner: .init(.oddTotal), texts: [#""count":-1"#], count: 10),
        Claim(manner: .init(.oddTotal, form: 1), texts: [#""count":"47""#], count: 10),
        Claim(manner: .init(.oddTotal, form: 2), texts: [#""count":37"#], count: 10),
        Claim(api: "WordPress", manner: .init(.oddTotal, form: 2), texts: ["X-WP-Total: 37"], count: 10),
        Claim(page: 3, manner: .init(.smaller), texts: [#"[{"id":11,"#], count: 5),
        Claim(api: "Slack", manner: .init(.smaller, page: 1), texts: [#""next_cursor":"5""#], count: 5),
        Claim(manner: .init(.fromZero), texts: [#"[{"id":21,"#, #"?page=3""#, #""prev":1"#], count: 10),
        Claim(
            api: "GitHub issues", manner: .init(.fromZero), texts: [#"?page=3>; rel="next""#, "page=1>; rel=\"prev\""],
            count: 10),
        Claim(api: "GitHub issues", manner: .init(.blanks), texts: ["X-RateLimit-Remaining: 4999 \t"], count: 10),
        Claim(
            api: "Twitter", page: 1, manner: .init(.renamed, page: 1), texts: [#""additional_data":{"result_count""#],
            count: 10),
        Claim(manner: .init(.renamed, form: 1), texts: [#""navigation":{"count":47,"next":"#], count: 10),
        Claim(manner: .init(.elsewhere), texts: [#""objects":[{"id":11,"#, #""errors":[]"#], count: 10),
        Claim(manner: .init(.refusedOnce, form: 5), status: 404, texts: [], count: 0),
        Claim(manner: .init(.refusedOnce, form: 9), texts: [#""count":0"#, #""results":null"#], count: 0),
        Claim(attempt: 2, manner: .init(.refusedOnce, form: 5), texts: [#"[{"id":11,"#], count: 10),
        Claim(page: 1, manner: .init(.refusedOnce, times: 2), texts: [#"[{"id":1,"#], count: 9),
        Claim(manner: .init(.falseEnd), texts: [#""next":null"#], count: 10),
        Claim(manner: .init(.cutShort), texts: [#""next":null"#, #""count":17"#], count: 7),
        Claim(attempt: 5, manner: .init(.missingPage), status: 404, texts: ["no such page"], count: 0),
        Claim(manner: .init(.wrongTotal), texts: [#""count":17"#], count: 10),
    ]

    @Test(arguments: claims) func `a manner shows what it claims`(claim: Claim) throws {
        let answer = try Self.answer(claim)
        #expect(answer.reply.status == claim.status)
        let text = ([answer.reply.body] + answer.reply.headers.map { "\($0.0): \($0.1)" }).joined(separator: "\n")
        for part in claim.texts { #expect(text.contains(part), "\(text)") }
        #expect(answer.given.count == claim.count)
    }

    @Test func `a connection that is closed brings no answer`() throws {
        let claim = Claim(manner: .init(.closes, form: 1), texts: [], count: 0)
        #expect(try Self.answer(claim).error == .lostConnection(answerBegan: false))
        var again = claim
        again.attempt = 2
        #expect(try Self.answer(again).error == nil)
    }

    @Test func `a body of two gzip members has no other bytes`() async throws {
        var bytes: [UInt8] = []
        for try await chunk in try Self.answer(Claim(manner: .init(.gzip), texts: [], count: 10)).response.body {
            chunk.withUnsafeBytes { bytes += $0 }
        }
        let starts = bytes.indices.dropLast(2).filter { Array(bytes[$0...$0 + 2]) == [0x1F, 0x8B, 8] }
        #expect(starts.count == 2)
        #expect(starts.first == 0)
    }

    @Test(arguments: [
        (Manner(.falseEnd), true, false), (Manner(.partial), false, true), (Manner(.refusedOnce, times: 2), true, true),
        (Manner(.refusedOnce, times: 2), false, false), (Manner(.refusedOnce), false, true),
        (Manner(.refusedOnce, form: 9), false, false), (Manner(.refusedOnce, page: 1, form: 9), false, true),
        (Manner(.renamed, page: 2, form: 5), true, false),
        (Manner(.renamed, page: 1, form: 5), true, true),
    ])
    func `a lie is called one, and what an answer shows is none`(manner: Manner, knowsRows: Bool, isHonest: Bool) {
        var item = MannersCase(usual: 0, .alone)
        (item.knowsRows, item.writing, item.manners) = (knowsRows, .hard, [manner])
        #expect(item.isHonest == isHonest)
    }

    @Test func `waits are over at once, but for deadlines`() async throws {
        let clock = SleeplessClock(from: MannersStage.epoch)
        try await clock.sleep(for: .seconds(600))
        #expect(clock.time == MannersStage.epoch.advanced(by: .seconds(600)))
        let deadline = Task { try await clock.sleep(for: .seconds(3600)) }
        deadline.cancel()
        await #expect(throws: CancellationError.self) { try await deadline.value }
        #expect(clock.time == MannersStage.epoch.advanced(by: .seconds(600)))
    }

    private static func answer(_ claim: Claim) throws -> BadAnswer {
        let api = try #require(SimulatedAPI.all.first { $0.name == claim.api })
        var request = APIRequest(url: "/v1/\(api.path)")
        if claim.page > 1 { request = request.setting("page", to: claim.page) }
        return BadAnswer(
            of: api, APIShape(of: api), to: request, Array(1...api.count), [claim.manner], attempt: claim.attempt,
            now: MannersStage.epoch)
    }

    private static func shape(of name: String) throws -> APIShape {
        APIShape(of: try #require(SimulatedAPI.all.first { $0.name == name }))
    }
}

extension Manner {
    fileprivate init(_ kind: Kind, page: Int = 2, form: Int = 0, times: Int = 1) {
        self.init(kind: kind, page: page, form: form, times: times)
    }
}
