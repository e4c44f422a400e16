import Testing

@testable import GarnerImport

struct WritingTests {
    @Test func `short values stand in one line, and long ones line by line`() {
        var keys = FileMapping([
            "path": .text("/a"), "params": .mapping(FileMapping(["limit": .int(5), "q": .text("a: b\n")])),
            "list": .texts(["${TOKEN}", "yes"]), "nothing": .null, "X-Key": .text("#1"),
        ])
        keys["long"] = .list(
            (1...4).map {
                .mapping(FileMapping(["when": .text("value \($0) of a long condition"), "action": .text("end")]))
            })
        keys.comment("differs:\u{1B}[31m a line\nof a stranger", on: "list")
        let text = FileText(FileMapping(["stream": .mapping(keys)]), indent: 2, blocks: [[]]).text
        #expect(
            text == """
                  stream:
                    path: "/a"
                    params: { limit: 5, q: "a: b\\x0A" }
                    # differs:?[31m a line?of a stranger
                    list: ["${TOKEN}", "yes"]
                    nothing: null
                    X-Key: "#1"
                    long:
                      - { when: "value 1 of a long condition", action: end }
                      - { when: "value 2 of a long condition", action: end }
                      - { when: "value 3 of a long condition", action: end }
                      - { when: "value 4 of a long condition", action: end }

                """)
    }

    @Test func `a long mapping in a list begins beside its dash, after its comments`() {
        var inner = FileMapping([
            "a": .text(String(repeating: "x", count: 90)), "b": .text(String(repeating: "y", count: 20)),
        ])
        inner.comment("why", on: "a")
        let lines = FileText(FileMapping(["list": .list([.mapping(inner)])])).lines
        #expect(lines.map { $0.prefix(8) } == ["list:", "  # why", "  - a: x", "    b: y"])
    }

    @Test(arguments: [
        ("Big Owners", "big_owners"), ("orderLines", "order_lines"), ("order", "order_list"), ("2024", "stream_2024"),
        ("../x", "x"), ("", "stream"), ("é\u{1B}", "stream"), ("_garner_runs", "garner_runs"), ("yes", "stream_yes"),
    ])
    func `a stream has a name that a table may have`(text: String, expected: String) {
        #expect(FileNames.name(of: text) == expected)
    }

    @Test(arguments: [
        ("source-acme/manifest.yaml", "acme"), ("/tmp/source-acme.yaml", "acme"), ("manifest.yaml", nil), ("-", nil),
        ("pets.openapi.json", "pets"),
    ])
    func `a connector is called by its file`(path: String, expected: String?) {
        #expect(FileNames.connector(of: path) == expected)
    }

    @Test func `a name that is taken gets a number`() {
        var taken: Set = ["pets"]
        #expect(["Pets", "pets", "dogs"].map { FileNames.free($0, among: &taken) } == ["Pets_2", "pets_3", "dogs"])
    }

    @Test(arguments: [
        ("http://localhost:8080/", true), ("http://169.254.169.254/latest", true), ("https://10.0.0.1", true),
        ("http://[::1]/", true), ("https://172.20.0.1", true), ("https://api.example.com/10.0", false),
        ("https://100.1.2.3", false),
    ])
    func `an address of a private network is known`(base: String, expected: Bool) {
        #expect(FileNames.isPrivate(base) == expected)
    }
}
