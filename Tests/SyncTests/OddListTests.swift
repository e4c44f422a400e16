import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Lists that have changed their form, or stand beside something else.
@Suite(.timeLimit(.minutes(5)))
struct OddListTests {
    /// The advice is followed: each object is a row.
    @Test(arguments: [String?.none, "$.items"])
    func `records by their names in one object are told of`(selector: String?) async throws {
        func sync(_ change: @escaping @Sendable (inout StreamConfiguration) -> Void) async throws -> (String, [Int64]) {
            let result = Watched<(String, [Int64])>(("", []))
            try await SyncRig.run({ _ in
                .json(#"{"items":{"a1":{"n":1},"a2":{"n":2},"a3":{"n":3}}}"#)
            }) { rig in
                let stream = rig.stream {
                    $0.primaryKey = []
                    change(&$0)
                }
                let outcome = try await rig.sync(stream)
                result.value = (
                    outcome.record?.warning ?? "", try rig.integers("SELECT count(*) FROM animals")
                )
            }
            return result.value
        }
        let told = try await sync { $0.recordSelector = selector }
        #expect(
            told.0.contains("3 objects of one form by their names; write record_selector: \"$.items[*]\""), "\(told)")
        let rows = try await sync { $0.recordSelector = "$.items[*]" }
        #expect(!rows.0.contains("by their names") && rows.1 == [3], "\(rows)")
        let entries = try await sync {
            $0.recordSelector = "$.items"
            $0.recordShape = .entries(keyField: "key", valueField: "value")
        }
        #expect(!entries.0.contains("by their names") && entries.1 == [3], "\(entries)")
    }

    @Test(arguments: [
        (#"{"units":{"t":"s"},"hourly":{"t":[1,2,3],"v":[4,5,6]}}"#, "$.hourly"), (#"{"t":[1,2,3],"v":[4,5,6]}"#, "$"),
    ])
    func `lists of one length in the only record are told with the lines that make records of them`(
        body: String, path: String
    ) async throws {
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let stream = rig.stream { $0.primaryKey = [] }
            let warning = try await rig.sync(stream).record?.warning ?? ""
            #expect(
                warning.contains("write record_selector: \"\(path)\" and record_shape: { type: columns }"), "\(warning)"
            )
        }
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let stream = rig.stream {
                $0.primaryKey = []
                ($0.recordSelector, $0.recordShape) = (path, .columns)
            }
            let warning = try await rig.sync(stream).record?.warning ?? ""
            #expect(!warning.contains("values each"), "\(warning)")
            #expect(try rig.integers("SELECT count(*) FROM animals") == [3])
        }
    }

    @Test(arguments: [
        (#"{"data":"[{\"id\":1}]"}"#, true), (#"{"id":7,"data":"[{\"id\":1}]"}"#, false), (#"{"data":"[x]"}"#, false),
    ])
    func `a list that comes as one text is told of`(body: String, isTold: Bool) async throws {
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let warning = try await rig.sync(rig.stream { $0.primaryKey = [] }).record?.warning ?? ""
            #expect(warning.contains("SELECT value FROM animals, json_each(data)") == isTold, "\(warning)")
            if isTold {
                #expect(try rig.integers("SELECT json_extract(value, '$.id') FROM animals, json_each(data)") == [1])
            }
        }
    }

    @Test(arguments: [#"{"id":1,"t":[1,2,3],"v":[4,5,6]}"#, #"{"name":"x","open":{"mo":[8,12],"tu":[8,12]}}"#])
    func `lists of one record with an id, or of two values, are no records`(body: String) async throws {
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let warning = try await rig.sync(rig.stream { $0.primaryKey = [] }).record?.warning ?? ""
            #expect(!warning.contains("values each"), "\(warning)")
        }
    }

    @Test func `parts of one record are no records by their names`() async throws {
        let page = #"{"id":1,"billing":{"city":"A"},"shipping":{"city":"B"},"other":{"city":"C"}}"#
        try await SyncRig.run({ _ in .json(page) }) { rig in
            let warning = try await rig.sync(rig.stream { $0.recordSelector = "$" }).record?.warning ?? ""
            #expect(!warning.contains("by their names"))
        }
    }

    /// Syncs three entries of the whole body, and then others twice. Returns what the last read is worth, its reason and the number of rows.
    private static func syncEntries(
        then now: String, _ change: @escaping @Sendable (inout StreamConfiguration) -> Void
    ) async throws -> (completeness: Completeness?, reason: String, rows: Int64?) {
        let body = Watched(#"{"e1":{"v":1},"e2":{"v":2},"e3":{"v":3}}"#)
        let found = Watched<(completeness: Completeness?, reason: String, rows: Int64?)>((nil, "", nil))
        try await SyncRig.run({ _ in .json(body.value) }) { rig in
            let stream = rig.stream {
                $0.recordShape = .entries(keyField: "id", valueField: "value")
                $0.paginator = Paginator(.singlePage)
                change(&$0)
            }
            let first = try await rig.sync(stream).record?.completeness
            #expect(first == .complete)
            body.value = now
            _ = try await rig.sync(stream)
            let record = try await rig.sync(stream).record
            let rows = try rig.integers("SELECT count(*) FROM animals").first
            found.value = (record?.completeness, record?.completenessReason ?? "", rows)
        }
        return found.value
    }

    @Test(
        arguments: OddList.modes.indices,
        [
            #"{"e1":{"v":1},"e2":{"v":2},"next":"http://127.0.0.1/y"}"#, #"{"Note":"5 calls per minute"}"#,
            #"{"Information":{"text":"limit reached"}}"#, #"{"e1":{"v":1},"next":"/y","prev":"/x"}"#,
            #"{"e1":{"v":1},"e2":{"v":2},"truncated":true}"#, #"{"message":"Forbidden","v":403}"#, #"{"data":{}}"#,
            #"{"e1":{"v":1},"e2":{"v":2},"_links":{"next":{"href":"/y"}}}"#,
            #"{"data":null}"#, #"{"meta":{"total":3,"next":"/y"},"e1":{"v":1},"e2":{"v":2}}"#,
            #"{"e1":{"v":1},"e2":{"v":2},"pagination":{"next_cursor":"c"}}"#,
        ])
    func `a member of the whole body that is no entry as the others are is not understood`(mode: Int, now: String)
        async throws
    {
        for selector in [nil, "$"] as [String?] {
            let odd = try await Self.syncEntries(then: now) {
                OddList.modes[mode](&$0)
                $0.recordSelector = selector
            }
            #expect(odd.completeness == .unknown && odd.rows == 3, "\(odd)")
            guard let line = odd.reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, !now.contains("prev") else {
                continue
            }
            let ignored = try Selector(parsing: String(line))
            let settled = try await Self.syncEntries(then: now) {
                OddList.modes[mode](&$0)
                ($0.recordSelector, $0.paginator.limits.ignored) = (selector, [ignored])
            }
            #expect(settled.completeness == .complete && settled.rows == 2, "\(settled)")
        }
    }

    @Test(arguments: [
        (#"{"e1":{"v":1},"e2":null,"e3":[]}"#, Int64(3)), (#"{"e9":{"v":9}}"#, 1), (#"{"e9":{"w":9,"v":null}}"#, 1),
        (#"{"e7":{"w":7},"e8":{"w":8}}"#, 2), (#"{"e1":{"v":1},"meta":{"v":2},"page":{}}"#, 3),
        (#"{"e1":{"v":1},"e2":{}}"#, 2), (#"{"links":{"v":5}}"#, 1),
    ])
    func `other entries are what the list has now`(now: String, rows: Int64) async throws {
        let read = try await Self.syncEntries(then: now) { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
        #expect(read.completeness == .complete && read.rows == rows, "\(read)")
    }

    @Test(arguments: [String?.none, "$"], ["error", "errors"])
    func `an entry with the name of an error is one like the others`(selector: String?, name: String) async throws {
        let list = #"{"e1":{"v":1},"\#(name)":{"v":9},"e3":{"v":3}}"#
        try await SyncRig.run({ _ in .json(list) }) { rig in
            let stream = rig.stream {
                ($0.recordShape, $0.recordSelector) = (.entries(keyField: "id", valueField: "value"), selector)
                ($0.paginator, $0.deleteMissing) = (Paginator(.singlePage), .hard)
            }
            for _ in 1...2 {
                let completeness = try await rig.sync(stream).record?.completeness
                #expect(completeness == .complete)
            }
            let rows = try rig.integers("SELECT count(*) FROM animals")
            #expect(rows == [3])
        }
    }

    @Test(arguments: OddList.modes.indices)
    func `an empty list beside a filled one of a usual name is not understood`(mode: Int) async throws {
        let now = LoopbackReply.json(#"{"data":[],"items":[{"id":1},{"id":2}],"next":null}"#)
        let (record, rows, _) = try await OddList.sync(now, OddList.modes[mode])
        #expect(record?.completeness == .unknown)
        #expect(rows == [1, 2])
    }

    /// What the source has done from the beginning, or the advised line allows, is believed.
    @Test(arguments: OddList.modes.indices, [[202, 202], [200, 202], [202, 200]])
    func `records with 202 that came with another status before are not all`(mode: Int, statuses: [Int]) async throws {
        let answer = Watched((status: statuses[0], body: OddList.list))
        try await SyncRig.run({ _ in
            .response(status: answer.value.status, body: answer.value.body)
        }) { rig in
            var stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.recordSelector = "$.data[*]"
            }
            _ = try await rig.sync(stream)
            answer.value = (statuses[1], #"{"data":[{"id":1}],"next":null}"#)
            let isOdd = statuses == [200, 202]
            for _ in 0..<(isOdd ? 2 : 1) {
                let record = try #require(try await rig.sync(stream).record)
                #expect(record.completeness == (isOdd ? .unknown : .complete))
                let rows = try OddList.rows(rig)
                #expect(rows == (isOdd ? [1, 2] : [1]))
                #expect(record.completenessReason?.contains("action: accept") ?? false == isOdd)
            }
            stream.responseActions = [.init(status: 202, action: .accept)]
            let settled = try await rig.sync(stream).record?.completeness
            let rows = try OddList.rows(rig)
            #expect(settled == .complete && rows == [1])
        }
    }

    /// An address names the list, unless it is a cursor or has the value elsewhere.
    @Test(arguments: [
        ("?page=2", false), ("?page=2&part=LIST", true), ("?page=2&shelf=LIST", true), ("?cursor=LIST", true),
    ])
    func `a next page that leaves out the parameter of its list is another one's`(next: String, isWhole: Bool)
        async throws
    {
        try await SyncRig.run({ request in
            let list = request.target.contains("=b") ? "b" : "a"
            let isFirst = !request.target.contains("page=2") && !request.target.contains("cursor=")
            let text = isFirst ? "\"\(next.replacing("LIST", with: list))\"" : "null"
            return .json(#"{"data":[{"id":"\#(list)\#(isFirst ? 1 : 2)"}],"next":\#(text)}"#)
        }) { rig in
            let stream = rig.stream {
                $0.request.params = [.init(name: "part", value: .literal("{partition.part}"))]
                $0.partitions = [Partition(name: "part", values: ["a", "b"])]
            }
            let record = try #require(try await rig.sync(stream).record)
            #expect((record.completeness == .complete) == isWhole)
        }
    }

    @Test func `a first answer with a code of an error and an empty place is a refusal`() async throws {
        try await SyncRig.run({ _ in
            .json(#"{"_embedded":{"animals":[]},"page":{"totalElements":47},"errcode":45009,"message":"busy"}"#)
        }) { rig in
            let outcome = try await rig.sync()
            #expect(outcome.failure != nil)
            #expect(try rig.integers("SELECT count(*) FROM sqlite_schema WHERE name = 'animals'") == [0])
        }
    }

    @Test(arguments: ["failures", "errors", "problems"])
    func `what failed beside records that stand deeper is no record`(name: String) async throws {
        try await SyncRig.run({ _ in
            .json(#"{"help":"h","result":{"results":[{"id":1},{"id":2}]},"\#(name)":[{"shard":3}]}"#)
        }) { rig in
            let (record, rows) = (try await rig.sync().record, try OddList.rows(rig))
            #expect(record?.completeness != .complete && rows == [1, 2])
        }
    }

    @Test func `objects without a value are no record, in a first read, either`() async throws {
        try await SyncRig.run({ _ in .json(#"{"data":{}}"#) }) { rig in
            let record = try #require(try await rig.sync(rig.stream { $0.primaryKey = nil }).record)
            #expect(record.completeness == .unknown && record.counts.inserted == 0)
        }
    }

    @Test(arguments: [("records", true), ("data", true), ("archived", false)])
    func `a second list of a usual name is told beside one that is selected`(name: String, isTold: Bool) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ _ in
            let (one, two) = (#"{"id":1,"name":"a1","kind":"owl"}"#, #"{"id":2,"name":"a2","kind":"owl"}"#)
            return .json(
                isOdd.value
                    ? #"{"items":[\#(one)],"next":null,"\#(name)":[\#(two)]}"#
                    : #"{"items":[\#(one),\#(two)],"next":null}"#)
        }) { rig in
            var stream = rig.stream {
                ($0.recordSelector, $0.deleteMissing, $0.maxDeleteRatio) = ("$.items[*]", .hard, 1)
            }
            let first = try await rig.sync(stream).record?.completeness
            isOdd.value = true
            let odd = try await rig.sync(stream).record
            let kept = try OddList.rows(rig)
            #expect(first == .complete && odd?.completeness == (isTold ? .unknown : .complete))
            #expect(kept == (isTold ? [1, 2] : [1]))
            guard isTold else { return }
            let reason = try #require(odd?.completenessReason)
            let line = try #require(reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, "\(reason)")
            let both = try #require(reason.firstMatch(of: /record_selector: "(.+?)"/)?.1, "\(reason)")
            stream.recordSelector = String(both)
            let whole = try await rig.sync(stream).record?.completeness
            let all = try OddList.rows(rig)
            #expect(whole == .complete && all == [1, 2])
            stream.recordSelector = "$.items[*]"
            stream.paginator.limits.ignored = [try Selector(parsing: String(line))]
            let settled = try await rig.sync(stream).record?.completeness
            let rows = try OddList.rows(rig)
            #expect(settled == .complete && rows == [1])
        }
    }

    /// The other list of an answer, and whether it makes the list of two records doubtful.
    @Test(arguments: [
        (#""archived":[{"id":7,"name":"b","kind":"owl"}]"#, true),
        (#""archived":[{"kind":"owl","name":"b","id":7}]"#, true),
        (#""archived":[{"id":7,"name":"b"}]"#, false),
        (#""archived":[{"id":7,"name":"b","kind":"owl","at":1}]"#, false),
        (#""archived":[{"id":2,"name":"a2","kind":"owl"}]"#, false), (#""archived":["a"]"#, false),
        (#""included":[{"id":7,"name":"b","kind":"owl"}]"#, false),
    ])
    func `a second list of the same kind is told, with lines for either`(other: String, isTwin: Bool) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ _ in
            let records = #"{"id":1,"name":"a1","kind":"owl"},{"id":2,"name":"a2","kind":"owl"}"#
            let beside = isOdd.value ? other : #""archived":[]"#
            return .json(#"{"data":[\#(records)],"next":null,\#(beside)}"#)
        }) { rig in
            var stream = rig.stream()
            let before = try await rig.sync(stream).record
            isOdd.value = true
            let after = try await rig.sync(stream).record
            #expect(before?.completeness == .complete)
            #expect(after?.completeness == (isTwin ? .unknown : .complete), "\(after?.completenessReason ?? "")")
            guard isTwin else { return }
            let reason = try #require(after?.completenessReason)
            let both = try #require(reason.firstMatch(of: /record_selector: "(.+?)"/)?.1, "\(reason)")
            let own = try #require(reason.firstMatch(of: /record_selector: (\$\.\w+)/)?.1, "\(reason)")
            for (selector, rows) in [(own, [1, 2]), (both, [1, 2, 7])] as [(Substring, [Int64])] {
                stream.recordSelector = String(selector)
                #expect(try await rig.sync(stream).record?.completeness == .complete, "\(selector)")
                #expect(try OddList.rows(rig) == rows)
            }
        }
    }
}
