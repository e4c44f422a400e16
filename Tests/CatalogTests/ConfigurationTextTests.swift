import GarnerModel
import Testing

@testable import GarnerCatalog

/// A stream is written behind the others, and everything else stays as people wrote it.
struct ConfigurationTextTests {
    private static let file = """
        # Mine.
        version: 1

        sources:
          zoo:   # the zoo
            base_url: "https://zoo.example/"
            streams:
              animals:
                path: animals   # all of them
                # primary_key: id

          # The other one.
          park:
            base_url: "https://park.example/"
            streams:
              trees: { path: trees }
        schedules_are: here

        """

    @Test func `a stream goes behind those of its source, before what follows`() throws {
        var text = ConfigurationText(Self.file)
        let isAdded = text.add("  keepers:   # a table\n    path: keepers\n", to: "zoo")
        #expect(isAdded)
        let expected = Self.file.replacing(
            "        # primary_key: id\n",
            with: "        # primary_key: id\n      keepers:   # a table\n        path: keepers\n")
        #expect(text.text == expected)
    }

    @Test(arguments: [
        "version: 1\n", "# Mine.\nversion: 1\ndatabase: a.db\n", "version: 1\nsources:\n", "\"version\": 1\n",
    ])
    func `a source goes into a file that has none`(file: String) throws {
        var text = ConfigurationText(file)
        let isAdded = text.add(source: "  town:\n    base_url: http://t.example/\n    streams:\n      a:\n")
        #expect(isAdded && text.text.hasPrefix(file))
        #expect(try Fixture.parse(text.text).streams.map(\.name.description) == ["town.a"])
    }

    @Test(arguments: ["", "    streams:\n", "    streams: {}\n", "    streams:   # none yet\n", "    streams: null\n"])
    func `a stream goes into a source that has none`(streams: String) throws {
        let file = "version: 1\nsources:\n  town:\n    base_url: \"http://t.example/\"   # all\n\(streams)"
        var text = ConfigurationText(file)
        let empty = text.emptySources
        #expect(empty.map(\.name) == ["town"] && empty.map(\.base) == ["http://t.example/"])
        let isAdded = text.add("a:\n  path: a\n", to: "town")
        #expect(isAdded && text.emptySources.isEmpty)
        #expect(try Fixture.parse(text.text).streams.map(\.name.description) == ["town.a"])
    }

    @Test func `a source goes behind the others`() throws {
        var text = ConfigurationText(Self.file)
        let isAdded = text.add(source: "      town:\n        base_url: x\n")
        #expect(isAdded)
        #expect(
            text.text
                == Self.file.replacing(
                    "      trees: { path: trees }\n",
                    with: "      trees: { path: trees }\n  town:\n    base_url: x\n"))
    }

    @Test func `the depth of the file is kept`() throws {
        var text = ConfigurationText(
            "version: 1\nsources:\n    zoo:\n        base_url: b\n        streams:\n            a:\n                path: a\n"
        )
        let isAdded = text.add("      b:\n        path: b\n", to: "zoo")
        #expect(isAdded)
        #expect(text.text.hasSuffix("            b:\n              path: b\n"))
    }

    @Test func `a file that ends without a line break gets one`() throws {
        var text = ConfigurationText("sources:\n  zoo:\n    streams:\n      a: { path: a }")
        let isAdded = text.add("b: { path: b }", to: "zoo")
        #expect(isAdded)
        #expect(text.text == "sources:\n  zoo:\n    streams:\n      a: { path: a }\n      b: { path: b }\n")
    }

    @Test(arguments: [
        "sources: { zoo: { base_url: x, streams: { a: { path: a } } } }\n",
        "sources:\n  zoo: { base_url: x, streams: { a: { path: a } } }\n",
        "sources:\n  zoo:\n    base_url: x\n    streams: { a: { path: a } }\n",
        "sources:\r\n  zoo:\n    streams:\r\n      a: { path: a }\n", "", "version: 1\n",
    ])
    func `what is not written line by line is left alone`(file: String) {
        var text = ConfigurationText(file)
        let isLeft = !text.add("b: { path: b }", to: "zoo")
        #expect(isLeft)
    }

    @Test func `lines that end as on Windows go on so`() {
        var text = ConfigurationText("sources:\r\n  zoo:\r\n    streams:\r\n      a: { path: a }\r\n")
        let isAdded = text.add("b: { path: b }", to: "zoo")
        #expect(isAdded)
        #expect(text.text == "sources:\r\n  zoo:\r\n    streams:\r\n      a: { path: a }\r\n      b: { path: b }\r\n")
    }

    @Test(arguments: ["\"zoo\"", "'zoo'"])
    func `a name may be quoted`(name: String) {
        var text = ConfigurationText("sources:\n  \(name):\n    streams:\n      a: { path: a }\n")
        let isAdded = text.add("b: { path: b }", to: "zoo")
        #expect(isAdded)
    }
}
