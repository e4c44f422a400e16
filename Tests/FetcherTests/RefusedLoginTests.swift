import GarnerCatalog
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

@testable import GarnerFetcher

/// Logins that are not repeated by later processes.
struct RefusedLoginTests {
    /// A server that counts logins, and refuses them until told otherwise.
    private final class Server: Sendable {
        let logins = Watched(0)
        let accepts = Watched(false)
        let now = Watched(Timestamp(millisecondsSince1970: 1_800_000_000_000))
        let storage = ScriptedTokenStorage()

        func wait(_ duration: Duration) { now.change { $0 = $0.advanced(by: duration) } }

        /// Fetches a page as a process does that has just begun. Returns the error; nil for none.
        func run(password: String = "hunter2", path: String = "/login", heedsRefusedLogins: Bool = true) async throws
            -> FetchError.Kind?
        {
            let body = BodyValue.object([.init(name: "password", value: .text(.secret(Secret(password))))])
            let session = SessionToken(
                login: .init(path: path, body: body), take: .token(try Selector(parsing: "$.token")))
            let stream = stream(at: "https://zoo.example/v1/", path: "animals") {
                $0.request.authentication = .session(session)
            }
            let transport = ScriptedTransport { [self] request in
                guard request.method == .post else { return scripted("[1]") }
                logins.change { $0 += 1 }
                return accepts.value
                    ? scripted(#"{"token":"s1"}"#)
                    : Response(head: ResponseHead(status: 401, headers: [:]), body: scripted("").body)
            }
            let (clock, now) = (ManualClock(), now)
            let source = TokenSources(storage: storage, heedsRefusedLogins: heedsRefusedLogins)
                .source(of: stream.request, clock: clock)
            let fetcher = try PageFetcher(
                stream: stream, transport: transport, timing: Timing(clock: clock, now: { now.value }, random: { 0.5 }),
                tokens: source)
            return await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
        }
    }

    @Test func `programs that start every minute repeat a refused login ever more seldom`() async throws {
        let server = Server()
        var tries: [Int] = []
        for minute in 0..<80 {
            let before = server.logins.value
            let failure = try await server.run()
            #expect(failure?.category == .unauthorized)
            if server.logins.value > before { tries.append(minute) }
            server.wait(.seconds(60))
        }
        #expect(tries == [0, 5, 15, 35, 75])
    }

    @Test func `a login rests for a day at most`() async throws {
        let server = Server()
        for _ in 0..<30 {
            _ = try await server.run()
            server.wait(.seconds(24 * 3600))
        }
        #expect(server.logins.value == 30)
        server.wait(.seconds(-1))
        _ = try await server.run()
        #expect(server.logins.value == 30)
    }

    @Test func `a login that rests says since when, until when and what to do`() async throws {
        let server = Server()
        _ = try await server.run()
        server.wait(.seconds(60))
        let failure = try #require(try await server.run())
        #expect(
            failure.reason == """
                no session from https://zoo.example/v1/login: this login was refused at 2027-01-15T08:00:00.000Z, and is not \
                repeated before 2027-01-15T08:05:00.000Z, since that might lock the account
                """)
        #expect(failure.hint.contains("garner check --connect"))
    }

    @Test func `another password and another login count at once`() async throws {
        let server = Server()
        _ = try await server.run()
        _ = try await server.run(password: "hunter3")
        _ = try await server.run(path: "/v2/login")
        #expect(server.logins.value == 3)
        _ = try await server.run(password: "hunter3")
        #expect(server.logins.value == 3)
    }

    @Test func `a person's login is made, and forgets the refusal where it is accepted`() async throws {
        let server = Server()
        _ = try await server.run()
        _ = try await server.run(heedsRefusedLogins: false)
        #expect(server.logins.value == 2)
        server.accepts.value = true
        #expect(try await server.run() != nil)
        #expect(try await server.run(heedsRefusedLogins: false) == nil)
        #expect(try server.storage.refusedLogins() == [])
        #expect(try await server.run() == nil)
    }

    @Test func `a refusal that a wrong clock noted for the future keeps no login back`() async throws {
        let server = Server()
        _ = try await server.run()
        server.wait(.seconds(-3600))
        _ = try await server.run()
        #expect(server.logins.value == 2)
    }

    @Test func `what is noted tells nothing of the password`() async throws {
        let server = Server()
        _ = try await server.run()
        _ = try await server.run(password: "other")
        let noted = try server.storage.refusedLogins()
        #expect(noted.count == 2 && Set(noted.map(\.salt)).count == 2)
        #expect(!"\(noted)".contains("hunter2"))
    }

    @Test func `a storage that cannot be written hides no refusal`() async throws {
        let server = Server()
        server.storage.refusesToSave = true
        guard case .token(_, .loginRefused(status: 401, words: _)) = try await server.run() else {
            Issue.record("another error")
            return
        }
    }
}
