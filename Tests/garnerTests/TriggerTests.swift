import TestSupport
import Testing

/// Commands of a service where none runs.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TriggerTests {
    @Test func `without a service a stream is run here and now`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            let trigger = try await place.garner("trigger", "animals")
            #expect(trigger.code == 0)
            #expect(trigger.output == "")
            #expect(
                trigger.errors.hasPrefix("No service is running; running it in this process.\n")
                    && trigger.errors.contains("\nzoo.animals: succeeded, "))
            #expect(try place.integers("SELECT count(*) FROM animals") == [2])
            #expect(try place.texts("SELECT trigger FROM _garner_runs") == ["manual"])
            #expect(!place.names.contains("garner.db.sock"))
        }
    }

    @Test func `a request ID that is repeated runs once and gets the first answer`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            let first = try await place.garner("trigger", "animals", "--request-id", "x", "--json", "--quiet")
            let again = try await place.garner("trigger", "animals", "--request-id", "x", "--json", "--quiet")
            for ending in [first, again] {
                #expect(ending.code == 0)
                #expect(ending.errors == "")
                #expect(
                    ending.output.hasPrefix(
                        #"{"stream":"zoo.animals","request_id":"x","state":"ended","run_id":1,"status":"succeeded","pages":1,"#
                    ))
            }
            #expect(server.requests.count == 1)
            try await place.garner("trigger", "animals", "--request-id", "y")
            try await place.garner("trigger", "animals")
            #expect(server.requests.count == 3)
        }
    }

    @Test func `a run that failed ends it with its code, as often as it is asked for`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 401, body: "{}") }) { server in
            let place = try Workplace(api: server.url)
            for _ in 0..<2 {
                let trigger = try await place.garner("trigger", "animals", "--request-id", "x")
                #expect(trigger.code == 77)
                expectThreeParts(trigger.errors, beginning: "Error: zoo.animals: ")
            }
            #expect(server.requests.count == 1)
        }
    }

    static let mistakes: [([String], String)] = [
        (["trigger"], "Error: Missing expected argument '<streams> ...'"),
        (["trigger", "animls"], "Error: no stream is called 'animls'\nTry: did you mean 'animals'?"),
        (["resume", "zoo.plans"], "Error: no stream is called 'zoo.plans'\nTry: did you mean 'zoo.plants'?"),
        (["trigger", "animals", "plants", "--request-id", "x"], "Error: --request-id goes with one stream"),
        (["trigger", "animals", "--request-id", "a b"], "Error: --request-id must be 1 to 128 printable"),
        (["trigger", "animals", "--request-id", ""], "Error: --request-id must be 1 to 128 printable"),
    ]

    @Test(arguments: mistakes)
    func `mistakes are told with a way out`(arguments: [String], beginning: String) async throws {
        let place = try Workplace(api: "http://127.0.0.1:9", streams: ["animals", "plants"])
        let ending = try await place.start(arguments).end()
        #expect(ending.code == 64)
        #expect(ending.output == "")
        #expect(ending.errors.hasPrefix(beginning))
        #expect(place.names == ["garner.yaml"])
    }

    @Test func `a stream is paused and resumed in the database where no service runs`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9", streams: ["animals", "plants"])
        let pause = try await place.garner("pause", "animals", "plants")
        #expect(pause.code == 0)
        #expect(pause.output == "")
        let idle = "; it has no schedule, and 'garner sync' runs it all the same\n"
        #expect(pause.errors.hasSuffix("\nzoo.animals: paused\(idle)zoo.plants: paused\(idle)"))
        let paused = """
            SELECT name FROM _garner_schedules JOIN _garner_streams USING (stream_id)
            WHERE paused_at IS NOT NULL ORDER BY name
            """
        #expect(try place.texts(paused) == ["zoo.animals", "zoo.plants"])
        let resume = try await place.garner("resume", "plants", "--json")
        #expect(resume.code == 0)
        #expect(resume.output == "{\"stream\":\"zoo.plants\",\"state\":\"resumed\"}\n")
        #expect(resume.errors == "")
        #expect(try place.texts(paused) == ["zoo.animals"])
    }

    @Test func `only a schedule waits after a pause`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9", "primary_key: id, schedule: { every: 1h }")
        #expect(try await place.garner("pause", "animals").errors.hasSuffix("zoo.animals: paused\n"))
        #expect(try await place.garner("resume", "animals").errors.hasSuffix("zoo.animals: resumed\n"))
    }

    @Test func `what is paused is synchronised by hand all the same`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("pause", "animals")
            #expect(try await place.garner("trigger", "animals").code == 0)
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT count(*) FROM _garner_schedules WHERE paused_at IS NOT NULL") == [1])
        }
    }
}
