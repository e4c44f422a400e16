import GarnerCatalog
import GarnerModel
import SimulatedAPIs
import GarnerSync
import Testing

/// Numbers around the records that may mean two things. One request more settles which it is.
@Suite(.timeLimit(.minutes(5)))
struct CountedPagesTests {
    /// What a server gives for a page behind the last one.
    enum Behind: CaseIterable { case nothing, refusal, lastPage }

    /// A list whose pages are counted from 0, and whose `last_page` is the number of the last one, or says how many there are.
    private static func fromZero(_ count: Int, isIndex: Bool, _ behind: Behind) -> SimulatedAPI {
        SimulatedAPI(name: "last_page", path: "things", count: count) { request, records in
            let pages = (records.count + 9) / 10
            var page = request.int("page", 0)
            if page >= pages {
                switch behind {
                case .nothing: break
                case .refusal: return .refusal(404)
                case .lastPage: page = pages - 1
                }
            }
            let list = APIPage(records, from: page * 10, 10).list
            return APIReply(#"{"page":\#(page),"last_page":\#(isIndex ? pages - 1 : pages),"data":\#(list)}"#)
        }
    }

    @Test(arguments: [7, 10, 20, 37, 40], Behind.allCases)
    func `the last page counted from 0 may be meant, or how many pages there are`(count: Int, behind: Behind)
        async throws
    {
        for isIndex in [true, false] {
            let api = Self.fromZero(count, isIndex: isIndex, behind)
            for isInitialized in [false, true] {
                try await APIRig.run(api) { rig in
                    let stream = isInitialized ? try await rig.initialized() : try rig.stream([])
                    let before = rig.transport.requestCount
                    let record = try #require(try await rig.sync(with: stream).record)
                    #expect(try rig.storedCount(of: stream) == count, "\(stream.paginator.line)")
                    // The only page again may be that of a server that does not know the parameter.
                    let isVague = !isIndex && count <= 10 && behind == .lastPage
                    #expect(
                        record.completeness == (isVague ? .unknown : .complete),
                        "\(isIndex) \(isInitialized) \(record.completenessReason ?? "")")
                    // A number of 0 is none that `init` writes.
                    let asksBehind = !isIndex || isInitialized && count <= 10 && behind != .lastPage
                    #expect(rig.transport.requestCount - before == (count + 9) / 10 + (asksBehind ? 1 : 0))
                }
            }
        }
    }

    /// A total beside it that has been reached leaves nothing to ask, and `total_pages` means one thing only.
    @Test(arguments: [
        (#""last_page":3,"total":30"#, 3), (#""total_pages":3"#, 3), (#""last_page":3,"total_pages":3"#, 3),
    ])
    func `what is settled is not asked for`(statement: String, requests: Int) async throws {
        let api = SimulatedAPI(name: "settled", path: "things", count: 30) { request, records in
            let page = request.int("page", 0)
            return APIReply(#"{"page":\#(page),\#(statement),"data":\#(APIPage(records, from: page * 10, 10).list)}"#)
        }
        try await APIRig.run(api) { rig in
            let record = try #require(try await rig.sync().record)
            #expect(record.completeness == .complete && rig.transport.requestCount == requests)
        }
    }

    /// A list whose total is that of the page, or right. `more` stands beside it.
    private static func counted(_ count: Int, size: Int, ofPage: Bool, _ more: String) -> SimulatedAPI {
        SimulatedAPI(name: "total", path: "things", count: count) { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * size, size)
            let number = more.isEmpty ? "" : more.replacing("PAGE", with: "\(page)") + ","
            return APIReply(
                #"{\#(number)"total":\#(ofPage ? found.ids.count : records.count),"data":\#(found.list)}"#)
        }
    }

    /// The number of records, the size of a page, what stands beside the total, and the most requests that `init` makes.
    @Test(arguments: [
        (47, 20, #""page":PAGE"#, 2), (47, 20, "", 6), (40, 20, #""page":PAGE"#, 2),
        (31, 7, #""page":PAGE,"per_page":7"#, 2),
    ])
    func `a total of the first page is not taken for that of the list`(
        count: Int, size: Int, more: String, requests: Int
    ) async throws {
        try await APIRig.run(Self.counted(count, size: size, ofPage: true, more)) { rig in
            let stream = try await rig.initialized()
            #expect(rig.transport.requestCount <= requests)
            #expect(stream.paginator.line.contains("ignore_total: true"), "\(stream.paginator.line)")
            let record = try #require(try await rig.sync(with: stream).record)
            #expect(record.completeness == .complete, "\(record.completenessReason ?? "")")
            #expect(try rig.storedCount(of: stream) == count)
        }
    }

    /// A list of exactly one full page keeps its total, and one that is shorter is not asked about.
    @Test(arguments: [
        (20, 20, #""page":PAGE"#, 2, "total_path: $.total"), (20, 20, "", 6, "type: auto"),
        (13, 20, #""page":PAGE"#, 1, "total_path: $.total"), (13, 20, "", 1, "type: auto"),
    ])
    func `a total that is right is kept`(
        count: Int, size: Int, more: String, requests: Int, line: String
    ) async throws {
        try await APIRig.run(Self.counted(count, size: size, ofPage: false, more)) { rig in
            let stream = try await rig.initialized()
            #expect(rig.transport.requestCount <= requests)
            #expect(stream.paginator.line.contains(line), "\(stream.paginator.line)")
            let before = rig.transport.requestCount
            let record = try #require(try await rig.sync(with: stream).record)
            #expect(record.completeness == .complete && rig.transport.requestCount == before + 1)
        }
    }
}
