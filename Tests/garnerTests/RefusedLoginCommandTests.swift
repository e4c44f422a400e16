import TestSupport
import Testing

/// Logins that a server has refused, and the commands that come after.
@Suite(.timeLimit(.minutes(2)))
struct RefusedLoginCommandTests {
    private static func configuration(_ url: String, password: String) -> String {
        """
        version: 1
        sources:
          zoo:
            base_url: \(url)/
            auth:
              type: session_token
              request: { path: /login, json: { user: garner, password: "${PASSWORD}" } }
              take: { token: $.token }
            streams:
              animals: { path: animals, primary_key: id }

        """.replacing("${PASSWORD}", with: password)
    }

    @Test func `a sync repeats no login that an earlier one was refused, until something changes`() async throws {
        let (logins, accepts) = (Watched(0), Watched(false))
        try await LoopbackServer.serve({ request in
            guard request.target == "/login" else { return .page(request.page, of: 1) }
            logins.change { $0 += 1 }
            return accepts.value ? .json(#"{"token":"s1-of-the-zoo"}"#) : .status(401)
        }) { server in
            let place = try Workplace(Self.configuration(server.url, password: "hunter-2-zoo"))
            for _ in 0..<3 { #expect(try await place.start(["sync"]).end().code == 77) }
            #expect(logins.value == 1)
            let sync = try await place.start(["sync"]).end()
            #expect(sync.errors.contains("this login was refused at "), "\(sync)")
            #expect(sync.errors.contains("garner check --connect"), "\(sync)")
            #expect(try !place.text(of: "garner.db.tokens").contains("hunter-2-zoo"))

            let check = try await place.start(["check"]).end()
            #expect(check.code == 0 && logins.value == 1)
            #expect(check.errors.contains("zoo.animals: no session from "), "\(check)")
            let status = try await place.start(["status"]).end()
            #expect(status.output.contains("this login was refused at "), "\(status)")

            try place.write(Self.configuration(server.url, password: "hunter-3-zoo"), to: "garner.yaml")
            #expect(try await place.start(["sync"]).end().code == 77)
            #expect(logins.value == 2)

            accepts.value = true
            #expect(try await place.start(["sync"]).end().code == 77)
            #expect(try await place.start(["check", "--connect"]).end().code == 0)
            #expect(logins.value == 3)
            #expect(try await place.start(["sync"]).end().code == 0)
            #expect(try await !place.start(["check"]).end().errors.contains("no session from "))
        }
    }

    @Test func `fetch logs in where the stream does, and repeats no login that was refused`() async throws {
        let (targets, accepts) = (Watched<[String]>([]), Watched(true))
        try await LoopbackServer.serve({ request in
            targets.change { $0.append(request.target) }
            guard request.target == "/app/login" else { return .page(request.page, of: 1) }
            return accepts.value ? .json(#"{"token":"s1-of-the-zoo"}"#) : .status(401)
        }) { server in
            let place = try Workplace(Self.configuration("\(server.url)/app", password: "hunter-2-zoo"))
            for path in ["animals", "/animals"] {
                targets.change { $0 = [] }
                #expect(try await place.start(["fetch", path, "--auth", "animals"]).end().code == 0)
                #expect(targets.value.last == "/app/animals")
                #expect(targets.value.dropLast().allSatisfy { $0 == "/app/login" })
            }
            accepts.value = false
            targets.change { $0 = [] }
            try place.write(Self.configuration("\(server.url)/app", password: "hunter-3-zoo"), to: "garner.yaml")
            for _ in 0..<3 {
                #expect(try await place.start(["fetch", "animals", "--auth", "animals"]).end().code == 77)
            }
            #expect(targets.value == ["/app/login"])
        }
    }
}
