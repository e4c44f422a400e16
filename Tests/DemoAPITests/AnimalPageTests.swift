import Testing

@testable import DemoAPI

struct AnimalPageTests {
    private let animals = DataVersion.first.animals

    @Test func `the first twenty come without being asked for`() throws {
        let page = try AnimalPage(of: animals, page: nil, perPage: nil)
        #expect(page.animals.map(\.id) == Array(1...20))
        #expect(page.nextURL(baseURL: "http://h/") == "http://h/animals?page=2&per_page=20")
    }

    @Test(arguments: [1, 7, 20, 39, 77, 78, 79, 100])
    func `the pages together are all animals, each once`(size: Int) throws {
        var (ids, number) = ([Int](), Optional(1))
        while let current = number {
            let page = try AnimalPage(of: animals, page: "\(current)", perPage: "\(size)")
            #expect(page.pageCount == (animals.count + size - 1) / size)
            #expect(!page.animals.isEmpty)
            ids += page.animals.map(\.id)
            number = page.nextNumber
        }
        #expect(ids == animals.map(\.id))
    }

    @Test(arguments: ["5", "9223372036854775807"])
    func `a page past the last is empty and the end`(number: Substring) throws {
        let page = try AnimalPage(of: animals, page: number, perPage: "20")
        #expect(page.animals.isEmpty)
        #expect(page.nextNumber == nil)
    }

    @Test func `without animals there is one empty end`() throws {
        let page = try AnimalPage(of: [], page: nil, perPage: nil)
        #expect(page.animals.isEmpty)
        #expect(page.pageCount == 0)
        #expect(page.nextNumber == nil)
    }

    @Test(arguments: ["", "0", "-1", "+1", "1.5", "two", " 1", "٣", "9223372036854775808"])
    func `what is not a page number is refused`(text: Substring) {
        #expect(throws: RefusalError.self) { try AnimalPage(of: animals, page: text, perPage: nil) }
        #expect(throws: RefusalError.self) { try AnimalPage(of: animals, page: nil, perPage: text) }
    }

    @Test func `more than a hundred a page are refused`() throws {
        #expect(throws: RefusalError.self) { try AnimalPage(of: animals, page: nil, perPage: "101") }
        #expect(try AnimalPage(of: animals, page: nil, perPage: "100").animals.count == animals.count)
    }
}
