import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Answers that say by the way that they do not hold all: in a total that is none, beside a count, or around the list.
@Suite(.timeLimit(.minutes(3)))
struct SecondWordTests {
    private static func records(_ count: Int) -> String {
        "[\((0..<count).map { #"{"id":\#($0)}"# }.joined(separator: ","))]"
    }

    /// Syncs 24 records, and then an answer with the first 21 of them. Returns the completeness of that read and the rows that stay.
    private static func sync(
        _ whole: LoopbackReply, _ answer: LoopbackReply, replacing: Bool = false
    ) async throws -> (completeness: Completeness?, rows: Int64?) {
        let reply = Watched(whole)
        let result = Watched<(completeness: Completeness?, rows: Int64?)>((nil, nil))
        try await SyncRig.run({ _ in reply.value }) { rig in
            let stream = rig.stream {
                $0.primaryKey = ["id"]
                if replacing { $0.writeDisposition = .replace } else { $0.deleteMissing = .hard }
            }
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            reply.value = answer
            let outcome = try await rig.sync(stream)
            result.value = (outcome.record?.completeness, try rig.integers("SELECT count(*) FROM animals").first)
        }
        return result.value
    }

    @Test(arguments: [
        "21+", ">21", "over 21", "first 21", "21 of many", "21k", "max 21", "21 per page", "21…", "~21", "at least 21",
    ])
    func `a total with more than digits and plain nouns is a lower bound`(total: String) async throws {
        let (completeness, rows) = try await Self.sync(
            .json(#"{"items":\#(Self.records(24)),"total":24}"#),
            .json(#"{"items":\#(Self.records(21)),"total":"\#(total)"}"#))
        #expect(completeness != .complete)
        #expect(rows == 24)
    }

    @Test(arguments: ["21", "21 items", "total 21 records"])
    func `a total with plain nouns is one`(total: String) async throws {
        let (completeness, rows) = try await Self.sync(
            .json(#"{"items":\#(Self.records(24)),"total":24}"#),
            .json(#"{"items":\#(Self.records(21)),"total":"\#(total)"}"#))
        #expect(completeness == .complete)
        #expect(rows == 21)
    }

    @Test(arguments: [
        #""numFound":21,"numFoundExact":false"#, #""nbHits":21,"exhaustiveNbHits":false"#,
        #""nbHits":21,"exhaustive":{"nbHits":false}"#, #""total":21,"total_relation":"gte""#,
        #""total":21,"total_is_estimate":true"#, #""total":21,"pages":2"#, #""total":21,"truncated":1"#,
        #""total":21,"failed_shards":1"#, #""total":21,"_shards":{"total":5,"successful":4}"#,
        #""total":21,"exceeded_limit":true"#, #""total":{"value":21,"isLowerBound":true}"#,
        #""total":{"value":21,"accuracy":"estimate"}"#, #""total":21,"state":"failed""#,
        #""total":21,"code":"ERR_TIMEOUT""#,
        #""total":21,"err":"timeout""#,
    ])
    func `what says beside a total that it is not all is heard`(members: String) async throws {
        let name = members.contains("numFound") ? "numFound" : members.contains("nbHits") ? "nbHits" : "total"
        let (completeness, rows) = try await Self.sync(
            .json(#"{"items":\#(Self.records(24)),"\#(name)":24}"#),
            .json(#"{"items":\#(Self.records(21)),\#(members)}"#))
        #expect(completeness != .complete)
        #expect(rows == 24)
    }

    @Test(arguments: [
        #""status":"ERROR""#, #""success":false"#, #""ok":false"#, #""code":500"#, #""statusCode":503"#,
        #""errors":["x"]"#,
    ])
    func `a failure in the object around records is heard as at the root`(members: String) async throws {
        let (completeness, rows) = try await Self.sync(
            .json(#"{"data":{"items":\#(Self.records(24)),"next":null}}"#),
            .json(#"{"data":{"items":\#(Self.records(21)),"next":null,\#(members)}}"#))
        #expect(completeness != .complete)
        #expect(rows == 24)
    }

    @Test(arguments: [
        #"{"items":[],"next":null,"state":"failed"}"#,
        #"{"items":[],"next":null,"ResponseStatus":{"ErrorCode":"Throttled","Message":"x"}}"#,
        #"{"items":[],"next":null,"header":{"status":"error"}}"#,
        #"{"items":[],"next":null,"result":{"code":500,"message":"x"}}"#,
        #"{"items":[],"next":null,"pagination":{"error":"timeout"}}"#,
    ])
    func `an empty list beside a failure replaces nothing`(answer: String) async throws {
        let (completeness, rows) = try await Self.sync(
            .json(#"{"items":\#(Self.records(24)),"next":null}"#), .json(answer), replacing: true)
        #expect(completeness != .complete)
        #expect(rows == 24)
    }

    @Test func `an empty list that comes with a request to wait replaces nothing`() async throws {
        let empty = LoopbackReply.response(
            status: 200, headers: [("Content-Type", "application/json"), ("Retry-After", "60")],
            body: #"{"items":[],"next":null}"#)
        let (completeness, rows) = try await Self.sync(
            .json(#"{"items":\#(Self.records(24)),"next":null}"#), empty, replacing: true)
        #expect(completeness != .complete)
        #expect(rows == 24)
    }

    @Test func `a header that states two totals states none`() async throws {
        func reply(_ count: Int, _ totals: [String]) -> LoopbackReply {
            .response(
                status: 200,
                headers: [("Content-Type", "application/json")] + totals.map { ("X-Total-Count", $0) },
                body: Self.records(count))
        }
        let (completeness, rows) = try await Self.sync(reply(24, ["24"]), reply(21, ["21", "24"]))
        #expect(completeness != .complete)
        #expect(rows == 24)
    }

    @Test func `links beside the list are no list`() async throws {
        try await SyncRig.run({ request in
            let isSecond = request.target.contains("page=2")
            let ids = isSecond ? "[{\"id\":3}]" : "[{\"id\":1},{\"id\":2}]"
            let links = isSecond ? "[]" : #"[{"rel":"next","href":"/animals?page=2"}]"#
            return .json(#"{"data":{"items":\#(ids),"links":\#(links)}}"#)
        }) { rig in
            let outcome = try await rig.sync(rig.stream { $0.primaryKey = ["id"] })
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3])
            #expect(outcome.status == .succeeded)
        }
    }
}
