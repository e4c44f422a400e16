import GarnerCatalog
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
}
