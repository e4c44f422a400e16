import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct DemoTests {
    private static let deadProxies = Dictionary(
        uniqueKeysWithValues: ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"]
            .map { ($0, "http://127.0.0.1:9") })

    @Test func `the demo runs twice, and what it says to try works`() async throws {
        let place = try Workplace()
        for _ in 1...2 {
            let demo = try await place.garner("demo", environment: Self.deadProxies)
            #expect(demo.code == 0)
            #expect(demo.errors == "")
            #expect(
                demo.output.contains(
                    "First sync of zoo.animals: 4 pages, 78 inserted, 0 updated, 0 unchanged, 0 deleted\n"))
            #expect(
                demo.output.contains(
                    "Second sync of zoo.animals: 4 pages, 3 inserted, 4 updated, 72 unchanged, 2 deleted\n"))
            for sign in ["  + ", "  ~ ", "  - "] { #expect(demo.output.contains("\n\(sign)")) }

            let lines = demo.output.split(separator: "\n")
            let commands = lines.filter { $0.hasPrefix("  garner ") || $0.hasPrefix("  cd ") }
            #expect(commands.count == 8)
            let result = try await place.shell(commands.joined(separator: "\n"))
            #expect(result.code == 0, "\(result.errors)")
            #expect(try place.text(of: "garner-demo/animals.csv").split(separator: "\n").count == 80)
            #expect(result.output.contains("lifespan"))
            #expect(result.output.contains("1 file in picture\n") || result.errors.contains("1 file in picture\n"))
        }
        #expect(place.names == ["garner-demo"])
    }

    @Test func `the README shows what the demo says`() async throws {
        let said = try await Workplace().garner("demo").output.replacing(/:\d+\//, with: ":PORT/")
        let readme = DocumentationPage("README.md").text
        let block = try #require(readme.firstMatch(of: /<!-- demo -->\n```\n((?s).*?)```/)).output.1
        #expect(said.hasPrefix(block))
        #expect(said.dropFirst(block.count).hasPrefix("\nNow try:\n"))
    }

    @Test func `a database that another process writes to is not made anew`() async throws {
        let place = try Workplace()
        let first = try place.start(["demo", "--serve", "--port", "0"])
        try await eventually { first.outputSoFar.contains("until you press Ctrl-C") }
        #expect(first.outputSoFar.contains("as long as this goes on.\n'garner sync random_animal' fetches"))
        let serve = try place.start(["serve", "--config", "garner-demo/garner.yaml"])
        // The demo itself had the lock before.
        try await eventually { (try? place.text(of: "garner-demo/garner.db.lock")) == "\(serve.id)\n" }
        let second = try await place.garner("demo")
        #expect(second.code == 75)
        expectThreeParts(second.errors, beginning: "Error: ")
        serve.send(15)
        #expect(try await serve.end().code == 0)
        first.send(15)
        #expect(try await first.end().code == 0)
    }

    @Test(arguments: ["garner.yaml", "garner.db", "README.txt"])
    func `a folder of something else stays as it is`(name: String) async throws {
        let place = try Workplace()
        try place.write("mine", to: name)
        let demo = try await place.garner("demo", "--folder", ".")
        #expect(demo.code == 73)
        #expect(demo.output == "")
        expectThreeParts(demo.errors, beginning: "Error: ./\(name) exists and is not the demo's")
        #expect(place.names == [name])
        #expect(try place.text(of: name) == "mine")
    }

    @Test func `a quiet demo says nothing`() async throws {
        let demo = try await Workplace().garner("demo", "-q")
        #expect((demo.code, demo.output + demo.errors) == (0, ""))
    }

    @Test func `a port that is taken is told`() async throws {
        try await LoopbackServer.serve({ _ in .json("{}") }) { server in
            let demo = try await Workplace().garner("demo", "--port", "\(server.port)")
            #expect(demo.code == 69)
            expectThreeParts(demo.errors, beginning: "Error: ")
        }
    }

    @Test func `a demo that goes on serving can be synchronised, and ends with a signal`() async throws {
        let place = try Workplace()
        let demo = try place.start(["demo", "--serve", "--port", "0"])
        try await eventually { demo.outputSoFar.contains("until you press Ctrl-C") }
        let sync = try await place.garner("sync", "--config", "garner-demo/garner.yaml", "--json")
        #expect(sync.code == 0)
        #expect(sync.output.contains(#""inserted":0,"updated":0,"unchanged":79,"deleted":0,"#))

        // The animal and its picture are of one run, and no other animal is left.
        for _ in 1...3 {
            let again = try await place.shell(
                """
                cd garner-demo && garner sync random_animal --quiet
                garner query --format csv "SELECT count(*), min(a.lifespan > 0), min(length(a.name) > 0), count(t.sha256),
                  min(t.run_id = (SELECT max(run_id) FROM _garner_runs)) FROM random_animal a
                  LEFT JOIN (SELECT * FROM _garner_attachments JOIN _garner_streams USING (stream_id)) t
                  ON t.url = a.image_link AND t.table_name = 'random_animal'"
                garner get random_animal $(garner query --format csv 'SELECT id FROM random_animal' | tail -1) \
                  --attachment image_link -o - | head -c 4
                """)
            #expect(again.code == 0, "\(again.errors)")
            #expect(again.output.hasSuffix("<svg"), "\(again.output)")
            #expect(again.output.split(separator: "\n").dropFirst().first == "1,1,1,1,1", "\(again.output)")
        }
        demo.send(15)
        #expect(try await demo.end().code == 0)
    }
}
