import GarnerImport
import Testing

struct FileMappingTests {
    @Test func `keys keep their order, and one that is set again keeps its place`() {
        var mapping = FileMapping(["path": .text("/a"), "method": .text("POST")])
        mapping["path"] = .text("/b")
        mapping[mapping: "params"]["limit"] = .int(5)
        mapping[mapping: "params"]["limit"] = nil
        #expect(mapping == FileMapping(["path": .text("/b"), "method": .text("POST")]))
    }
}
