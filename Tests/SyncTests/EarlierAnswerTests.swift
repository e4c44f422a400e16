import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Answers without records, which are compared with those that had some in an earlier page or read.
@Suite(.timeLimit(.minutes(2)))
struct EarlierAnswerTests {
    /// Syncs a stream with each answer in turn. Returns the record of the last run, or nil if it failed, and the number of rows.
    private static func sync(
        _ answers: [String],
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { $0.deleteMissing = .hard }
    ) async throws -> (record: RunRecord?, failure: RunFailure?, rows: [Int64]) {
        let answer = Watched("")
        let result = Watched<(record: RunRecord?, failure: RunFailure?, rows: [Int64])>((nil, nil, []))
        try await SyncRig.run({ _ in .json(answer.value) }) { rig in
            var outcome: RunOutcome?
            for text in answers {
                answer.value = text
                outcome = try await rig.sync(
                    rig.stream {
                        $0.paginator = Paginator(.singlePage)
                        change(&$0)
                    })
            }
            let rows = (try? rig.integers("SELECT count(*) FROM animals")) ?? [0]
            result.value = (outcome?.record, outcome?.failure, rows)
        }
        return result.value
    }

    private static let animals = #"[{"id":1,"name":"elephant"},{"id":2,"name":"mole"}]"#

    @Test(arguments: [
        #"{"code":401,"msg":"Unauthorized","data":[]}"#, #"{"status":"error","message":"Unauthorized","data":[]}"#,
        #"{"success":"false","message":"Unauthorized","data":[]}"#,
        #"{"isSuccess":false,"reason":"Unauthorized","data":[]}"#,
        #"{"stat":"fail","message":"Unauthorized"}"#, #"{"code":401,"msg":"Unauthorized","data":null}"#,
        #"{"meta":{"code":"403","errorMessage":"Unauthorized"},"data":[]}"#, #"{"cod":"404","message":"Unauthorized"}"#,
        #"{"StatusCode":500,"Message":"x","msg":"Unauthorized","data":null}"#,
        #"{"status":"DENIED","msg":"Unauthorized","data":[]}"#,
    ])
    func `an answer that says that it has failed fails the run in its words, and the rows stay`(refusal: String)
        async throws
    {
        for selector in [nil, "$.data", "$.data[*]"] {
            for mode in [WriteDisposition.replace, nil] {
                let (_, failure, rows) = try await Self.sync([#"{"code":200,"data":\#(Self.animals)}"#, refusal]) {
                    $0.recordSelector = selector
                    $0.writeDisposition = mode
                    if mode == nil { $0.deleteMissing = .hard }
                }
                #expect(failure?.message.contains("says that it refuses: “Unauthorized”") == true, "\(selector ?? "-")")
                #expect(rows == [2])
            }
        }
    }

    @Test(arguments: [
        // A value that says yes, and the one that stood beside records.
        (#""code":200"#, #""code":200"#, true), (#""code":0"#, #""code":0"#, true),
        (#""status":"ok""#, #""status":"success""#, true),
        (#""success":true"#, #""success":true,"code":null"#, true), (#""code":0"#, #""x":1"#, true),
        (#""status":{"code":500}"#, #""status":{"code":501}"#, true),
        (#""errcode":0"#, #""errcode":0,"error":null"#, true), (#""result":"ok""#, #""result":"ok""#, true),
        (#""x":1"#, #""error":false,"hasErrors":0,"errors":[]"#, true),
        (#""success":true"#, #""success":true,"message":"There are none""#, true),
        (#""code":0,"msg":"Two""#, #""code":0,"msg":"None now""#, true),
        (#""note":"From the zoo""#, #""note":"From the zoo""#, true), (#""x":1"#, #""message":"OK""#, true),
        (#""x":1"#, #""warnings":["It is late"]"#, true), (#""x":1"#, #""preferred":true"#, true),
        (#""x":1"#, #""error":{"code":"ok","message":"","log_id":"7"}"#, true),
        (#""status":"1","message":"OK""#, #""status":"0","message":"No transactions found""#, true),
        (#""x":1"#, #""message":"No records found.""#, true), (#""status":"OK""#, #""status":"ZERO_RESULTS""#, true),
        (#""x":1"#, #""title":"My blog""#, true),
        // Another one, or one that has never stood beside records.
        (#""code":0"#, #""code":7"#, false), (#""status":"1""#, #""status":"0""#, false),
        (#""x":1"#, #""code":7"#, false),
        (#""status":"OK""#, #""status":"OVER_QUERY_LIMIT""#, false),
        (#""status":"OK""#, #""status":"DELAYED","message":"Slow down""#, false),
        (#""x":1"#, #""title":"Busy","instance":"/busy""#, false), (#""success":1"#, #""success":0"#, false),
        (#""errcode":0"#, #""errcode":45009"#, false), (#""result":"ok""#, #""result":"error""#, false),
        (#""x":1"#, #""error":1"#, false), (#""x":1"#, #""isError":true"#, false),
        (#""x":1"#, #""failed":true"#, false),
        (#""x":1"#, #""throttled":true"#, false), (#""x":1"#, #""Note":"Five calls a minute""#, false),
        (#""x":1"#, #""httpStatus":"5x""#, false), (#""x":1"#, #""authorized":false"#, false),
        (#""x":1"#, #""authorized":true"#, true), (#""x":1"#, #""message":"Slow down""#, false),
        (#""message":"OK""#, #""message":"Slow down""#, false),
        (#""meta":{}"#, #""meta":{"detail":"Try again later"}"#, false),
        (#""status":"1","message":"OK""#, #""status":"0","message":"NOTOK""#, false),
        (#""status":"1","message":"OK""#, #""status":"0","message":"Max rate limit reached""#, false),
        (#""status":"1","message":"OK""#, #""status":"0","message":"No account found""#, false),
        (#""status":"1","message":"OK""#, #""status":"0","message":"No transactions found for this key""#, false),
        (#""code":0"#, #""code":7,"message":"No data found""#, false),
    ])
    func `an empty list is the list only beside what stood beside records`(
        before: String, now: String, isEnd: Bool
    ) async throws {
        let answers = [#"{\#(before),"data":\#(Self.animals)}"#, #"{\#(now),"data":[]}"#]
        let (record, failure, rows) = try await Self.sync(answers) {
            $0.deleteMissing = .hard
            $0.maxDeleteRatio = 1
        }
        #expect(failure == nil)
        #expect(record?.completeness == (isEnd ? .complete : .unknown))
        #expect(rows == [isEnd ? 0 : 2])
        let replaced = try await Self.sync(answers) { $0.writeDisposition = .replace }
        #expect(replaced.rows == [isEnd ? 0 : 2])
        #expect(replaced.failure == nil)
    }

    @Test(arguments: [
        (#""code":0,"msg":"success""#, true), (#""code":"0","msg":"""#, true), (#""status":"1","message":"OK""#, true),
        (#""type":"FeatureCollection","title":"Current alerts""#, true), (#""meta":{"status":"done"}"#, true),
        (#""title":"My blog""#, true), (#""title":"Too busy","type":"about:blank""#, false),
        (#""meta":{"status":"delayed"}"#, true), (#""status":"DELAYED""#, true), (#""status":"pending""#, false),
        (#""status":"queued""#, false), (#""status":"busy""#, false),
        (#""code":0"#, false), (#""code":7,"msg":"""#, false), (#""code":0,"msg":"Slow down""#, false),
        (#""code":0,"msg":"","detail":"Busy""#, false),
    ])
    func `the very first list may be empty beside words that say that all went well`(
        words: String, isEnd: Bool
    ) async throws {
        let (record, failure, _) = try await Self.sync([#"{\#(words),"data":[]}"#]) { $0.deleteMissing = .hard }
        #expect(failure == nil)
        #expect(record?.completeness == (isEnd ? .complete : .unknown), "\(record?.completenessReason ?? "")")
    }

    @Test(arguments: [("animals?status=pending", Completeness.complete), ("animals?state=open", .unknown)])
    func `a status that the request asks for says nothing of the answer`(path: String, expected: Completeness)
        async throws
    {
        for list in [Self.animals, "[]"] {
            let answer = #"{"meta":{"status":"pending"},"data":\#(list)}"#
            let (record, failure, _) = try await Self.sync([answer]) {
                ($0.request.path, $0.deleteMissing) = (path, .hard)
            }
            #expect(failure == nil && record?.completeness == expected, "\(record?.completenessReason ?? "")")
        }
    }

    @Test(arguments: [
        #""error":"access denied""#, #""status":"error","message":"no""#, #""success":false"#, #""code":401"#,
    ])
    func `what is said in the object around the list counts, too`(words: String) async throws {
        let before = #"{"response":{"items":\#(Self.animals)}}"#
        for now in [#"{"response":{"items":[],\#(words)}}"#, #"{"response":{"items":[{"id":1}],"error":"timeout"}}"#] {
            let (record, _, rows) = try await Self.sync([before, now]) {
                $0.recordSelector = "$.response.items[*]"
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
            }
            #expect(record?.completeness != .complete, "\(now)")
            #expect(rows == [2], "\(now)")
        }
    }

    @Test func `an empty list behind a redirect to another path is not understood`() async throws {
        let isOut = Watched(false)
        try await SyncRig.run({ request in
            if request.target.contains("login") { return .json(#"{"data":[]}"#) }
            guard isOut.value else { return .json(#"{"data":\#(Self.animals)}"#) }
            return .response(status: 302, headers: [("Location", "/login")])
        }) { rig in
            let stream = rig.stream {
                ($0.paginator, $0.deleteMissing, $0.maxDeleteRatio) = (Paginator(.singlePage), .hard, 1)
            }
            _ = try await rig.sync(stream)
            isOut.value = true
            #expect(try await rig.sync(stream).record?.completeness != .complete)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [2])
        }
    }

    @Test func `on a later page the value is compared with that of the page before`() async throws {
        try await SyncRig.run({ request in
            request.page == 1
                ? .json(#"{"code":0,"data":\#(Self.animals),"next":"?page=2"}"#)
                : .json(#"{"code":7,"data":[],"next":null}"#)
        }) { rig in
            let record = try #require(try await rig.sync().record)
            #expect(record.completeness == .unknown)
            #expect(
                record.completenessReason
                    == "the list is empty, and $.code is 7, where it was 0 beside records; look at the answer, which may tell of a failure, or add ignore: [\"$.code\"] to paginator if it does not"
            )
        }
    }

    @Test(arguments: [
        #"{"resourceType":"Bundle","total":0,"link":[{"relation":"self","url":"x"}]}"#, #"{"orders":null,"count":0}"#,
        #"{"_links":{"self":{"href":"/x"}},"page":{"totalElements":0}}"#, #"{"_embedded":{"orders":[]}}"#,
    ])
    func `an answer that has no list and says that there are no records makes no table`(body: String) async throws {
        let (record, failure, rows) = try await Self.sync([body]) { $0.primaryKey = nil }
        #expect(failure == nil && record?.completeness == .unknown)
        #expect(rows == [0])
        let (second, _, kept) = try await Self.sync([#"{"items":\#(Self.animals)}"#, #"{"total":0}"#]) {
            $0.recordSelector = "$.items[*]"
            $0.deleteMissing = .hard
            $0.maxDeleteRatio = 1
        }
        #expect(second?.completeness == .unknown && kept == [2])
    }

    @Test(arguments: [#"{"count":0,"users":0}"#, #"{"total":0,"at":"noon"}"#, #"{"id":4,"total":0}"#])
    func `a record that counts nothing is one`(body: String) async throws {
        #expect(try await Self.sync([body]) { $0.primaryKey = nil }.rows == [1])
    }

    @Test func `a later page whose records may stand elsewhere is not the end, whatever its flag says`() async throws {
        try await SyncRig.run({ request in
            request.page == 1
                ? .json(#"{"data":\#(Self.animals),"has_more":true}"#)
                : .json(#"{"objects":{"3":{"id":3},"4":{"id":4}},"has_more":false}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.pageNumber(.init(hasMorePath: try? Selector(parsing: "$.has_more"))))
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness != .complete)
        }
    }

    @Test(arguments: [
        #"{"status":"error","service":"database","uptime":5}"#, #"{"id":1,"status":"failed","code":404}"#,
        #"{"status":"failed"}"#, #"{"code":404,"country":"US"}"#,
    ])
    func `a body that is the record may say what it wants`(body: String) async throws {
        let (record, failure, rows) = try await Self.sync([body]) { $0.primaryKey = nil }
        #expect(failure == nil && record != nil)
        #expect(rows == [1])
    }

    @Test(arguments: [
        (#"{"items":[{"id":1},{"id":2}],"errors":[]}"#, #"{"errors":[]}"#),
        (#"{"items":[{"id":1},{"id":2}]}"#, #"{"message":"maintenance"}"#),
        (#"{"items":[{"id":1},{"id":2}]}"#, "[]"), (#"[{"id":1},{"id":2}]"#, #"{"data":[]}"#),
        (#"{"data":{"items":[{"id":1},{"id":2}]}}"#, #"{"data":{},"warnings":[]}"#),
        (#"{"items":[{"id":1},{"id":2}]}"#, #"{"warnings":[{"id":9}]}"#),
    ])
    func `where the records stood before, an answer without that place is not understood`(
        before: String, now: String
    ) async throws {
        for mode in [WriteDisposition.replace, nil] {
            let (record, failure, rows) = try await Self.sync([before, now]) {
                $0.writeDisposition = mode
                if mode == nil { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
            }
            #expect(failure == nil)
            #expect(record?.completeness == .unknown)
            #expect(record?.completenessReason?.hasPrefix("the records stood at $") == true)
            #expect(rows == [2])
        }
    }

    @Test func `a list that is empty where the records stood is the list, whatever stands beside it`() async throws {
        let (record, _, rows) = try await Self.sync([
            #"{"items":[{"id":1},{"id":2}]}"#, #"{"items":[],"included":[{"id":9}]}"#,
        ]) { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
        #expect(record?.completeness == .complete)
        #expect(rows == [0])
    }

    @Test func `records in a new place are stored, and rows go with the read after that`() async throws {
        let answers =
            [#"{"items":[{"id":1},{"id":2},{"id":3}]}"#]
            + Array(repeating: #"{"data":[{"id":2},{"id":4},{"id":5}]}"#, count: 2)
        let change: @Sendable (inout StreamConfiguration) -> Void = {
            ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
        }
        let first = try await Self.sync(Array(answers.prefix(2)), change)
        #expect(first.record?.completeness == .unknown)
        #expect(first.rows == [5])
        let second = try await Self.sync(answers, change)
        #expect(second.record?.completeness == .complete)
        #expect(second.rows == [3])
    }

    @Test(arguments: [
        (#"{"result":{"items":[{"id":1},{"id":2}]},"errors":[],"elapsed":3}"#, 2, Completeness.complete),
        (#"{"data":[],"warnings":[{"id":1}]}"#, 0, .complete), (#"{"zebras":[],"total":0}"#, 0, .complete),
        (#"{"hits":[],"facets":{"kind":{"mole":0}}}"#, 0, .complete),
        (#"{"data":[],"response":{"users":[{"id":1}]}}"#, 0, .unknown),
        (#"{"pile":{"people":{"users":[{"id":1}]}},"errors":[]}"#, 1, .complete),
        (#"{"pile":{"users":[{"id":1}],"pets":[{"id":1}]},"errors":[]}"#, 0, .unknown),
        (#"{"people":{"a":{"id":1}},"errors":[]}"#, 0, .unknown),
    ])
    func `in the very first answer an empty array is the list only if nothing else may be`(
        body: String, rows: Int64, completeness: Completeness
    ) async throws {
        let found = try await Self.sync([body])
        #expect(found.failure == nil)
        #expect(found.record?.completeness == completeness, "\(found.record?.completenessReason ?? "-")")
        #expect(found.rows == [rows])
    }

    /// What came before, what comes now, and the rows of both.
    @Test(arguments: [
        ([#"{"items":{"item":{"id":1,"name":"only"}}}"#], ["1 only"]),
        (
            [
                #"{"items":{"item":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}}"#,
                #"{"items":{"item":{"id":3,"name":"c"}}}"#,
            ], ["1 a", "2 b", "3 c"]
        ),
        // A list of PHP from which one was removed.
        (
            [
                #"{"items":{"item":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}}"#,
                #"{"items":{"item":{"1":{"id":2,"name":"c"}}}}"#,
            ], ["1 a", "2 c"]
        ),
        // A map of records, also after one that has a single one.
        (
            [
                #"{"items":{"item":{"x":{"id":1,"name":"a"},"y":{"id":2,"name":"b"}}}}"#,
                #"{"items":{"item":{"z":{"id":3,"name":"c"}}}}"#,
            ], ["1 a", "2 b", "3 c"]
        ),
    ])
    func `one object in the place of a list is the one record`(answers: [String], rows: [String]) async throws {
        let answer = Watched("")
        try await SyncRig.run({ _ in .json(answer.value) }) { rig in
            for text in answers {
                answer.value = text
                let outcome = try await rig.sync(
                    rig.stream {
                        $0.paginator = Paginator(.singlePage)
                        $0.recordSelector = "$.items.item[*]"
                    })
                #expect(outcome.failure == nil)
            }
            #expect(try rig.texts("SELECT id || ' ' || name FROM animals ORDER BY id") == rows)
        }
    }

    @Test func `one object where the detected list stood is the one record if it has its key`() async throws {
        let (record, _, rows) = try await Self.sync([
            #"{"items":[{"id":1},{"id":2}]}"#, #"{"items":{"id":3,"name":"only"}}"#,
        ]) { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
        #expect(record?.completeness == .complete)
        #expect(rows == [1])
        let other = try await Self.sync([#"{"items":[{"id":1},{"id":2}]}"#, #"{"items":{"message":"maintenance"}}"#])
        #expect(other.record?.completeness == .unknown)
        #expect(
            other.record?.completenessReason
                == "the records stood at $.items before, where an object is now; set record_selector if they have another place"
        )
        #expect(other.rows == [2])
    }

    @Test func `a refusal is no record where records stood in a list whose configured place is gone`() async throws {
        let answer = Watched(#"{"data":{"children":[{"id":1},{"id":2}]}}"#)
        try await SyncRig.run({ _ in .json(answer.value) }) { rig in
            _ = try await rig.sync(
                rig.stream { ($0.recordSelector, $0.writeDisposition) = ("$.data.children[*]", .replace) })
            answer.value = #"{"status":false,"message":"the server is busy"}"#
            let outcome = try await rig.sync(rig.stream { $0.writeDisposition = .replace })
            #expect(outcome.failure?.message.contains("the server is busy") == true)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2])
        }
    }

    @Test func `an error in the place of a list is no record`() async throws {
        let (_, failure, rows) = try await Self.sync([#"{"a":[{"id":1}]}"#, #"{"a":{"error":"maintenance"}}"#]) {
            $0.recordSelector = "$.a[*]"
        }
        #expect(failure?.message.contains("maintenance") == true)
        #expect(rows == [1])
    }

    /// Syncs the lists of two zoos with each pair of answers in turn, which have other places. Returns the record of the last run,
    /// the ids of all rows, and the number of requests of the last run.
    private static func sync(
        zoos answers: [[LoopbackReply]]
    ) async throws -> (record: RunRecord?, rows: [Int64], requests: Int) {
        let now = Watched<[LoopbackReply]>([])
        let requests = Watched(0)
        let result = Watched<(record: RunRecord?, rows: [Int64], requests: Int)>((nil, [], 0))
        try await SyncRig.run({ request in
            requests.change { $0 += 1 }
            return now.value[request.target.hasPrefix("/a/") ? 0 : 1]
        }) { rig in
            var outcome: RunOutcome?
            for pair in answers {
                (now.value, requests.value) = (pair, 0)
                outcome = try await rig.sync(
                    rig.stream {
                        $0.request.path = "{partition.zoo}/animals"
                        $0.partitions = [Partition(name: "zoo", values: ["a", "b"])]
                        $0.paginator = Paginator(.singlePage)
                        ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                    })
                #expect(outcome?.failure == nil)
            }
            result.value = (
                outcome?.record, try rig.integers("SELECT id FROM animals ORDER BY id"), requests.value
            )
        }
        return result.value
    }

    private static let zoos: [LoopbackReply] = [.json(#"{"data":[{"id":1},{"id":2}]}"#), .json(#"[{"id":3}]"#)]

    @Test(arguments: [#"{"result":[]}"#, "[]", #"{"message":"maintenance"}"#, #"{"items":[],"total":0}"#])
    func `each of several lists is compared with itself, as often as it comes in another place`(now: String)
        async throws
    {
        let odd = [LoopbackReply.json(now), Self.zoos[1]]
        for answers in [[Self.zoos, odd], [Self.zoos, Self.zoos, odd, odd]] {
            let (record, rows, _) = try await Self.sync(zoos: answers)
            #expect(record?.completeness == .unknown)
            #expect(record?.completenessReason?.hasPrefix("the records stood at $.data before") == true)
            #expect(rows == [1, 2, 3])
        }
    }

    @Test
    func
        `one of several lists that is empty in its own place loses its rows, and one without records may stand anywhere`()
        async throws
    {
        let empty = [LoopbackReply.json(#"{"data":[]}"#), Self.zoos[1]]
        let elsewhere = [LoopbackReply.json("[]"), Self.zoos[1]]
        for answers in [[Self.zoos, empty], [Self.zoos, empty, elsewhere]] {
            let (record, rows, _) = try await Self.sync(zoos: answers)
            #expect(record?.completeness == .complete)
            #expect(rows == [3])
        }
    }

    @Test func `one of several lists that is gone without a word is asked for twice`() async throws {
        let none = [LoopbackReply.status(204), Self.zoos[1]]
        let (record, rows, requests) = try await Self.sync(zoos: [Self.zoos, none])
        #expect(record?.completeness == .complete)
        #expect(rows == [3])
        #expect(requests == 3)
    }
}
