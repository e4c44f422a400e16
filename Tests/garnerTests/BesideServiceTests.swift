import GarnerCatalog
import GarnerControl
import Foundation
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

/// The command line's end of what it asks a service; `ServiceControlTests` has both ends.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BesideServiceTests {
    private static func place() throws -> Workplace {
        try Workplace(api: "http://127.0.0.1:9", streams: ["animals", "plants"])
    }

    private static let succeeds: AskedService.Handler = { service, request, reply in
        guard case .trigger(let wish, let waits) = request else { return await reply(.done) }
        await reply(.accepted)
        if waits { await reply(.ended(run: try await service.run(wish))) }
    }

    @Test func `sync has the service run each stream, and tells of the runs`() async throws {
        let place = try Self.place()
        try await AskedService.serve(place, Self.succeeds) { service in
            let sync = try await place.garner("sync", "--json", "--full-refresh", "--max-pages", "3")
            #expect(sync.code == 0)
            let lines = sync.output.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines {
                #expect(
                    line.wholeMatch(of: /\{"stream":"zoo\.(animals|plants)","run_id":[12],"status":"succeeded",.*/)
                        != nil)
            }
            #expect(sync.errors == "The running service (process \(getpid())) did it.\n")
            let wishes = service.requests.value.compactMap {
                if case .trigger(let request, let waits) = $0 { (request, waits) } else { nil }
            }
            #expect(Set(wishes.map(\.0.stream.stream)) == ["animals", "plants"])
            #expect(Set(wishes.map(\.0.id)).count == 2)
            #expect(wishes.allSatisfy { $0.1 && $0.0.scope == RunScope(restarts: true, maximumPages: 3) })
        }
    }

    @Test func `a run that failed there ends the sync with its code`() async throws {
        let place = try Self.place()
        let failure = RunFailure(.unavailable, kind: "status", message: "HTTP 500 from http://x", hint: "try again")
        try await AskedService.serve(place) { service, request, reply in
            guard case .trigger(let wish, _) = request else { return }
            await reply(.accepted)
            let isBad = wish.stream.stream == "plants"
            await reply(
                .ended(
                    run: try await service.run(wish, as: isBad ? .failed : .succeeded, failure: isBad ? failure : nil)))
        } while: { _ in
            let both = try await place.garner("sync")
            #expect(both.code == 2)
            #expect(both.errors.contains("Error: zoo.plants: HTTP 500 from http://x\n"))
            #expect(try await place.garner("sync", "plants").code == 69)
        }
    }

    @Test func `a run that the end of the service has ended is not done`() async throws {
        let place = try Self.place()
        try await AskedService.serve(place) { service, request, reply in
            guard case .trigger(let wish, _) = request else { return }
            await reply(.joined(run: nil))
            await reply(.ended(run: try await service.run(wish, as: .cancelled)))
        } while: { _ in
            let sync = try await place.garner("sync", "animals")
            #expect(sync.code == 1)
            #expect(sync.errors.hasPrefix("zoo.animals: cancelled, "))
        }
    }

    @Test func `what the service refuses is told in three parts`() async throws {
        let place = try Self.place()
        try await AskedService.serve(place) { _, _, reply in
            await reply(.refused(.stopping))
        } while: { _ in
            for command in [["sync", "animals"], ["trigger", "animals"], ["trigger", "animals", "--wait"]] {
                let refused = try await place.start(command).end()
                #expect(refused.code == 75)
                #expect(refused.errors.contains("Error: zoo.animals: the running service is about to stop\n"))
                #expect(refused.errors.hasSuffix("Try: try again when it has stopped\n"))
            }
            let pause = try await place.garner("pause", "animals")
            #expect(pause.code == 75)
            expectThreeParts(pause.errors, beginning: "Error: zoo.animals: the running service is about to stop")
            let json = try await place.garner("trigger", "animals", "--json", "--request-id", "1")
            #expect(json.output.contains(#""request_id":"1","state":"refused","run_id":null,"status":"failed","#))
            #expect(json.output.contains(#""error":{"code":75,"kind":"stopping","#))
        }
    }

    @Test func `a service that goes away in the middle is told of`() async throws {
        let place = try Self.place()
        try await AskedService.serve(place) { _, _, reply in
            await reply(.accepted)
        } while: { _ in
            let sync = try await place.garner("sync", "animals")
            #expect(sync.code == 75)
            #expect(sync.errors.contains("Error: zoo.animals: the running service has gone before it answered\n"))
        }
    }

    @Test(arguments: [
        (["--dry-run"], "Error: a dry run needs the database "),
        (["animals", "--from", "2026-01-01"], "Error: the running service "),
    ])
    func `a dry run and a range beside a service are refused`(options: [String], beginning: String) async throws {
        let place = try Workplace(
            api: "http://127.0.0.1:9",
            "params: { since: \"{incremental.start_value}\" }, primary_key: id, incremental: { cursor_field: at }")
        try await AskedService.serve(place, Self.succeeds) { service in
            let sync = try await place.start(["sync"] + options).end()
            #expect(sync.code == 75)
            expectThreeParts(sync.errors, beginning: beginning)
            #expect(sync.errors.contains("the running service (process \(getpid()))"))
            #expect(service.requests.value == [])
        }
    }

    @Test func `twelve at once, each of eight streams, wait for their places and end well`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9", streams: (1...8).map { "s\($0)" })
        try await AskedService.serve(place) { service, request, reply in
            await reply(.accepted)
            // All places are taken before the first one becomes free.
            await service.requests.until { $0.count >= 32 }
            await reply(.ended(run: 1))
        } while: { service in
            let first = RunRequest("1", of: StreamName(source: "zoo", stream: "s1"))
            #expect(try await service.run(first) == 1)
            let syncs = try (0..<12).map { _ in try place.start(["sync"]) }
            for sync in syncs {
                let ending = try await sync.end()
                #expect(ending.code == 0, "\(ending.errors)")
            }
            #expect(service.requests.value.count == 96)
        }
    }

    static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143)]

    @Test(arguments: signals)
    func `a signal ends the waiting, and the runs go on`(signal: Int32, code: Int32) async throws {
        let place = try Self.place()
        let left = Watched(false)
        try await AskedService.serve(place) { _, _, reply in
            await reply(.accepted)
            await Watched(false).until { $0 }
            left.value = true
        } while: { service in
            let sync = try place.start(["sync", "animals"])
            await service.requests.until { $0.count == 1 }
            sync.send(signal)
            let ending = try await sync.end()
            #expect(ending.code == code)
            #expect(ending.output == "")
            #expect(ending.errors == "What was begun goes on in the running service (process \(getpid())).\n")
            await left.until { $0 }
        }
    }

    @Test func `trigger returns as soon as the service has taken note`() async throws {
        let place = try Self.place()
        try await AskedService.serve(place) { service, request, reply in
            guard case .trigger(let wish, _) = request else { return }
            switch wish.id {
            case "known": await reply(.ended(run: try await service.run(wish)))
            case "late": await reply(.joined(run: 7))
            default: await reply(wish.stream.stream == "plants" ? .joined(run: nil) : .accepted)
            }
        } while: { service in
            let two = try await place.garner("trigger", "animals", "plants", "--json")
            #expect(two.code == 0)
            #expect(two.errors == "")
            let objects = two.output.replacing(/[0-9a-f]{16}/, with: "ID")
            #expect(
                objects == """
                    {"stream":"zoo.animals","request_id":"ID","state":"accepted","run_id":null}
                    {"stream":"zoo.plants","request_id":"ID","state":"joined","run_id":null}

                    """)
            let late = try await place.garner("trigger", "animals", "--request-id", "late")
            #expect(late.output == "")
            #expect(late.errors == "zoo.animals: joined, run 7, request late\n")
            let known = try await place.garner("trigger", "animals", "--request-id", "known", "--json")
            #expect(
                known.output.hasPrefix(
                    #"{"stream":"zoo.animals","request_id":"known","state":"ended","run_id":1,"status":"succeeded","#))
            #expect(service.requests.value.count == 4)
        }
    }

    @Test func `trigger waits where it is told to, and ends as the run did`() async throws {
        let place = try Self.place()
        let failure = RunFailure(.badContent, kind: "json", message: "not JSON", hint: "look at it")
        try await AskedService.serve(place) { service, request, reply in
            guard case .trigger(let wish, let waits) = request else { return }
            await reply(.accepted)
            if waits { await reply(.ended(run: try await service.run(wish, as: .failed, failure: failure))) }
        } while: { _ in
            let json = try await place.garner("trigger", "animals", "--wait", "--json", "--request-id", "1")
            #expect(json.code == 65)
            #expect(json.output.contains(#""request_id":"1","state":"ended","run_id":1,"status":"failed","#))
            #expect(try await place.garner("trigger", "animals").code == 0)
        }
    }

    @Test func `pause and resume are asked for, too`() async throws {
        let place = try Self.place()
        try await AskedService.serve(place, Self.succeeds) { service in
            let pause = try await place.garner("pause", "animals", "plants")
            #expect(pause.code == 0)
            let idle = "; it has no schedule, and 'garner sync' runs it all the same\n"
            #expect(pause.errors == "zoo.animals: paused\(idle)zoo.plants: paused\(idle)")
            let resume = try await place.garner("resume", "plants", "--json")
            #expect(resume.output == "{\"stream\":\"zoo.plants\",\"state\":\"resumed\"}\n")
            #expect(
                service.requests.value == [
                    .pause(.init(source: "zoo", stream: "animals")), .pause(.init(source: "zoo", stream: "plants")),
                    .resume(.init(source: "zoo", stream: "plants")),
                ])
        }
    }

    static let commands = [
        ["sync"], ["sync", "--dry-run"], ["trigger", "animals"], ["pause", "animals"], ["resume", "animals"],
    ]

    @Test(arguments: commands)
    func `a database locked by another writer is not treated as a service`(command: [String]) async throws {
        let place = try Self.place()
        let writer = try DatabaseWriter(
            path: place.database, now: { Timestamp(millisecondsSince1970: 1_800_000_000_000) })
        let locked = try await place.start(command).end()
        await writer.close()
        #expect(locked.code == 75)
        expectThreeParts(locked.errors, beginning: "Error: ")
        #expect(locked.errors.contains("process \(getpid())"))
    }

    @Test func `a socket that a dead service left is no service`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            try #require(RawClient.leaveSocket(at: place.folder.path("garner.db.sock")))
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT count(*) FROM _garner_runs") == [2])
        }
    }
}
