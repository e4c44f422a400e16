import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Lists that are suddenly elsewhere, or nothing.
@Suite(.timeLimit(.minutes(5)))
struct OddListTests {
    private static let list = #"{"data":[{"id":1},{"id":2}],"next":null}"#

    private static func rows(_ rig: SyncRig) throws -> [Int64] {
        try rig.integers("SELECT id FROM animals ORDER BY id")
    }

    /// Syncs a list, and then once more with another answer. Returns the last run, the rows and the number of its requests.
    private static func sync(
        _ now: LoopbackReply, _ change: @escaping @Sendable (inout StreamConfiguration) -> Void
    ) async throws -> (record: RunRecord?, rows: [Int64], requests: Int) {
        let answer = Watched(LoopbackReply.json(list))
        let requests = Watched(0)
        let result = Watched<(record: RunRecord?, rows: [Int64], requests: Int)>((nil, [], 0))
        try await SyncRig.run({ request in
            requests.change { $0 += 1 }
            if request.target.hasPrefix("/login") { return .json(#"{"data":[{"id":900}],"next":null}"#) }
            return answer.value
        }) { rig in
            let stream = rig.stream { change(&$0) }
            _ = try await rig.sync(stream)
            (answer.value, requests.value) = (now, 0)
            let outcome = try await rig.sync(stream)
            #expect(outcome.failure == nil)
            result.value = (outcome.record, try Self.rows(rig), requests.value)
        }
        return result.value
    }

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
        arguments: modes.indices,
        [
            #"{"e1":{"v":1},"e2":{"v":2},"next":"http://127.0.0.1/y"}"#, #"{"Note":"5 calls per minute"}"#,
            #"{"Information":{"text":"limit reached"}}"#, #"{"e1":{"v":1},"next":"/y","prev":"/x"}"#,
        ])
    func `a member of the whole body that is no entry as the others are is not understood`(mode: Int, now: String)
        async throws
    {
        let odd = try await Self.syncEntries(then: now, Self.modes[mode])
        #expect(odd.completeness == .unknown && odd.rows == 3, "\(odd)")
        #expect(odd.reason.contains("record_selector: \"$\""), "\(odd)")
        let whole = try await Self.syncEntries(then: now) {
            Self.modes[mode](&$0)
            $0.recordSelector = "$"
        }
        #expect(whole.completeness == .complete, "\(whole)")
        guard let line = odd.reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, !now.contains("prev") else { return }
        let ignored = try Selector(parsing: String(line))
        let settled = try await Self.syncEntries(then: now) {
            Self.modes[mode](&$0)
            $0.paginator.limits.ignored = [ignored]
        }
        #expect(settled.completeness == .complete && settled.rows == 2, "\(settled)")
    }

    @Test(arguments: [
        (#"{"e1":{"v":1},"e2":null,"e3":[]}"#, Int64(3)), (#"{"e9":{"v":9}}"#, 1), (#"{"e9":{"w":9,"v":null}}"#, 1),
        (#"{"e7":{"w":7},"e8":{"w":8}}"#, 2),
    ])
    func `other entries are what the list has now`(now: String, rows: Int64) async throws {
        let read = try await Self.syncEntries(then: now) { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
        #expect(read.completeness == .complete && read.rows == rows, "\(read)")
    }

    private static let modes: [@Sendable (inout StreamConfiguration) -> Void] = [
        { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }, { $0.writeDisposition = .replace },
    ]

    @Test(arguments: modes.indices)
    func `an empty list beside a filled one of a usual name is not understood`(mode: Int) async throws {
        let now = LoopbackReply.json(#"{"data":[],"items":[{"id":1},{"id":2}],"next":null}"#)
        let (record, rows, _) = try await Self.sync(now, Self.modes[mode])
        #expect(record?.completeness == .unknown)
        #expect(rows == [1, 2])
    }

    @Test(arguments: modes.indices)
    func `records behind a redirect that was not there before are not believed`(mode: Int) async throws {
        let now = LoopbackReply.response(status: 302, headers: [("Location", "/login")], body: "")
        let (record, rows, _) = try await Self.sync(now, Self.modes[mode])
        #expect(record?.completeness == .unknown)
        #expect(rows.contains(1) && rows.contains(2))
    }

    @Test(arguments: modes.indices)
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
                Self.modes[mode](&$0)
                $0.paginator = Paginator(.pageNumber(.init()))
            }
            let first = try await rig.sync(stream).record?.completeness
            isElsewhere.value = true
            let second = try await rig.sync(stream).record?.completeness
            let rows = try Self.rows(rig)
            #expect(first == .complete && second == .unknown)
            if mode == 0 { #expect(rows == [1, 2, 3, 4]) }
        }
    }

    @Test func `a later last page counts in the head of a body that came as it was`() async throws {
        let hasMore = Watched(false)
        try await SyncRig.run({ request in
            let last = hasMore.value ? #", </animals?page=3>; rel="last""# : ""
            let link = #"</animals?page=2>; rel="next"\#(last)"#
            let headers = [("Content-Type", "application/json")] + (request.page == 1 ? [("Link", link)] : [])
            return .response(headers: headers, body: #"[{"id":\#(request.page)}]"#)
        }) { rig in
            let first = try await rig.sync().record?.completeness
            hasMore.value = true
            let second = try await rig.sync().record?.completeness
            #expect(first == .complete && second != .complete)
        }
    }

    /// What the source has done from the beginning, or the advised line allows, is believed.
    @Test(arguments: modes.indices, [[202, 202], [200, 202], [202, 200]])
    func `records with 202 that came with another status before are not all`(mode: Int, statuses: [Int]) async throws {
        let answer = Watched((status: statuses[0], body: Self.list))
        try await SyncRig.run({ _ in
            .response(status: answer.value.status, body: answer.value.body)
        }) { rig in
            var stream = rig.stream {
                Self.modes[mode](&$0)
                $0.recordSelector = "$.data[*]"
            }
            _ = try await rig.sync(stream)
            answer.value = (statuses[1], #"{"data":[{"id":1}],"next":null}"#)
            let isOdd = statuses == [200, 202]
            for _ in 0..<(isOdd ? 2 : 1) {
                let record = try #require(try await rig.sync(stream).record)
                #expect(record.completeness == (isOdd ? .unknown : .complete))
                let rows = try Self.rows(rig)
                #expect(rows == (isOdd ? [1, 2] : [1]))
                #expect(record.completenessReason?.contains("action: accept") ?? false == isOdd)
            }
            stream.responseActions = [.init(status: 202, action: .accept)]
            let settled = try await rig.sync(stream).record?.completeness
            let rows = try Self.rows(rig)
            #expect(settled == .complete && rows == [1])
        }
    }

    @Test(arguments: modes.indices)
    func `null in the place of a list is asked for twice`(mode: Int) async throws {
        let (record, rows, requests) = try await Self.sync(.json(#"{"data":null,"next":null}"#), Self.modes[mode])
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
        for mode in Self.modes + [{ _ in }] {
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
                #expect(try Self.rows(rig) == [1, 2, 3])
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
                return .json(isOdd.value ? nothing : Self.list)
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
            #expect(try Self.rows(rig) == [1, 2])
        }
    }

    @Test(arguments: modes.indices)
    func `no content behind a redirect that was not there before is not believed`(mode: Int) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            if request.target.hasPrefix("/login") { return .status(204) }
            guard isOdd.value else { return .json(Self.list) }
            return .response(status: 302, headers: [("Location", "/login")], body: "")
        }) { rig in
            let stream = rig.stream { Self.modes[mode](&$0) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            let outcome = try await rig.sync(stream)
            #expect(outcome.failure != nil)
            #expect(try Self.rows(rig) == [1, 2])
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
            return .response(headers: headers, body: Self.list)
        }) { rig in
            let stream = rig.stream { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            _ = try await rig.sync(stream)
            #expect(try Self.rows(rig) == [1, 2])
            #expect(conditions.value == [nil, "\"x\"", nil])
        }
    }

    @Test(arguments: modes.indices)
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
            let stream = rig.stream { Self.modes[mode](&$0) }
            _ = try await rig.sync(stream)
            isOdd.value = true
            _ = try await rig.sync(stream)
            #expect(try Self.rows(rig) == [1, 2, 3])
        }
    }

    /// By a number of pages or by the address of the last one, in a page that came anew or has not changed.
    @Test(arguments: modes.indices, [true, false])
    func `pages that the first one announces are missed behind an empty one`(mode: Int, byNumber: Bool) async throws {
        let (isOdd, bodies) = (Watched(false), Watched(0))
        let pages = try Selector(parsing: "$.pages")
        let next = try Selector(parsing: "$.next")
        try await SyncRig.run({ request in
            let (page, isUnchanged) = (request.page, request["If-None-Match"] != nil)
            let headers = [("ETag", "\"\(page)\""), ("Content-Type", "application/json")]
            if page > 1, isOdd.value { return .json(#"{"data":[]}"#) }
            if page == 1, isUnchanged { return .response(status: 304, headers: headers, body: "") }
            bodies.change { $0 += page == 1 ? 1 : 0 }
            let announced = byNumber ? #""pages":3"# : #""links":{"last":"?page=3"}"#
            let following = page < 3 ? #","next":"?page=\#(page + 1)""# : ""
            return .response(
                headers: headers,
                body: #"{"data":[{"id":\#(2 * page)},{"id":\#(2 * page + 1)}],\#(announced)\#(following)}"#)
        }) { rig in
            let stream = rig.stream {
                Self.modes[mode](&$0)
                $0.paginator = Paginator(
                    byNumber ? .pageNumber(.init(totalPagesPath: pages)) : .jsonLink(.init(nextURLPath: next)))
            }
            _ = try await rig.sync(stream)
            isOdd.value = true
            #expect(try await rig.sync(stream).record?.completeness != .complete)
            #expect(try Self.rows(rig) == [2, 3, 4, 5, 6, 7])
            #expect(bodies.value == 1 || mode == 1)
        }
    }

    /// The last of five pages is named on the first one or on each, and a page in the midst comes without links, or not at all.
    @Test(arguments: [#"{"data":[]}"#, #"{"data":[{"id":30},{"id":31}]}"#, nil], [true, false])
    func `a list does not end before the last page that its links name`(odd: String?, onEach: Bool) async throws {
        for (mode, name) in Self.modes.flatMap({ [($0, "page"), ($0, "p")] }) {
            let isOdd = Watched(false)
            try await SyncRig.run({ request in
                let page = request.target.firstMatch(of: /[?&]p(?:age)?=(\d+)/).flatMap { Int($0.1) } ?? 1
                if page == 3, isOdd.value { return odd.map { .json($0) } ?? .status(404) }
                let last = onEach || page == 1 ? #","links":{"last":"?\#(name)=5"}"# : ""
                return .json(
                    page > 5 ? #"{"data":[]}"# : #"{"data":[{"id":\#(10 * page)},{"id":\#(10 * page + 1)}]\#(last)}"#)
            }) { rig in
                let stream = rig.stream {
                    mode(&$0)
                    $0.paginator = Paginator(.pageNumber(.init(pageParam: .query(name))))
                }
                let whole = try await rig.sync(stream).record?.completeness
                isOdd.value = true
                let part = try await rig.sync(stream).record?.completeness
                #expect(whole == .complete)
                // A page without links may lead on by its number.
                #expect(part == (odd?.contains("30") == true ? .complete : .unknown))
                #expect(try rig.integers("SELECT count(*) FROM animals") == [10])
            }
        }
    }

    /// The validator is of the body alone, as Rails makes it, and the list becomes shorter by a page.
    @Test func `a link to the last page counts as the head of an unchanged page has it`() async throws {
        let pages = Watched(3)
        try await SyncRig.run({ request in
            let (page, count) = (request.page, pages.value)
            let next = page < count ? ["<?page=\(page + 1)>; rel=\"next\"", "<?page=\(count)>; rel=\"last\""] : []
            let body = page > count ? "[]" : #"[{"id":\#(2 * page)},{"id":\#(2 * page + 1)}]"#
            let headers = [("ETag", "\"\(body.count)-\(page)\""), ("Content-Type", "application/json")]
            let all = next.isEmpty ? headers : headers + [("Link", next.joined(separator: ", "))]
            let isSame = request["If-None-Match"] == headers[0].1
            return .response(status: isSame ? 304 : 200, headers: all, body: isSame ? "" : body)
        }) { rig in
            let stream = rig.stream {
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                $0.paginator = Paginator(.headerLink(.init()))
            }
            _ = try await rig.sync(stream)
            pages.value = 2
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            #expect(try Self.rows(rig) == [2, 3, 4, 5])
        }
    }

    @Test(arguments: [("animals?page=1", "?page=0"), ("animals", "?page=1")])
    func `a list whose last page is the page itself, or the first one, is whole`(path: String, first: String)
        async throws
    {
        let body = #"{"data":[{"id":1},{"id":2}],"links":{"self":"?page=1","first":"\#(first)","last":"?page=1"}}"#
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let stream = rig.stream { $0.request.path = path }
            let completeness = try await rig.sync(stream).record?.completeness
            #expect(completeness == .complete)
        }
    }

    /// Where only what is new is asked for, nothing is the usual answer.
    @Test func `204 for what is new is asked for once`() async throws {
        let requests = Watched(0)
        try await SyncRig.run({ _ in
            requests.change { $0 += 1 }
            return requests.value == 1 ? .json(Self.list) : .status(204)
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

    @Test func `a redirect that each read has had is no doubt`() async throws {
        try await SyncRig.run({ request in
            request.target.hasPrefix("/v2")
                ? .json(Self.list) : .response(status: 302, headers: [("Location", "/v2/animals")], body: "")
        }) { rig in
            for _ in 1...3 {
                let outcome = try await rig.sync(rig.stream { $0.deleteMissing = .hard })
                #expect(outcome.record?.completeness == .complete)
            }
        }
    }

    /// A list from page 0 whose last page, as its number says, has the records of the page before.
    @Test func `a last page that is the one before is not known to be the end`() async throws {
        try await SyncRig.run({ request in
            let page = request.target.contains("page=") ? request.page : 0
            let ids = [2 * min(page, 1) + 1, 2 * min(page, 1) + 2].map { #"{"id":\#($0)}"# }
            return .json(#"{"page":\#(page),"last_page":2,"data":[\#(ids.joined(separator: ","))]}"#)
        }) { rig in
            let record = try #require(try await rig.sync().record)
            #expect(record.completeness == .unknown)
            #expect(try Self.rows(rig) == [1, 2, 3, 4])
        }
    }

    @Test(arguments: [(2, Completeness.unknown), (1, .complete)])
    func `a last page behind the number that a page states is missing, although the page is asked for by a token`(
        last: Int, expected: Completeness
    ) async throws {
        try await SyncRig.run({ request in
            let isFirst = !request.target.contains("token=")
            let body =
                #"{"data":[{"id":\#(isFirst ? 1 : 2)}],"page":\#(isFirst ? 0 : 1),"next_token":\#(isFirst ? "\"t\"" : "null"),"has_more":\#(isFirst)}"#
            return .response(
                headers: [("Content-Type", "application/json"), ("Link", "</animals?page=\(last)>; rel=\"last\"")],
                body: body)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next_token", cursorParam: "token")))
            }
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == expected)
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
            let (record, rows) = (try await rig.sync().record, try Self.rows(rig))
            #expect(record?.completeness != .complete && rows == [1, 2])
        }
    }

    @Test func `objects without a value are no record, in a first read, either`() async throws {
        try await SyncRig.run({ _ in .json(#"{"data":{}}"#) }) { rig in
            let record = try #require(try await rig.sync(rig.stream { $0.primaryKey = nil }).record)
            #expect(record.completeness == .unknown && record.counts.inserted == 0)
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
                #expect(try Self.rows(rig) == rows)
            }
        }
    }
}
