import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Lists to which a redirect leads.
@Suite(.timeLimit(.minutes(5)))
struct RedirectedListTests {
    @Test(arguments: OddList.modes.indices)
    func `records behind a redirect that was not there before are not believed`(mode: Int) async throws {
        let now = LoopbackReply.response(status: 302, headers: [("Location", "/login")], body: "")
        let (record, rows, _) = try await OddList.sync(now, OddList.modes[mode])
        #expect(record?.completeness == .unknown)
        #expect(rows.contains(1) && rows.contains(2))
    }

    @Test(arguments: OddList.modes.indices, ["?limit=1", "?scope=mine&sid=77"])
    func `a redirect that adds parameters is a doubt unless each read has had it`(mode: Int, query: String) async throws
    {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            guard request.target.contains("?") || !isOdd.value else {
                return .response(status: 302, headers: [("Location", "/animals\(query)")], body: "")
            }
            return isOdd.value ? .json(#"{"data":[{"id":1}],"next":null}"#) : .json(OddList.list)
        }) { rig in
            let stream = rig.stream { OddList.modes[mode](&$0) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            let record = try await rig.sync(stream).record
            let rows = try OddList.rows(rig)
            #expect(record?.completeness == .unknown && rows == [1, 2])
            let other = rig.stream("others") { OddList.modes[mode](&$0) }
            for _ in 1...2 {
                let record = try await rig.sync(other).record
                #expect(record?.completeness == .complete)
            }
        }
    }

    @Test(arguments: OddList.modes.indices)
    func `records behind a redirect are not believed where other pages follow, either`(mode: Int) async throws {
        let isElsewhere = Watched(false)
        try await SyncRig.run({ request in
            if request.target.hasPrefix("/login") { return .json(#"{"data":[{"id":1}]}"#) }
            if isElsewhere.value, request.page == 1 {
                return .response(status: 302, headers: [("Location", "/login")], body: "")
            }
            let ids = request.page < 3 ? [2 * request.page - 1, 2 * request.page] : []
            return .json(#"{"data":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#)
        }) { rig in
            let stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.paginator = Paginator(.pageNumber(.init()))
            }
            let first = try await rig.sync(stream).record?.completeness
            isElsewhere.value = true
            let second = try await rig.sync(stream).record?.completeness
            let rows = try OddList.rows(rig)
            #expect(first == .complete && second == .unknown)
            if mode == 0 { #expect(rows == [1, 2, 3, 4]) }
        }
    }

    @Test(arguments: OddList.modes.indices)
    func `no content behind a redirect that was not there before is not believed`(mode: Int) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            if request.target.hasPrefix("/login") { return .status(204) }
            guard isOdd.value else { return .json(OddList.list) }
            return .response(status: 302, headers: [("Location", "/login")], body: "")
        }) { rig in
            let stream = rig.stream { OddList.modes[mode](&$0) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            let outcome = try await rig.sync(stream)
            #expect(outcome.failure != nil)
            #expect(try OddList.rows(rig) == [1, 2])
        }
    }

    @Test(arguments: OddList.modes.indices, [true, false])
    func `an empty page is the last one where it came from where the pages before it came from`(
        mode: Int, isSame: Bool
    ) async throws {
        try await SyncRig.run({ request in
            if request.target.hasPrefix("/login") { return .json(#"{"data":[]}"#) }
            let ids = request.page < 3 ? [2 * request.page - 1, 2 * request.page] : []
            if request.target.hasPrefix("/v2") {
                return .json(#"{"data":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#)
            }
            let place = isSame || !ids.isEmpty ? "/v2/animals" : "/login"
            return .response(status: 302, headers: [("Location", "\(place)?page=\(request.page)")], body: "")
        }) { rig in
            let stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.paginator = Paginator(.pageNumber(.init()))
            }
            for _ in 1...2 {
                let record = try await rig.sync(stream).record
                let rows = try OddList.rows(rig)
                #expect(record?.completeness == (isSame ? .complete : .unknown), "\(record?.completenessReason ?? "")")
                #expect(rows == [1, 2, 3, 4])
            }
        }
    }

    @Test func `a redirect that each read has had is no doubt`() async throws {
        try await SyncRig.run({ request in
            request.target.hasPrefix("/v2")
                ? .json(OddList.list) : .response(status: 302, headers: [("Location", "/v2/animals")], body: "")
        }) { rig in
            for _ in 1...3 {
                let outcome = try await rig.sync(rig.stream { $0.deleteMissing = .hard })
                #expect(outcome.record?.completeness == .complete)
            }
        }
    }
}
