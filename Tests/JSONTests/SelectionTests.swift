import GarnerJSON
import Testing

struct SelectionTests {
    @Test func `a selection keeps its document alive`() throws {
        func select() throws -> Selection {
            try Selector(parsing: "$.data[*]").select(in: Document(#"{"data":[{"id":1},{"id":2}]}"#))
        }
        var ids: [Int64] = []
        try select().forEach { ids.append($0["id"]?.integer ?? 0) }
        #expect(ids == [1, 2])
    }

    @Test func `a selection can hold chosen elements`() throws {
        let document = try Document("[1,[2,3],4]")
        let selection = document.withRoot { root in
            let elements = root.elements.map(\.self)
            return Selection([elements[2], elements[1], root], in: document)
        }
        var found: [String] = []
        selection.forEach { found.append($0.canonical) }
        #expect(found == ["4", "[2,3]", "[1,[2,3],4]"])
    }

    @Test func `a selection can hold the elements of an inner array`() throws {
        let document = try Document(#"{"a":[1,[2,3],{"b":4}]}"#)
        let selection = document.withRoot { root in root["a"].map { Selection(valuesOf: $0, in: document) } }
        var found: [String] = []
        selection?.forEach { found.append($0.canonical) }
        #expect(selection?.count == 3)
        #expect(found == ["1", "[2,3]", #"{"b":4}"#])
    }

    @Test func `forEach of a selection stops at an error`() throws {
        struct Stop: Error {}
        let selection = try Selector(parsing: "$[*]").select(in: Document("[1,2,3]"))
        var seen = 0
        #expect(throws: Stop.self) {
            try selection.forEach { _ in
                seen += 1
                if seen == 2 { throw Stop() }
            }
        }
        #expect(seen == 2)
    }

    @Test(.timeLimit(.minutes(5))) func `many tasks can read one selection`() async throws {
        let selection = try Selector(parsing: "$[*]").select(
            in: Document("[\((0..<1000).map(String.init).joined(separator: ","))]"))
        let sums = await withTaskGroup(of: Int64.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var sum: Int64 = 0
                    selection.forEach { sum += $0.integer }
                    return sum
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: 499_500, count: 8))
    }
}
