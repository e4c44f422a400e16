import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// Random servers, read with random configurations: what is said of a read is true.
@Suite(.timeLimit(.minutes(5)))
struct PagingPropertyTests {
    private static let casesPerSeed = 1_250

    @Test(arguments: 0..<8)
    func `a read that missed an announced record is never complete, and one that was whole stays whole`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        for number in 0..<Self.casesPerSeed {
            let server = RandomServer(using: &random)
            let read = try await server.read()
            let hasAll = read.records == server.count
            let label: Comment = "seed \(seed), case \(number): \(server); \(read)"
            if let verdict = read.verdict, verdict.kind == .complete {
                #expect(hasAll || !server.announcesMore, label)
            }
            guard let requests = server.expectedRequests else { continue }
            #expect(hasAll && read.verdict?.kind == .complete, label)
            #expect(read.requests == requests, label)
        }
    }
}

/// A server with a list of a random length, and the configuration that it is read with.
private struct RandomServer: Sendable, CustomStringConvertible {
    enum Style: CaseIterable { case linkField, jsonLink, cursor, unknownCursor, hasMore, pages, offset, nothing }
    enum Total: CaseIterable { case none, right, rightAsText, tooHigh, tooLow, estimate }
    enum Reading: CaseIterable { case auto, right, wrong }

    let style: Style
    let total: Total
    let reading: Reading
    let count: Int
    let size: Int
    let isNested: Bool
    let hasOtherArray: Bool

    init(using random: inout SplitMix64) {
        style = Style.allCases.randomElement(using: &random) ?? .nothing
        total = Total.allCases.randomElement(using: &random) ?? .none
        reading = Reading.allCases.randomElement(using: &random) ?? .auto
        size = [1, 2, 3, 5, 7, 10, 20].randomElement(using: &random) ?? 3
        count = Int.random(in: 0...4 * size, using: &random)
        isNested = Bool.random(using: &random)
        hasOtherArray = Bool.random(using: &random)
    }

    var description: String {
        "\(style), total \(total), read \(reading), \(count) records by \(size), nested \(isNested), other \(hasOtherArray)"
    }

    private var pageCount: Int { max(1, (count + size - 1) / size) }

    /// The server says on its pages how many there are, or that there is another one.
    var announcesMore: Bool {
        switch style {
        case .nothing: [.right, .rightAsText, .tooHigh].contains(total)
        // It says where the page is, and has a total that is not its own to trust.
        case .offset: total != .tooLow
        default: true
        }
    }

    /// The number of requests that 0.1.0 needed for all records; nil if it did not get all, if the total is wrong, or
    /// if only a single page came, without a sign of paging.
    var expectedRequests: Int? {
        guard count > 0, [.none, .right, .rightAsText, .estimate].contains(total) else { return nil }
        switch (style, reading) {
        case (.linkField, .auto): return pageCount > 1 ? pageCount : nil
        case (.jsonLink, .auto), (.cursor, .auto), (.jsonLink, .right), (.cursor, .right): return pageCount
        default: return nil
        }
    }

    private var paginator: String {
        let at = isNested ? "$.meta" : "$"
        switch (reading, style) {
        case (.auto, _): return "auto"
        case (.wrong, .jsonLink): return "link \(at).nxt"
        case (.wrong, .cursor), (.wrong, .unknownCursor): return "cursor \(at).nothing"
        case (.wrong, _): return "link \(at).next_page_of_it"
        case (.right, .jsonLink): return "link \(at).next"
        case (.right, .cursor): return "cursor \(at).next_cursor"
        case (.right, .pages): return "pages"
        case (.right, .offset): return "offset"
        case (.right, _): return "auto"
        }
    }

    private func kind() throws -> Paginator.Kind {
        let words = paginator.split(separator: " ").map(String.init)
        return switch words[0] {
        case "link": .jsonLink(.init(nextURLPath: try Selector(parsing: words[1])))
        case "cursor": .cursor(.init(cursorPath: try Selector(parsing: words[1])))
        case "pages": .pageNumber(.init())
        case "offset": .offset(.init(limit: size))
        default: .auto
        }
    }

    struct Read: CustomStringConvertible {
        var records = 0
        var requests = 0
        var verdict: Verdict?
        var failure: String?

        var description: String {
            "\(records) records, \(requests) requests, \(verdict.map { "\($0.kind) \($0.reason ?? "")" } ?? failure ?? "-")"
        }
    }

    func read() async throws -> Read {
        let fetcher = try PageFetcher(
            stream: stream(at: "https://zoo.example/v1/", path: "items", paginator: Paginator(kind())),
            transport: ScriptedTransport { answer(to: $0.revealedURL()) },
            timing: timing(clock: ManualClock(), random: 0.5))
        var read = Read()
        var position: PagePosition? = try fetcher.firstPosition
        while let place = position {
            do {
                let page = try await fetcher.page(at: place)
                read.requests += 1
                read.records += page.texts.count
                read.verdict = page.verdict
                position = page.next
            } catch let error as FetchError {
                read.failure = "\(error.kind)"
                read.verdict = nil
                return read
            }
        }
        return read
    }

    private func answer(to url: String) -> Response {
        let items = URLComponents(string: url)?.queryItems ?? []
        func number(_ name: String) -> Int? { items.first { $0.name == name }?.value.flatMap { Int($0) } }
        let start: Int
        switch style {
        case .linkField, .jsonLink, .pages: start = ((number("page") ?? 1) - 1) * size
        case .cursor, .unknownCursor, .hasMore: start = number("cursor") ?? 0
        case .offset: start = number("offset") ?? 0
        case .nothing: start = 0
        }
        let end = min(start + size, count)
        let list = (min(start, end)..<end).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        let hasMore = end < count
        let page = start / size + 1
        let link = #""https://zoo.example/v1/items?page=\#(page + 1)""#
        var about: [String] = []
        switch style {
        case .linkField, .nothing: break
        case .jsonLink: about.append(#""next":\#(hasMore ? link : "null")"#)
        case .cursor: about.append(#""next_cursor":\#(hasMore ? "\"\(end)\"" : "null")"#)
        case .unknownCursor: about.append(#""bookmark_of_next":1,"next":\#(hasMore ? "\"k\(end)\"" : "null")"#)
        case .hasMore: about.append(#""has_more":\#(hasMore)"#)
        case .pages: about += [#""page":\#(page)"#, #""total_pages":\#(pageCount)"#]
        case .offset: about += [#""offset":\#(start)"#, #""limit":\#(size)"#]
        }
        switch total {
        case .none: break
        case .right: about.append(#""total":\#(count)"#)
        case .rightAsText: about.append(#""total":"\#(count)""#)
        case .tooHigh: about.append(#""total":\#(count + 3)"#)
        case .tooLow: about.append(#""total":\#(max(0, count - 3))"#)
        case .estimate: about.append(#""total":10000"#)
        }
        if hasOtherArray { about.append(#""facets":["a","b"]"#) }
        let members = about.joined(separator: ",")
        let envelope =
            isNested
            ? #"{"data":[\#(list)],"meta":{\#(members)}}"#
            : #"{"data":[\#(list)]\#(members.isEmpty ? "" : ",")\#(members)}"#
        let field = "<https://zoo.example/v1/items?page=\(page + 1)>; rel=\"next\""
        return scripted(envelope, headers: style == .linkField && hasMore ? [("Link", field)] : [])
    }
}
