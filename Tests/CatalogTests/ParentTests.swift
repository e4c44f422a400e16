import GarnerCatalog
import GarnerModel
import Testing

struct ParentTests {
    private func text(_ zoo: String, _ farm: String = "") -> String {
        """
        version: 1
        sources:
          zoo: { base_url: "https://z/", streams: { \(zoo) } }
          farm: { base_url: "https://f/", streams: { \(farm) } }
        """
    }

    private func child(_ name: String, of parent: String) -> String {
        "\(name): { path: \"{parent.id}\", parent: \(parent) }"
    }

    @Test func `a parent is a stream of the same source, or of the one it names`() throws {
        let configuration = try Fixture.parse(
            text(
                "b: { path: \"{parent.id}\", parent: a, include_from_parent: [id, name] }, a:",
                "a: , " + child("c", of: "a") + ", " + child("d", of: "zoo.b")))
        #expect(configuration.streams.map(\.name.description) == ["zoo.b", "zoo.a", "farm.a", "farm.c", "farm.d"])
        #expect(
            configuration.streams.map(\.parent) == [
                Parent(stream: StreamName(source: "zoo", stream: "a"), include: ["id", "name"]), nil, nil,
                Parent(stream: StreamName(source: "farm", stream: "a")),
                Parent(stream: StreamName(source: "zoo", stream: "b")),
            ])
    }

    @Test(arguments: [
        ("animals: , " + "b: { path: \"{parent.id}\", parent: animal }", "no stream is called 'animal'", "'animals'"),
        (
            "animals: , " + "b: { path: \"{parent.id}\", parent: zoo.animal }", "no stream is called 'zoo.animal'",
            "'zoo.animals'"
        ),
        ("b: { path: \"{parent.id}\", parent: cows }", "no stream is called 'cows'", "'farm.cows'"),
        ("b: { path: \"{parent.id}\", parent: pigs }", "no stream is called 'pigs'", "write source.stream"),
        ("bs: { path: \"{parent.id}\", parent: b }", "no stream is called 'b'", "write source.stream"),
        (
            "items: { path: \"{parent.id}\", parent: item }, xy:", "no stream is called 'item'",
            "write the name of another stream of 'zoo', or source.stream"
        ),
        ("b: { path: \"{parent.id}\", parent: zoo..b }", "no stream is called 'zoo..b'", "write source.stream"),
        ("b: { path: \"{parent.id}\", parent: '' }", "'parent' is empty", "name"),
        ("b: { include_from_parent: id }", "'include_from_parent' needs 'parent'", "parent: …"),
        (
            "b: { path: \"{parent.id}\", parent: [cows, pigs], include_from_parent: [id] }",
            "'parent' is a list, and a stream has one parent", "write parent: NAME, and a stream of its own"
        ),
        (
            "a: , b: { path: \"{parent.id}\", parent: { stream: a, only: new }, include_from_parent: [id] }",
            "'parent.only' cannot be 'new'", "did you mean 'changed'?"
        ),
        (
            "a: , b: { path: \"{parent.id}\", parent: a, include_from_parent: [] }",
            "'include_from_parent' names no field", "id"
        ),
    ])
    func `a parent that is not there is an issue`(zoo: String, message: String, hint: String) {
        let issues = Fixture.issues(text(zoo, "cows:"))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
        #expect(issues.first?.place.line == 3)
    }

    @Test(arguments: [
        (["a": "a"], ["zoo.a → zoo.a"]), (["a": "b", "b": "a"], ["zoo.a → zoo.b → zoo.a"]),
        (["a": "b", "b": "c", "c": "b"], ["zoo.b → zoo.c → zoo.b"]),
        (["a": "b", "b": "c", "c": "a", "d": "a"], ["zoo.a → zoo.b → zoo.c → zoo.a"]),
        (["a": "a", "b": "b"], ["zoo.a → zoo.a", "zoo.b → zoo.b"]), (["a": "b", "b": "c"], []),
    ])
    func `a circle of parents is named`(parents: [String: String], circles: [String]) {
        let children =
            parents.sorted { $0.key < $1.key }.map { child($0, of: $1) } + (parents["c"] == nil ? ["c: "] : [])
            + (parents["b"] == nil ? ["b: "] : [])
        let issues = Fixture.issues(text(children.joined(separator: ", ")))
        #expect(issues.map(\.message) == circles.map { "the parents form a circle: \($0)" })
    }

    @Test(.timeLimit(.minutes(5))) func `a long line of parents is followed once`() throws {
        let count = 5000
        let streams = (0..<count).map { $0 == 0 ? "s0:" : child("s\($0)", of: "s\($0 - 1)") }
        let configuration = try Fixture.parse(text(streams.reversed().joined(separator: ", ")))
        #expect(configuration.streams.count == count)
    }

    @Test func `partitions have names and values`() throws {
        let stream = try Fixture.stream(
            "partitions: { repo: [a, 2, true], größe-1: x }\npath: /{partition.repo}\nparams: { g: \"{partition.größe-1}\" }"
        )
        #expect(
            stream.partitions == [
                Partition(name: "repo", values: ["a", "2", "true"]), Partition(name: "größe-1", values: ["x"]),
            ])
    }

    @Test func `values of a partition that look alike are different ones`() throws {
        let values = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
        let written = values.map { "'\($0)'" }.joined(separator: ", ")
        let stream = try Fixture.stream("partitions: { a: [\(written)] }\npath: /{partition.a}")
        #expect(stream.partitions[0].values.map { Array($0.utf8) } == values.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("{}", "'partitions' is empty"), ("[a]", "'partitions' must be a mapping, not a list"),
        ("{ a: [] }", "'partitions.a' has no value"), ("{ a: [x, ''] }", "'partitions.a' has no value"),
        ("{ a: [x, y, x] }", "'partitions.a' has a value twice"),
        ("{ a b: [x] }", "this name of a partition cannot be used"),
        ("{ '': [x] }", "this name of a partition cannot be used"),
        ("{ a: [[x]] }", "'partitions.a[0]' must be text, not a list"),
        ("{ \"a}\": [x] }", "this name of a partition cannot be used"),
    ])
    func `partitions that cannot be are an issue`(written: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText("partitions: \(written)\npath: /{partition.a}"))
        #expect(issues.first?.message == message)
        #expect(issues.filter { $0.place.column == 21 || $0.message == message }.count >= 1)
    }

    @Test func `the values of a partition may come from a file beside the configuration or from a query`() throws {
        let stream = try Fixture.stream(
            "partitions: { a: { file: lists/a.txt }, b: { query: \"SELECT x FROM y\" } }\npath: /{partition.a}/{partition.b}"
        )
        #expect(stream.partitions.map(\.name) == ["a", "b"])
        guard case .file(let file) = stream.partitions[0].origin else { throw NoFile() }
        #expect(file.path.hasSuffix("folder/lists/a.txt") && file.written == "lists/a.txt")
        #expect(stream.partitions[1].origin == .query("SELECT x FROM y"))
        let other = try Fixture.parse(
            Fixture.streamText("partitions: { a: { file: lists/a.txt } }\npath: /{partition.a}"),
            file: "elsewhere/g.yaml")
        let here = try Fixture.stream("partitions: { a: { file: lists/a.txt } }\npath: /{partition.a}")
        #expect(other.streams.first?.readIdentity == here.readIdentity)
    }

    private struct NoFile: Error {}

    @Test(arguments: [
        ("{ a: {} }", "'partitions.a' needs either 'file' or 'query'"),
        ("{ a: { file: x, query: SELECT 1 } }", "'partitions.a' needs either 'file' or 'query'"),
        ("{ a: { file: '' } }", "'partitions.a.file' is empty"),
        ("{ a: { file: ~/x } }", "'partitions.a.file' must be the path of a file"),
        ("{ a: { query: [x] } }", "'partitions.a.query' must be text, not a list"),
        ("{ a: { files: x } }", "unknown key 'files'"),
    ])
    func `a source of values that cannot be is an issue`(written: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText("partitions: \(written)\npath: /{partition.a}"))
        #expect(issues.contains { $0.message.contains(message) }, "\(issues)")
    }

    @Test func `values that may change cannot be read for changed parents only`() throws {
        let issues = Fixture.issues(
            """
            version: 1
            sources:
              zoo:
                base_url: https://zoo.example/
                streams:
                  animals: { path: animals }
                  meals:
                    parent: { stream: animals, only: changed }
                    partitions: { day: { file: days.txt } }
                    path: "{parent.id}/{partition.day}"

            """)
        #expect(
            issues.map(\.message) == [
                "the values of 'partitions.day' may change, which cannot work with 'only: changed'"
            ])
    }

    @Test(arguments: [(100, true), (101, false)])
    func `combinations of partitions are limited`(count: Int, fits: Bool) {
        let values = (0..<count).map(String.init).joined(separator: ", ")
        let thousand = (0..<1000).map(String.init).joined(separator: ", ")
        let issues = Fixture.issues(
            Fixture.streamText("partitions: { a: [\(values)], b: [\(thousand)] }\npath: /{partition.a}/{partition.b}"))
        #expect(issues.map(\.message) == (fits ? [] : ["'partitions' has more than 100000 combinations"]))
    }
}
