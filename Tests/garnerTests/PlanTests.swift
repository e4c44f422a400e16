import Foundation
import Synchronization
import TestSupport
import Testing

/// The requests that `garner plan` announces are those that `garner sync` then sends.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PlanTests {
    /// Two streams: a collection of three pages of two, and a child of each record; all with validators.
    private static let zoo = """
            streams:
              feedings: { parent: animals, path: "animals/{parent.id}/feedings", primary_key: at }
              animals: { path: animals, primary_key: id }
        """

    private static func answer(_ request: LoopbackRequest) -> LoopbackReply {
        let tag = #""\#(request.target)""#
        if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
        guard !request.target.contains("feedings") else {
            return .json(#"{"data":[{"at":"\#(request.target)"}],"next":null}"#, headers: [("ETag", tag)])
        }
        let records = [1, 2].map { #"{"id":\#((request.page - 1) * 2 + $0)}"# }.joined(separator: ",")
        let next = request.page < 3 ? #""?page=\#(request.page + 1)""# : "null"
        return .json(#"{"data":[\#(records)],"next":\#(next)}"#, headers: [("ETag", tag)])
    }

    private static func withZoo(
        _ streams: String = zoo, answer: @escaping @Sendable (LoopbackRequest) -> LoopbackReply = Self.answer,
        _ body: @escaping @Sendable (Workplace, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve(answer) { server in
            let head = "version: 1\nsources:\n  zoo:\n    base_url: \(server.url)\n    retry: { max_attempts: 1 }\n"
            try await body(try Workplace(head + streams), server)
        }
    }

    @Test func `before anything is stored the first requests are known`() async throws {
        try await Self.withZoo { place, server in
            let plan = try await place.garner("plan")
            #expect(plan.code == 0)
            #expect(
                plan.output == """
                    stream       method  url\(String(repeating: " ", count: "\(server.url)/animals".count - 3))  since  conditional
                    zoo.animals  GET     \(server.url)/animals  -      no

                    """)
            #expect(
                plan.errors == """
                    zoo.animals: the pages that follow are not known yet
                    zoo.feedings: asked for by the records of zoo.animals, once they are read

                    """)
            #expect(server.requests.isEmpty && place.names == ["garner.yaml"])
        }
    }

    @Test func `a child whose parent was never read and is not read now cannot be planned`() async throws {
        try await Self.withZoo { place, _ in
            let plan = try await place.garner("plan", "feedings")
            #expect(plan.code == 66 && plan.output == "")
            #expect(plan.errors.contains("zoo.feedings: the parent zoo.animals has no stored records yet"))
            let both = try await place.garner("plan", "feedings", "animals", "--json")
            #expect(both.output.contains(#"{"stream":"zoo.feedings","after":"zoo.animals"}"#))
            let json = try await place.garner("plan", "feedings", "--json")
            #expect(json.output.contains(#""error":{"code":66,"kind":"missing""#))
        }
    }

    @Test func `what is planned is what is then sent`() async throws {
        try await Self.withZoo { place, server in
            #expect(try await place.garner("sync").code == 0)
            let asked = server.requests.count
            let plan = try await place.garner("plan", "-f", "csv", "--limit", "0")
            #expect(plan.code == 0 && plan.errors == "")
            #expect(try await place.garner("sync").code == 0)
            let sent = server.requests[asked...].map { request in
                let isConditional = request["If-None-Match"] != nil
                let stream = request.target.contains("feedings") ? "zoo.feedings" : "zoo.animals"
                return "\(stream),GET,\(server.url)\(request.target),,,,\(isConditional ? "yes" : "no")"
            }
            #expect(sent.count == 9 && sent.allSatisfy { $0.hasSuffix("yes") }, "\(sent) \(plan.errors)")
            let planned = plan.output.split(separator: "\n").dropFirst().map(String.init)
            // Children are asked for at the same time.
            #expect(planned.prefix(3) == sent.prefix(3) && Set(planned) == Set(sent))
        }
    }

    @Test func `a full refresh asks for everything anew`() async throws {
        try await Self.withZoo { place, _ in
            #expect(try await place.garner("sync").code == 0)
            let plan = try await place.garner("plan", "--full-refresh", "--json")
            #expect(plan.output.contains(#""conditional":false"#) && !plan.output.contains(#""conditional":true"#))
            #expect(plan.output.contains(#""slices":6"#))
        }
    }

    @Test func `an unfinished read goes on where it stopped`() async throws {
        let isDown = Mutex(true)
        try await Self.withZoo(
            answer: { $0.page == 2 && isDown.withLock { $0 } ? .status(500) : Self.answer($0) }
        ) { place, server in
            #expect(try await place.garner("sync", "animals").code == 69)
            let plan = try await place.garner("plan", "animals", "-f", "csv")
            #expect(
                plan.output == """
                    stream,method,url,body,since,until,conditional
                    zoo.animals,GET,\(server.url)/animals?page=2,,,,no

                    """)
            #expect(plan.errors.contains("zoo.animals: goes on with the read that run 1 began"))
            isDown.withLock { $0 = false }
            let asked = server.requests.count
            #expect(try await place.garner("sync", "animals").code == 0)
            #expect(server.requests[asked].target == "/animals?page=2")
        }
    }

    @Test func `a cursor is shown, as are windows and bodies`() async throws {
        let streams = """
                streams:
                  animals:
                    path: search
                    method: POST
                    json: { since: "{incremental.start_value}", key: "${KEY}" }
                    primary_key: id
                    incremental: { cursor_field: at, initial_value: "10", end_value: "30", step: 10 }
            """
        try await Self.withZoo(
            streams,
            answer: { _ in .json(#"{"data":[{"id":1,"at":20}]}"#) }
        ) { place, server in
            let secret = ["KEY": "canary-in-a-plan"]
            let plan = try await place.garner("plan", environment: secret)
            #expect(plan.output.contains(#"{"since":"10","key":"***"}"#) && plan.output.contains(#"{"since":"20""#))
            #expect(!plan.output.contains("canary"))
            #expect(try await place.garner("sync", environment: secret).code == 0)
            #expect(server.requests.map(\.body.count).allSatisfy { $0 > 20 } && server.requests.count == 2)
            let next = try await place.garner("plan", "--json", environment: secret)
            #expect(
                next.output.contains(
                    #""body":{"since":"20","key":"***"},"since":"20","until":"30","conditional":false"#)
            )
        }
    }

    @Test func `a read that leaves something out is planned no further`() async throws {
        let streams = """
                streams:
                  animals:
                    path: animals
                    primary_key: id
                    params: { since: "{incremental.start_value}" }
                    paginator: { type: json_link, next_url_path: $.next, max_pages: 1 }
                    incremental: { cursor_field: at, initial_value: "10", end_value: "30", step: 10 }
            """
        try await Self.withZoo(
            streams,
            answer: { request in
                let tag = #""\(request.target)""#
                if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
                return .json(#"{"data":[{"id":1,"at":null}],"next":"?page=2"}"#, headers: [("ETag", tag)])
            }
        ) { place, server in
            #expect(try await place.garner("sync").code == 0)
            let asked = server.requests.count
            let plan = try await place.garner("plan", "-f", "csv")
            #expect(try await place.garner("sync").code == 0)
            #expect(plan.output.split(separator: "\n").count - 1 == server.requests.count - asked)
        }
    }

    @Test func `behind an only page there is none that is not known`() async throws {
        try await Self.withZoo("    streams: { animals: { path: animals, paginator: { type: single_page } } }\n") {
            place, _ in
            let plan = try await place.garner("plan", "--json")
            #expect(plan.output.contains(#""conditional":false}],"is_cut":false,"is_open":false"#))
        }
    }

    @Test func `more than the limit is counted`() async throws {
        try await Self.withZoo { place, _ in
            #expect(try await place.garner("sync").code == 0)
            let plan = try await place.garner("plan", "feedings", "--limit", "2")
            #expect(plan.output.split(separator: "\n").count == 3)
            #expect(
                plan.errors.hasPrefix(
                    "zoo.feedings: 6 requests at least; the first 2 are shown, --limit 0 shows all that are known"))
            #expect(try await place.garner("plan", "--limit", "-1").code == 64)
        }
    }
}
