import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// What a server tells people beside the records.
@Suite(.timeLimit(.minutes(2)))
struct ServerRemarkTests {
    private static let remarks = [
        (#""warning":"v1 ends in May""#, "the source says at $.warning: “v1 ends in May”"),
        (#""warnings":["one","two"]"#, "the source says at $.warnings: “one”"),
        (#""warnings":{"main":{"*":"unknown value"}}"#, "the source says at $.warnings: “unknown value”"),
        (#""warnings":[{"code":4,"message":"slow"}]"#, "the source says at $.warnings: “slow”"),
        (
            #""response_metadata":{"messages":["[WARN] a"]}"#,
            "the source says at $.response_metadata.messages: “[WARN] a”"
        ),
    ]

    /// Syncs a list of two animals beside other members, with a second page if there is to be one.
    private static func sync(_ members: String, ignoring place: String? = nil, pages: Int = 1) async throws
        -> RunRecord?
    {
        let record = Watched<RunRecord?>(nil)
        try await SyncRig.run({ request in
            let isFirst = pages > 1 && !request.target.contains("page=2")
            let next = pages > 1 ? isFirst ? #","next":"?page=2""# : #","next":null"# : ""
            return .json(#"{"data":[{"id":\#(isFirst ? 1 : 2)},{"id":3}],"has_more":\#(isFirst),\#(members)\#(next)}"#)
        }) { rig in
            let ignored = try [place].compactMap { try $0.map(Selector.init(parsing:)) }
            record.value = try await rig.sync(rig.stream { $0.paginator.limits.ignored = ignored }).record
        }
        return record.value
    }

    @Test(arguments: remarks)
    func `a remark is a warning of the run, and changes no verdict`(members: String, warning: String) async throws {
        let run = try #require(try await Self.sync(members))
        #expect(run.status == .succeeded)
        #expect(run.completeness == .complete)
        #expect(run.warning == warning)
    }

    @Test func `a remark on each page is given once`() async throws {
        let run = try #require(try await Self.sync(#""warning":"v1 ends in May""#, pages: 2))
        #expect(run.counts.pages == 2)
        #expect(run.warning == "the source says at $.warning: “v1 ends in May”")
    }

    @Test func `a remark that the configuration ignores is not given`() async throws {
        #expect(try await Self.sync(#""warning":"v1 ends in May""#, ignoring: "$.warning")?.warning == nil)
    }

    @Test(arguments: [
        #""warning":"""#, #""warning":null"#, #""warnings":[]"#, #""messages":[{"code":"0","message":"OK"}]"#,
        #""messages":{"success":"OK"}"#,
    ])
    func `what is no remark is not given`(members: String) async throws {
        #expect(try await Self.sync(members)?.warning == nil)
    }

    @Test func `records under such a name are no remark`() async throws {
        try await SyncRig.run({ _ in .json(#"{"ok":true,"messages":[{"id":1,"text":"hello"}],"has_more":false}"#) }) {
            rig in
            let run = try await rig.sync(rig.stream()).record
            #expect(run?.counts.inserted == 1)
            #expect(run?.warning == nil)
        }
    }
}
