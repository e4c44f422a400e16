import GarnerCatalog
import GarnerModel
import Testing

@testable import GarnerSync

struct RunQueueTests {
    private static func stream(_ name: String, of parent: String? = nil) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: name), table: name, place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://zoo.example/", path: name),
            parent: parent.map { Parent(stream: StreamName(source: "zoo", stream: $0)) })
    }

    @Test func `children wait for their parents, and others do not`() {
        var queue = RunQueue([
            Self.stream("bites", of: "feedings"), Self.stream("feedings", of: "animals"), Self.stream("keepers"),
            Self.stream("animals"),
        ])
        #expect(queue.startNext()?.name.stream == "keepers")
        #expect(queue.startNext()?.name.stream == "animals")
        #expect(queue.startNext()?.name == nil)
        queue.finish(StreamName(source: "zoo", stream: "keepers"))
        #expect(queue.startNext()?.name == nil)
        queue.finish(StreamName(source: "zoo", stream: "animals"))
        #expect(queue.startNext()?.name.stream == "feedings")
        #expect(queue.startNext()?.name == nil)
        queue.finish(StreamName(source: "zoo", stream: "feedings"))
        #expect(queue.startNext()?.name.stream == "bites")
        #expect(queue.startNext()?.name == nil)
    }

    @Test func `a parent that is not among them is not waited for`() {
        var queue = RunQueue([Self.stream("feedings", of: "animals")])
        #expect(queue.startNext()?.name.stream == "feedings")
    }

    @Test func `children wait for the streams whose tables the condition on their parent names`() {
        var feedings = Self.stream("feedings", of: "animals")
        feedings.parent?.condition = "id IN (SELECT animal FROM Hungry)"
        let order = RunQueue.order(of: [feedings, Self.stream("animals"), Self.stream("hungry")])
        #expect(order.map(\.name.stream) == ["animals", "hungry", "feedings"])
    }
}
