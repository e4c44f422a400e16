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
        (#""region":"South""#, ["", ""], nil), (#""region":"west""#, ["west", "west"], nil),
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
}
