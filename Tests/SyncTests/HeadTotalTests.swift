import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Lists of four records a page whose total stands in the head, while most pages come as they came before.
@Suite(.timeLimit(.minutes(2)))
struct HeadTotalTests {
    private struct List: Sendable {
        var count = 12
        var total = 12
        /// The page at which the server forgets to name the next one.
        var last: Int?
    }

    private static let kinds: [(Paginator.Kind, name: String)] = [
        (.auto, "auto"), (.headerLink(.init()), "header_link"),
        (.jsonLink(.init(nextURLPath: "$.next")), "json_link"),
        (.cursor(.init(cursorPath: "$.cursor", cursorParam: "page")), "cursor"), (.pageNumber(.init()), "page_number"),
        (.offset(.init(limit: 4)), "offset"),
    ]

    private static func answer(
        _ request: LoopbackRequest, _ list: List, _ name: String, _ url: String, sendsETags: Bool
    ) -> LoopbackReply {
        let offset = request.target.firstRange(of: "offset=").flatMap { range in
            Int(request.target[range.upperBound...].prefix { $0.isNumber })
        }
        let page = request.page
        let records = (1...list.count).dropFirst(offset ?? page * 4 - 4).prefix(4).map { #"{"id":\#($0)}"# }
        let hasMore = page * 4 < list.count && list.last != page
        var headers = [("X-Total-Count", "\(list.total)")]
        if hasMore, ["auto", "header_link"].contains(name) {
            headers.append(("Link", "<\(url)/animals?page=\(page + 1)>; rel=\"next\""))
        }
        let array = "[\(records.joined(separator: ","))]"
        let body =
            switch name {
            case "json_link": #"{"data":\#(array),"next":\#(hasMore ? "\"?page=\(page + 1)\"" : "null")}"#
            case "cursor": #"{"data":\#(array),"cursor":\#(hasMore ? "\(page + 1)" : "null")}"#
            default: array
            }
        guard sendsETags else { return .json(body, headers: headers) }
        var hash = StableHash()
        hash.add(body.utf8)
        let tag = "\"\(hash.value)\""
        headers.append(("ETag", tag))
        return request["If-None-Match"] == tag
            ? .response(status: 304, headers: headers) : .json(body, headers: headers)
    }

    @Test func `a page that has not changed is a part where its head says so now`() async throws {
        let field = Watched("")
        try await SyncRig.run({ request in
            let headers = [("ETag", "\"a\"")] + (field.value.isEmpty ? [] : [(field.value, "true")])
            return request["If-None-Match"] == nil
                ? .json(#"{"data":[{"id":1}]}"#, headers: headers) : .response(status: 304, headers: headers)
        }) { rig in
            let stream = rig.stream { $0.paginator = Paginator(.singlePage) }
            let first = try await rig.sync(stream).record
            #expect(first?.completeness == .complete)
            for name in ["X-Partial-Results", "X-Truncated", ""] {
                field.value = name
                let record = try await rig.sync(stream).record
                #expect(record?.completeness == (name.isEmpty ? .complete : .unknown))
            }
        }
    }

    /// The next read asks for that page as a whole, and finds what was added.
    @Test(arguments: [true, false])
    func `a last page that has not changed is none where its head leads on now`(namesPage: Bool) async throws {
        let hasMore = Watched(false)
        try await SyncRig.run({ request in
            let (page, count) = (request.page, hasMore.value ? 6 : 4)
            let ids = [2 * page - 1, 2 * page].filter { $0 <= count }
            let body =
                #"{"data":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#
            let headers = [("ETag", "\"\(page)\"")]
            guard request["If-None-Match"] != nil else { return .json(body, headers: headers) }
            let relation = namesPage ? "next" : "prev"
            return .response(
                status: 304, headers: headers + (page == 3 ? [("Link", "</animals?page=4>; rel=\"\(relation)\"")] : []))
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.pageNumber(.init()))
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            let first = try await rig.sync(stream).record
            #expect(first?.completeness == .complete)
            hasMore.value = namesPage
            let second = try await rig.sync(stream).record
            #expect(second?.completeness == (namesPage ? .partial : .complete), "\(second?.completenessReason ?? "")")
            let third = try await rig.sync(stream).record
            let rows = try rig.integers("SELECT count(*) FROM animals")
            #expect(third?.completeness == .complete && rows == [namesPage ? 6 : 4])
        }
    }

    @Test(arguments: kinds.map(\.name), [false, true])
    func `the total that a head states now counts, also for a page that has not changed`(
        name: String, sendsETags: Bool
    ) async throws {
        let kind = try #require(Self.kinds.first { $0.name == name }?.0)
        let (list, url) = (Watched(List()), Watched(""))
        try await SyncRig.run({ Self.answer($0, list.value, name, url.value, sendsETags: sendsETags) }) { rig in
            url.value = rig.server.url
            let stream = rig.stream {
                $0.paginator = Paginator(kind)
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
            }
            func look(_ change: (inout List) -> Void) async throws -> (Completeness?, rows: [Int64]) {
                list.change { change(&$0) }
                let record = try await rig.sync(stream).record
                return (record?.completeness, try rig.integers("SELECT count(*) FROM animals"))
            }
            #expect(try await look { _ in } == (.complete, [12]))
            // A list that grows and shrinks at its end is as complete as before.
            #expect(try await look { ($0.count, $0.total) = (23, 23) } == (.complete, [23]))
            #expect(try await look { ($0.count, $0.total) = (14, 14) } == (.complete, [14]))
            // A total that was wrong once does not count any longer.
            #expect(try await look { $0.total = 100 }.0 != .complete)
            #expect(try await look { $0.total = 14 } == (.complete, [14]))
            // Without a sign of page 3, only the total tells of it.
            guard !["page_number", "offset"].contains(name) else { return }
            let (completeness, rows) = try await look { $0.last = 2 }
            #expect(completeness != .complete)
            #expect(rows == [14])
        }
    }
}
