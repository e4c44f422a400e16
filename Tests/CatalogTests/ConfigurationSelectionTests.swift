import GarnerCatalog
import GarnerModel
import Testing

struct ConfigurationSelectionTests {
    private func configuration() throws -> Configuration {
        try Fixture.parse(
            """
            version: 1
            sources:
              zoo:
                base_url: https://zoo.example/
                streams: { animals: , keepers: }
              farm:
                base_url: https://farm.example/
                streams: { animals: , fields: { table: acres } }
            """)
    }

    @Test(arguments: [
        ([], ["zoo.animals", "zoo.keepers", "farm.animals", "farm.fields"]),
        (["fields", "keepers"], ["zoo.keepers", "farm.fields"]),
        (["farm.animals"], ["farm.animals"]),
        (["keepers", "zoo.keepers"], ["zoo.keepers"]), (["zoo.*"], ["zoo.animals", "zoo.keepers"]),
        (["*.animals", "fields"], ["zoo.animals", "farm.animals", "farm.fields"]),
        (["*f*m*s"], ["farm.animals", "farm.fields"]),
        (["*"], ["zoo.animals", "zoo.keepers", "farm.animals", "farm.fields"]), (["zoo.animals*"], ["zoo.animals"]),
    ])
    func `names choose streams in the order of the file`(names: [String], expected: [String]) throws {
        #expect(try configuration().streams(matching: names).map(\.name.description) == expected)
    }

    /// Patterns that match nothing, and what is near.
    private static let patterns: [(String, String?)] = [
        ("crm.*", nil), ("animals*", "*.animals*"), ("*.x", nil), ("zoo.*x", nil), ("Zoo.*", "zoo.*"),
        ("zo.*", "zoo.*"), ("frm*", "farm*"), ("zoo.keeprs*", "zoo.keepers"), ("keeprs*", "keepers"),
    ]

    @Test(arguments: patterns)
    func `a pattern that matches nothing is an error, and what is near chooses streams`(
        pattern: String, suggestion: String?
    ) throws {
        let configuration = try configuration()
        let names = configuration.streams.map(\.name.description)
        let error = StreamSelectionError.unmatched(
            pattern: pattern, suggestion: suggestion, known: suggestion == nil ? names : [])
        #expect(throws: error) { try configuration.streams(matching: ["fields", pattern]) }
        guard let suggestion else {
            #expect(error.hint?.hasPrefix("the streams are: \(names[0]), ") == true)
            return
        }
        #expect(error.hint == "did you mean '\(suggestion)'?")
        #expect(try !configuration.streams(matching: [suggestion]).isEmpty)
    }

    @Test func `a pattern of many stars is compared in little time`() throws {
        let configuration = try configuration()
        let pattern = String(repeating: "*a", count: 20_000)
        let names = configuration.streams.map(\.name.description)
        #expect(throws: StreamSelectionError.unmatched(pattern: pattern, known: names)) {
            try configuration.streams(matching: [pattern])
        }
    }

    @Test func `a bare name of two streams is ambiguous`() throws {
        let configuration = try configuration()
        #expect(throws: StreamSelectionError.ambiguous(name: "animals", candidates: ["zoo.animals", "farm.animals"])) {
            try configuration.streams(matching: ["animals"])
        }
    }

    @Test(arguments: [
        ("keeprs", "keepers"), ("zoo.keeper", "zoo.keepers"), ("farm.keepers", "zoo.keepers"),
        ("crm.keepers", "zoo.keepers"),
        ("zoo/animals", "zoo.animals"), ("zoo", "zoo.*"), ("acres", "farm.fields"),
    ])
    func `an unknown name gets a suggestion where one is near, and that one chooses streams`(
        name: String, suggestion: String
    ) throws {
        let configuration = try configuration()
        #expect(throws: StreamSelectionError.unknown(name: name, suggestion: suggestion)) {
            try configuration.streams(matching: ["fields", name])
        }
        #expect(try !configuration.streams(matching: [suggestion]).isEmpty)
    }

    @Test(arguments: ["whales", ""])
    func `an unknown name gets the list of streams where none is near`(name: String) throws {
        let configuration = try configuration()
        let names = configuration.streams.map(\.name.description)
        let error = StreamSelectionError.unknown(name: name, suggestion: nil, known: names)
        #expect(throws: error) { try configuration.streams(matching: ["fields", name]) }
        #expect(error.hint == "the streams are: zoo.animals, zoo.keepers, farm.animals, farm.fields")
    }
}
