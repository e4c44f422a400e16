import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerSync
import TestSupport
import Testing

/// Answers that belong to another one of several lists than was asked for.
@Suite(.timeLimit(.minutes(5)))
struct OtherListTests {
    private static func list(_ name: String) -> String {
        #"{"data":[{"id":"\#(name)1"},{"id":"\#(name)2"}],"next":null}"#
    }

    /// The path of a list, where a redirect leads from that of the south, and whether that is another list.
    private static let redirects: [(path: String, target: String, isOther: Bool)] = [
        ("animals/{partition.region}", "/animals/north", true),
        ("animals?region={partition.region}", "/animals?region=north", true),
        ("animals?region={partition.region}", "/animals", true),
        ("zoos/{partition.region}/animals", "/zoos/north/animals", true),
        ("zoos/{partition.region}/animals", "/zoos", true),
        ("zoos/{partition.region}/animals", "/", true),
        ("animals/{partition.region}", "/animals/southern", false),
        ("animals/{partition.region}", "/lists/7", false),
        ("animals?region={partition.region}", "/animals/?region=south&v=2", false),
        ("animals?region={partition.region}", "/animals?area=south", false),
        ("animals?region={partition.region}", "/lists/7", false),
        ("zoos/{partition.region}/animals/all", "/zoos/south/animals", false),
    ]

    @Test(arguments: redirects.indices, [1, 4])
    func `a redirect to another list of a stream is not believed`(index: Int, concurrency: Int) async throws {
        let (path, target, isOther) = Self.redirects[index]
        let south = "/" + path.replacing("{partition.region}", with: "south")
        for isOddFirst in [false, true] {
            let isOdd = Watched(isOddFirst)
            try await SyncRig.run({ request in
                if isOdd.value, request.target == south {
                    return .response(status: 302, headers: [("Location", target)], body: "")
                }
                let isNorth = request.target.contains("north") || isOther && request.target == target
                return .json(Self.list(isNorth ? "n" : "s"))
            }) { rig in
                let stream = rig.stream {
                    ($0.request.path, $0.maxConcurrency) = (path, concurrency)
                    $0.partitions = [Partition(name: "region", values: ["north", "south"])]
                    ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                }
                let first = try await rig.sync(stream).record
                #expect(first?.completeness == (isOddFirst && isOther ? .unknown : .complete))
                isOdd.value = true
                let second = try await rig.sync(stream).record
                #expect(second?.completeness == (isOther ? .unknown : .complete), "\(second?.completenessReason ?? "")")
                let rows = try rig.texts("SELECT id FROM animals ORDER BY id")
                #expect(rows == (isOddFirst && isOther ? ["n1", "n2"] : ["n1", "n2", "s1", "s2"]))
            }
        }
    }

    @Test(arguments: ["/zoos/1/animals", "/zoos"])
    func `a redirect from the list of a child to another one's, or to that of the parents, is not believed`(
        target: String
    ) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            if isOdd.value, request.target == "/zoos/2/animals" {
                return .response(status: 302, headers: [("Location", target)], body: "")
            }
            if request.target == "/zoos" { return .json(#"{"data":[{"id":"1"},{"id":"2"}],"next":null}"#) }
            return .json(Self.list(request.target.contains("/1/") ? "n" : "s"))
        }) { rig in
            let zoos = rig.stream("zoos")
            let animals = rig.stream {
                $0.request.path = "zoos/{parent.id}/animals"
                $0.parent = Parent(stream: zoos.name)
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            for expected in [Completeness.complete, .unknown] {
                _ = try await rig.sync(zoos)
                let record = try await rig.sync(animals).record
                #expect(record?.completeness == expected, "\(record?.completenessReason ?? "")")
                isOdd.value = true
            }
            #expect(Set(try rig.texts("SELECT id FROM animals")).isSuperset(of: ["n1", "n2", "s1", "s2"]))
        }
    }

    /// The members of an answer to the request for the south, the regions of its records, and the place that names another list.
    private static let echoes: [(members: String, regions: [String], place: String?)] = [
        (#""region":"north""#, ["", ""], "$.region"), (#""meta":{"Region":"north"}"#, ["", ""], "$.meta.Region"),
        (#""x":1"#, ["north", "north"], "$.data[*].region"),
        (#""region":"NORTH""#, ["", ""], "$.region"), (#""x":1"#, ["North", "North"], "$.data[*].region"),
        (#""region":"SOUTH""#, ["South", "South"], nil), (#""region":"South""#, ["", ""], nil),
        (#""region":"west""#, ["west", "west"], nil),
        (#""region":"south""#, ["south", "south"], nil), (#""other":"north""#, ["north", "south"], nil),
        (#""region":null"#, ["north"], nil), (#""region":["north"]"#, ["north", ""], nil),
    ]

    @Test(arguments: echoes.indices)
    func `an answer that names another list of the stream is not believed`(index: Int) async throws {
        let (members, regions, place) = Self.echoes[index]
        try await SyncRig.run({ request in
            guard request.target.contains("south") else { return .json(Self.list("n")) }
            let records = regions.enumerated().map { id, region in
                region.isEmpty ? #"{"id":"s\#(id)"}"# : #"{"id":"s\#(id)","region":"\#(region)"}"#
            }
            return .json(#"{"data":[\#(records.joined(separator: ","))],"next":null,\#(members)}"#)
        }) { rig in
            var stream = rig.stream {
                $0.request.path = "animals?region={partition.region}"
                $0.partitions = [Partition(name: "region", values: ["north", "south"])]
            }
            let record = try await rig.sync(stream).record
            #expect((record?.completeness == .complete) == (place == nil), "\(record?.completenessReason ?? "")")
            guard let place else { return }
            #expect(record?.completenessReason?.contains("ignore: [\"\(place)\"]") == true)
            // What is not believed is not known again, either.
            #expect(try await rig.sync(stream).record?.completeness == .unknown)
            stream.paginator.limits.ignored = [try Selector(parsing: place)]
            #expect(try await rig.sync(stream).record?.completeness == .complete)
        }
    }

    private static let byParameter = "animals?region={partition.region}"

    /// The path of a list, the members by which each answer names its own list, and their place.
    private static let names: [(path: String, members: @Sendable (String) -> String, place: String)] = [
        (byParameter, { #""self":"/animals?region=\#($0)""# }, "$.self"),
        (byParameter, { #""_links":{"self":{"href":"?limit=9&region=\#($0)"}}"# }, "$._links.self"),
        (byParameter, { #""links":[{"rel":"self","href":"?region=\#($0)"}]"# }, "$.links[0].href"),
        (byParameter, { #""self":"/animals?REGION=\#($0.uppercased())""# }, "$.self"),
        (byParameter, { #""filter":{"region":["\#($0.uppercased())"]}"# }, "$.filter.region"),
        (byParameter, { #""query":"region=\#($0)""# }, "$.query"),
        (byParameter, { #""filter":{"region":"\#($0)"}"# }, "$.filter.region"),
        (byParameter, { #""filter":{"region":["\#($0)"]}"# }, "$.filter.region"),
        (byParameter, { #""filter":{"region":{"eq":"\#($0)"}}"# }, "$.filter.region"),
        (byParameter, { #""params":"limit=10&region=\#($0)""# }, "$.params"),
        (byParameter, { #""meta":{"request":{"params":{"region":"\#($0)"}}}"# }, "$.meta.request.params.region"),
        (byParameter, { #""meta":{"params":{"Region":"\#($0)"}}"# }, "$.meta.params.Region"),
        ("animals/{partition.region}", { #""@id":"/v2/animals/\#($0)""# }, "$['@id']"),
        ("animals/{partition.region}/all", { #""url":"https://zoo.example/animals/\#($0)/all""# }, "$.url"),
        (byParameter, { _ in #""x":1"# }, "Content-Location"),
    ]

    /// The answers to the other requests come unchanged, and are known to name their own lists.
    @Test(arguments: names.indices)
    func `an answer whose address, or what it repeats of the request, names another list is not believed`(index: Int)
        async throws
    {
        let (path, members, place) = Self.names[index]
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            let region = ["north", "south", "east"].first { request.target.contains($0) } ?? ""
            let isOther = isOdd.value && region == "south"
            let (stated, key) = (isOther ? "north" : region, isOther ? "m" : region)
            let location = place == "Content-Location" ? [(place, "/animals?region=\(stated)")] : []
            return .json(
                #"{"data":[{"id":"\#(key)1"},{"id":"\#(key)2"}],"next":null,\#(members(stated))}"#, headers: location)
        }) { rig in
            var stream = rig.stream {
                $0.request.path = path
                $0.partitions = [Partition(name: "region", values: ["north", "south", "east"])]
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            let first = try await rig.sync(stream).record
            #expect(first?.completeness == .complete, "\(first?.completenessReason ?? "")")
            isOdd.value = true
            var reason = ""
            for _ in 1...2 {
                let record = try await rig.sync(stream).record
                reason = record?.completenessReason ?? ""
                #expect(record?.completeness == .unknown, "\(place)")
                let rows = try rig.texts("SELECT id FROM animals")
                #expect(Set(rows).isSuperset(of: ["south1", "south2"]))
            }
            #expect(reason.contains("ignore: [\"\(place)\"]"), "\(reason)")
            if place == "Content-Location" {
                stream.paginator.limits.ignoredHeaders = [place]
            } else {
                stream.paginator.limits.ignored = [try Selector(parsing: place)]
            }
            let settled = try await rig.sync(stream).record
            #expect(settled?.completeness == .complete, "\(settled?.completenessReason ?? "")")
        }
    }

    /// What the lists of three parents state, and whether that is right: a folder states the folder above it, and some state the same always.
    @Test(arguments: [
        (["1", "2", "3"], true), (["1", "2", "2"], false), (["2", "2", "3"], false), (["1", "1", "1"], true),
        (["null", "1", "1"], true), (["5", "6", "7"], true), (["2", "3", "1"], true),
    ])
    func `a list of a child that names another parent is not believed where others name their own`(
        stated: [String], isWhole: Bool
    ) async throws {
        let forms: [@Sendable (String) -> String] = [
            { #""parent_id":\#($0)"# }, { #""parent":{"id":\#($0)}"# }, { #""self":"/zoos/\#($0)/animals""# },
        ]
        for form in forms {
            try await SyncRig.run({ request in
                if request.target == "/zoos" { return .json(#"{"data":[{"id":1},{"id":2},{"id":3}],"next":null}"#) }
                let zoo = (1...3).first { request.target.contains("/\($0)/") } ?? 1
                return .json(#"{"data":[{"id":"\#(zoo)a"}],"next":null,\#(form(stated[zoo - 1]))}"#)
            }) { rig in
                let zoos = rig.stream("zoos")
                let animals = rig.stream {
                    $0.request.path = "zoos/{parent.id}/animals"
                    $0.parent = Parent(stream: zoos.name)
                }
                _ = try await rig.sync(zoos)
                let record = try await rig.sync(animals).record
                #expect((record?.completeness == .complete) == isWhole, "\(record?.completenessReason ?? "")")
            }
        }
    }

    /// Unchanged pages remind of what they have named.
    @Test(arguments: [
        (["alice", "alice", "alice"], true), (["ALICE", "alice", "Alice"], true), (["zoe", "zoe", "zoe"], true),
        (["alice", "bob", "carol"], true), (["alice", "alice", "carol"], false), (["alice", "bob", "bob"], false),
        (["carol", "bob", "carol"], false),
    ])
    func `a word that is the same beside all of several lists names none of them`(stated: [String], isWhole: Bool)
        async throws
    {
        let users = ["alice", "bob", "carol"]
        for isOfRecords in [false, true] {
            try await SyncRig.run({ request in
                let place = users.firstIndex { request.target.contains($0) } ?? 0
                let said = #","user":"\#(stated[place])""#
                let (inner, outer) = isOfRecords ? (said, "") : ("", said)
                return .json(
                    #"{"data":[{"id":"\#(place)a"\#(inner)},{"id":"\#(place)b"\#(inner)}],"next":null\#(outer)}"#)
            }) { rig in
                let stream = rig.stream {
                    $0.request.path = "animals?user={partition.user}"
                    $0.partitions = [Partition(name: "user", values: users)]
                }
                for _ in 1...2 {
                    let record = try await rig.sync(stream).record
                    #expect((record?.completeness == .complete) == isWhole, "\(record?.completenessReason ?? "")")
                }
            }
        }
    }

    /// The members by which an answer names its list, and whether the children of parents are read in place of partitions.
    private static let oneName: [(members: @Sendable (String) -> String, ofParents: Bool)] = [
        ({ #""region":"\#($0)""# }, false), ({ #""links":{"self":"?region=\#($0)"}"# }, false),
        ({ #""query":{"region":"\#($0)"}"# }, false), ({ #""filter":{"region":["\#($0)"]}"# }, false),
        ({ #""meta":{"request":{"region":"\#($0)"}}"# }, false), ({ _ in #""x":1"# }, false),
        ({ #""parent_id":\#($0)"# }, true), ({ #""self":"/zoos/\#($0)/animals""# }, true),
    ]

    /// Then no place has named two lists rightly in the run.
    @Test(arguments: oneName.indices, [false, true])
    func `one list in the place of all is not believed`(index: Int, isFromFirst: Bool) async throws {
        let (members, ofParents) = Self.oneName[index]
        let names = ofParents ? ["1", "2", "3"] : ["north", "south", "east"]
        for place in names {
            let isOdd = Watched(isFromFirst)
            try await SyncRig.run({ request in
                if request.target == "/zoos" { return .json(#"{"data":[{"id":1},{"id":2},{"id":3}],"next":null}"#) }
                let name = isOdd.value ? place : names.first { request.target.contains($0) } ?? ""
                let said = members(name)
                let field = said == #""x":1"# ? "region" : "area"
                let records = (1...3).map { #"{"id":"\#(name)\#($0)","\#(field)":"\#(name)"}"# }
                return .json(#"{"data":[\#(records.joined(separator: ","))],"next":null,\#(said)}"#)
            }) { rig in
                let zoos = rig.stream("zoos")
                let stream = rig.stream {
                    if ofParents {
                        ($0.request.path, $0.parent) = ("zoos/{parent.id}/animals", Parent(stream: zoos.name))
                    } else {
                        $0.request.path = "animals?region={partition.region}"
                        $0.partitions = [Partition(name: "region", values: names)]
                    }
                    ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                }
                if ofParents { _ = try await rig.sync(zoos) }
                let first = try await rig.sync(stream).record?.completeness
                #expect(first == (isFromFirst ? .unknown : .complete))
                isOdd.value = true
                for _ in 1...2 {
                    let record = try await rig.sync(stream).record
                    #expect(record?.completeness == .unknown, "\(place): \(record?.completenessReason ?? "")")
                }
                let rows = try rig.texts("SELECT id FROM animals")
                #expect(Set(rows).count == (isFromFirst ? 3 : 9), "\(place)")
            }
        }
    }

    /// What it has named stays known for as long as it names another list.
    @Test(arguments: ["north", "south", "east"], [false, true])
    func `a place that has named two lists rightly in an earlier read is believed no less`(
        stated: String, isEmpty: Bool
    )
        async throws
    {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            let name = ["north", "south", "east"].first { request.target.contains($0) } ?? ""
            let said = isOdd.value ? stated : name
            let list = isEmpty && said == stated ? "" : #"{"id":"\#(name)1"},{"id":"\#(name)2"}"#
            return .json(#"{"data":[\#(list)],"next":null,"region":"\#(said)"}"#)
        }) { rig in
            let stream = rig.stream {
                $0.request.path = "animals?region={partition.region}"
                $0.partitions = [Partition(name: "region", values: ["north", "south", "east"])]
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            let first = try await rig.sync(stream).record
            #expect(first?.completeness == .complete, "\(first?.completenessReason ?? "")")
            isOdd.value = true
            for _ in 1...3 {
                let record = try await rig.sync(stream).record
                #expect(record?.completeness == .unknown)
                let rows = try rig.texts("SELECT id FROM animals")
                #expect(rows.count == (isEmpty ? 4 : 6))
            }
        }
    }

    @Test(arguments: ["north", "south", "east"])
    func `one list in the place of all moves no cursor of another one`(cached: String) async throws {
        let (isOdd, isLater) = (Watched(false), Watched(false))
        try await SyncRig.run({ request in
            let name = isOdd.value ? cached : ["north", "south", "east"].first { request.target.contains($0) } ?? ""
            let since = request.target.firstMatch(of: /since=([0-9-]+)/).map { String($0.1) } ?? ""
            let days = ["2026-01-01"] + (isLater.value ? [name == cached ? "2026-01-03" : "2026-01-02"] : [])
            let records = days.filter { $0 >= since }.map { #"{"id":"\#(name) \#($0)","at":"\#($0)T00:00:00Z"}"# }
            return .json(#"{"data":[\#(records.joined(separator: ","))],"next":null,"region":"\#(name)"}"#)
        }) { rig in
            let stream = rig.stream {
                $0.request.path = "animals?region={partition.region}"
                $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
                $0.partitions = [Partition(name: "region", values: ["north", "south", "east"])]
                $0.incremental = Incremental(cursorField: "at", initialValue: "2020-01-01T00:00:00Z")
            }
            for (odd, later, expected) in [
                (false, false, Completeness.complete), (true, true, .unknown), (false, true, .complete),
            ] {
                (isOdd.value, isLater.value) = (odd, later)
                let record = try await rig.sync(stream).record
                #expect(record?.completeness == expected, "\(record?.completenessReason ?? "")")
            }
            let rows = try rig.texts("SELECT id FROM animals")
            #expect(rows.count == 6, "\(rows)")
        }
    }

    @Test func `the status of an answer names no list of that status`() async throws {
        try await SyncRig.run({ request in
            .json(
                #"{"status":"success","data":[{"id":"\#(request.target)"},{"id":"\#(request.target)2"}],"next":null}"#)
        }) { rig in
            let record = try await rig.sync(
                rig.stream {
                    $0.request.path = "animals?status={partition.status}"
                    $0.partitions = [Partition(name: "status", values: ["success", "failed"])]
                }
            ).record
            #expect(record?.completeness == .complete)
        }
    }

    @Test(arguments: [
        (#""since":"2024-01-01T00:00:00Z""#, false), (#""meta":{"since":"2024-01-15T00:00:00Z"}"#, false),
        (#""since":"2020-01-01T00:00:00Z""#, true), (#""since":"2020-01-01T12:00:00Z""#, true),
        (#""since":"2024-02-01T00:00:00Z""#, true), (#""since":"2026-01-31T00:00:00Z""#, true),
        (#""start":"2024-01-15T00:00:00Z""#, false), (#""query":{"since":"2024-01-31T12:00:00Z"}"#, false),
        (#""range":{"from":"2024-01-15T00:00:00Z"}"#, false), (#""updated_after":"2024-01-15T00:00:00Z""#, false),
        (#""start_date":"2024-01-31T12:00:00Z""#, true), (#""range":{"from":"2020-01-01T00:00:00Z"}"#, true),
        (#""from":"2024-01-01T00:00:00Z""#, true), (#""since":7"#, true), (#""since":null"#, true),
    ])
    func `a read that begins later than it was asked to is not complete`(members: String, isWhole: Bool) async throws {
        try await SyncRig.run({ _ in
            .json(
                #"{"data":[{"id":1,"at":"2024-02-01T00:00:00Z"},{"id":2,"at":"2024-02-02T00:00:00Z"}],"next":null,\#(members)}"#
            )
        }) { rig in
            var stream = rig.stream {
                $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
                $0.incremental = Incremental(cursorField: "at", initialValue: "2020-01-01T00:00:00Z")
            }
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == (isWhole ? .complete : .unknown), "\(record?.completenessReason ?? "")")
            guard !isWhole else { return }
            let line = try #require(record?.completenessReason?.firstMatch(of: /ignore: \["(.+?)"\]/)?.1)
            stream.paginator.limits.ignored = [try Selector(parsing: String(line))]
            #expect(try await rig.sync(stream).record?.completeness == .complete)
        }
    }

    /// How an answer may state the days of January that it is of.
    private static let windows: [@Sendable (_ from: String, _ to: String) -> String] = [
        { #""from":"\#($0)","to":"\#($1)""# }, { #""query":{"from":"\#($0)","to":"\#($1)"}"# },
        { #""meta":{"range":{"from":"\#($0)","to":"\#($1)"}}"# }, { #""self":"/animals?from=\#($0)&to=\#($1)""# },
        { #""window":{"from":"\#($0)","to":"\#($1)"}"# }, { #""dateRange":{"from":"\#($0)","to":"\#($1)"}"# },
        { #""from":\#(Self.epoch($0)),"to":\#(Self.epoch($1))000"# },
    ]

    /// The seconds since 1970 of a day of January 2026.
    private static func epoch(_ day: String) -> Int { 1_767_225_600 + ((Int(day.suffix(2)) ?? 1) - 1) * 86_400 }

    private static func text(_ day: Int) -> String { "2026-01-\(day < 10 ? "0" : "")\(day)" }

    /// Reads a list with a record on each of some days, in the windows 1–11, 11–21 and 21–31. Returns what the read is worth.
    private static func worth(
        of list: [Int], statedAs form: Int,
        _ answer: @escaping @Sendable (_ from: Int, _ to: Int) -> (given: ClosedRange<Int>, stated: ClosedRange<Int>)
    ) async throws -> RunRecord? {
        let found = Watched<RunRecord?>(nil)
        try await SyncRig.run({ request in
            func day(_ name: String) -> Int {
                let value = request.target.split(separator: "\(name)=2026-01-").dropFirst().first?.prefix(2)
                return value.flatMap { Int($0) } ?? 1
            }
            let (given, stated) = answer(day("from"), day("to"))
            let records = list.filter(given.contains).map { #"{"id":\#($0),"at":"\#(Self.text($0))"}"# }
            let window = Self.windows[form](Self.text(stated.lowerBound), Self.text(stated.upperBound))
            return .json(#"{"data":[\#(records.joined(separator: ","))],"next":null,\#(window)}"#)
        }) { rig in
            let stream = rig.stream {
                $0.request.params = [
                    .init(name: "from", value: .literal("{incremental.start_value}")),
                    .init(name: "to", value: .literal("{incremental.end_value}")),
                ]
                $0.incremental = Incremental(
                    cursorField: "at", initialValue: "2026-01-01", endValue: "2026-01-31",
                    step: .time(.seconds(10 * 86_400)))
            }
            found.value = try await rig.sync(stream).record
        }
        return found.value
    }

    @Test(arguments: windows.indices)
    func `a window that states another one, and has its records, is not read`(form: Int) async throws {
        let days = Array(2...31)
        for asked in [1, 11, 21] {
            for given in [1, 11, 21] {
                let record = try await Self.worth(of: days, statedAs: form) { from, to in
                    let window = from == asked ? given...(given + 10) : from...to
                    return (window, window)
                }
                let isWhole = asked == given
                #expect((record?.completeness == .complete) == isWhole, "\(asked): \(given)")
                #expect(isWhole || record?.completenessReason?.contains("that was asked for; set") == true)
            }
        }
    }

    @Test(arguments: windows.indices)
    func `a source that answers less than a window, and says so, is not read`(form: Int) async throws {
        let record = try await Self.worth(of: Array(2...31), statedAs: form) { from, to in
            (from...min(from + 5, to), from...min(from + 5, to))
        }
        let reason = record?.completenessReason ?? ""
        #expect(record?.completeness == .unknown && reason.contains("is earlier than the end"), "\(reason)")
    }

    /// It has nothing behind the 15th, or states from when to when its records are.
    @Test(arguments: windows.indices)
    func `a source that ends before a window, or states what it has of it, is read`(form: Int) async throws {
        let ended = try await Self.worth(of: Array(2...15), statedAs: form) { from, to in
            (from...to, min(from, 15)...min(to, 15))
        }
        #expect(ended?.completeness == .complete, "\(ended?.completenessReason ?? "")")
        guard ![1, 3].contains(form) else { return }
        let own = try await Self.worth(of: [4, 8, 14, 18, 24, 28], statedAs: form) { from, to in
            (from...to, (from + 3)...(from + 7))
        }
        #expect(own?.completeness == .complete, "\(own?.completenessReason ?? "")")
    }
}
