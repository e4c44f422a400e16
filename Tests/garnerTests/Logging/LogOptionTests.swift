import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct LogOptionTests {
    /// Runs a service and returns the lines that it logs until it is stopped.
    private static func log(
        _ options: [String] = [], environment: [String: String] = [:]
    ) async throws -> [Substring] {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1s }")
            let serve = try place.start(["serve"] + options, environment: environment)
            await server.requestsArrived(1)
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 0)
            return ending.errors.split(separator: "\n")
        }
    }

    @Test(arguments: [
        (["--log-format", "json"], [:]), ([], ["GARNER_LOG_FORMAT": "json"]),
        (["--log-format=json"], ["GARNER_LOG_FORMAT": "text"]),
    ])
    func `a service logs objects`(options: [String], environment: [String: String]) async throws {
        let lines = try await Self.log(options, environment: environment)
        let objects = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.allSatisfy { $0["time"] is String && $0["level"] is String && $0["message"] is String })
        #expect(objects.contains { $0["stream"] as? String == "zoo.animals" && $0["status"] as? String == "succeeded" })
        #expect(objects.last?["message"] as? String == "Scheduler stopped")
    }

    @Test func `a service logs lines of text`() async throws {
        for line in try await Self.log() {
            #expect(
                line.firstMatch(of: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning) [A-Z]/) != nil, "\(line)")
        }
    }

    @Test func `a format that is none is a usage error`() async throws {
        #expect(try await Workplace().garner("serve", "--log-format", "xml").code == 64)
        let told = try await Workplace().garner("tables", environment: ["GARNER_LOG_FORMAT": "xml"])
        #expect(told.code == 64)
        #expect(told.errors == "Error: GARNER_LOG_FORMAT is 'xml'\nTry: set it to one of: text, json\n")
    }

    @Test func `a log that nobody reads stops no schedule`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1s }")
            #expect(mkfifo(place.folder.path("log"), 0o600) == 0)
            // The reader opens it and never reads; the pipe is full before the service begins.
            let serve = try GarnerProcess(
                [
                    "-c",
                    #"exec 3<>log; dd if=/dev/zero of=log bs=1k count=1024 oflag=nonblock 2>/dev/null; exec "$0" serve 2>&3"#,
                    GarnerProcess.binary,
                ], of: "/bin/sh", in: place.folder, environment: ["PATH": "/usr/bin:/bin"])
            try await eventually { server.requests.count >= 3 }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }
}
