import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Nothing in the place of a list.
@Suite(.timeLimit(.minutes(5)))
struct MissingListTests {
    @Test(arguments: OddList.modes.indices)
    func `null in the place of a list is asked for twice`(mode: Int) async throws {
        let (record, rows, requests) = try await OddList.sync(.json(#"{"data":null,"next":null}"#), OddList.modes[mode])
        #expect(record?.completeness == .complete)
        #expect(rows.isEmpty && requests == 2)
    }

    /// Also where the table deletes nothing.
    @Test(arguments: [
        (LoopbackReply.status(204), String?.some("$.data[*]")), (.json(#"{"data":null,"next":null}"#), "$.data[*]"),
        (.json(#"{"data":{},"next":null}"#), "$.data[*]"),
        (.response(headers: [("Content-Type", "application/x-ndjson")], body: ""), nil),
    ])
    func `nothing in the place of a list is asked for once more where the list comes again`(
        nothing: LoopbackReply, selector: String?
    ) async throws {
        let records = #"[{"id":1},{"id":2},{"id":3}]"#
        let list = selector == nil ? records : #"{"data":\#(records),"next":null}"#
        for mode in OddList.modes + [{ _ in }] {
            let (isOdd, requests) = (Watched(false), Watched(0))
            try await SyncRig.run({ _ in
                requests.change { $0 += 1 }
                defer { isOdd.value = false }
                return isOdd.value ? nothing : .json(list)
            }) { rig in
                let stream = rig.stream {
                    mode(&$0)
                    $0.recordSelector = selector
                    if selector == nil { $0.paginator = Paginator(.singlePage) }
                }
                _ = try await rig.sync(stream)
                (isOdd.value, requests.value) = (true, 0)
                let record = try #require(try await rig.sync(stream).record)
                #expect(record.completeness == .complete && requests.value == 2)
                #expect(record.counts.unchanged == 3 && record.counts.inserted == 0)
                #expect(try OddList.rows(rig) == [1, 2, 3])
            }
        }
    }

    @Test(arguments: [#"{"data":null,"next":null}"#, #"{"data":{},"next":null}"#])
    func `nothing in the place of a list that nobody has seen is asked for once more, in the first read only`(
        nothing: String
    ) async throws {
        for isOddOnce in [true, false] {
            let (isOdd, requests) = (Watched(true), Watched(0))
            try await SyncRig.run({ _ in
                requests.change { $0 += 1 }
                defer { if isOddOnce { isOdd.value = false } }
                return .json(isOdd.value ? nothing : OddList.list)
            }) { rig in
                let stream = rig.stream { $0.recordSelector = "$.data[*]" }
                let record = try #require(try await rig.sync(stream).record)
                #expect(record.completeness == .complete && requests.value == 2)
                #expect(record.counts.inserted == (isOddOnce ? 2 : 0))
                _ = try await rig.sync(stream)
                #expect(requests.value == 3)
            }
        }
    }

    @Test func `null under a usual name is asked for once more, whatever empty list of another name stands beside it`()
        async throws
    {
        let requests = Watched(0)
        try await SyncRig.run({ _ in
            requests.change { $0 += 1 }
            let list = requests.value == 1 ? "null" : #"[{"id":1},{"id":2}]"#
            return .json(#"{"meta":{"page":1},"results":\#(list),"group_by":[],"next":null}"#)
        }) { rig in
            let record = try #require(try await rig.sync(rig.stream()).record)
            #expect(record.completeness == .complete && requests.value == 2)
            #expect(try OddList.rows(rig) == [1, 2])
        }
    }

    /// The server confirms the validator of null as it does that of the list.
    @Test(arguments: [#"{"data":null,"next":null}"#, #"{"data":[],"next":null}"#])
    func `nothing with the validator of the list is asked for once more without it`(nothing: String) async throws {
        let (isOdd, conditions) = (Watched(false), Watched<[String?]>([]))
        try await SyncRig.run({ request in
            let condition = request["If-None-Match"]
            conditions.change { $0.append(condition) }
            defer { isOdd.value = false }
            let headers = [("ETag", "\"x\""), ("Content-Type", "application/json")]
            if isOdd.value { return .response(headers: headers, body: nothing) }
            if condition != nil { return .response(status: 304, headers: headers, body: "") }
            return .response(headers: headers, body: OddList.list)
        }) { rig in
            let stream = rig.stream { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            _ = try await rig.sync(stream)
            #expect(try OddList.rows(rig) == [1, 2])
            #expect(conditions.value == [nil, "\"x\"", nil])
        }
    }

    @Test(arguments: OddList.modes.indices)
    func `null once in the place of a later page loses no row`(mode: Int) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            if request.page == 2, isOdd.value {
                isOdd.value = false
                return .json(#"{"data":null}"#)
            }
            return .json(
                request.page == 1
                    ? #"{"data":[{"id":1},{"id":2}],"next":"?page=2"}"# : #"{"data":[{"id":3}],"next":null}"#)
        }) { rig in
            let stream = rig.stream { OddList.modes[mode](&$0) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            _ = try await rig.sync(stream)
            #expect(try OddList.rows(rig) == [1, 2, 3])
        }
    }

    /// Where only what is new is asked for, nothing is the usual answer.
    @Test func `204 for what is new is asked for once`() async throws {
        let requests = Watched(0)
        try await SyncRig.run({ _ in
            requests.change { $0 += 1 }
            return requests.value == 1 ? .json(OddList.list) : .status(204)
        }) { rig in
            let stream = rig.stream {
                $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
                $0.incremental = Incremental(cursorField: "id")
            }
            for _ in 1...3 {
                let outcome = try await rig.sync(stream)
                #expect(outcome.record?.completeness == .complete)
            }
            #expect(requests.value == 3)
        }
    }
}
