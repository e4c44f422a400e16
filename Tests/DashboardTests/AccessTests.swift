import Catalog
import Dashboard
import Model
import Persistence
import TestSupport
import Testing

/// The rules for who may see the dashboard, and use it.
@Suite struct AccessTests {
    private static let token = "a-token-of-24-characters"

    private static func dashboard(_ access: Access, _ rig: DashboardRig) -> Dashboard {
        let configuration = rig.configuration
        return Dashboard(
            database: rig.path, reader: DatabaseReader(path: rig.path), configuration: { configuration },
            query: NoQueries(), actions: rig.actions, access: access, version: "test",
            now: { DashboardRig.epoch }, clock: ContinuousClock())
    }

    private static func status(
        _ access: Access = Access(), _ method: WebRequest.Method = .get, _ target: String = "/",
        _ headers: [String: String], body: String = ""
    ) async throws -> (status: Int, rig: DashboardRig) {
        let rig = try DashboardRig()
        let request = WebRequest(method, target: target, headers: headers, body: Array(body.utf8))
        return (await dashboard(access, rig).respond(to: request).status, rig)
    }

    @Test(arguments: [
        ("localhost", 200), ("localhost:8787", 200), ("127.0.0.1:8787", 200), ("[::1]:8787", 200), ("10.1.2.3", 200),
        ("dashboard.lan:8787", 200), ("DASHBOARD.lan", 200),
        ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421), ("", 421),
        ("127.0.0.1@evil.example", 421), ("1.2.3.4.5", 421), ("256.1.1.1", 421), ("[evil.example]", 421),
    ])
    func `a site whose name leads here gets nothing`(host: String, expected: Int) async throws {
        let access = Access(host: "dashboard.lan")
        #expect(try await Self.status(access, .get, "/", ["host": host]).status == expected)
        #expect(try await Self.status(access, .get, "/metrics", ["host": host]).status == expected)
    }

    @Test(
        arguments: [
            ([:], 303), (["origin": "http://localhost:8787"], 303), (["sec-fetch-site": "same-origin"], 303),
            (["origin": "http://evil.example"], 403), (["origin": "null"], 403),
            (["origin": "http://localhost:99"], 403),
            (["sec-fetch-site": "cross-site"], 403), (["sec-fetch-site": "same-site"], 403),
            (["origin": "http://localhost:8787.evil.example"], 403),
        ] as [([String: String], Int)])
    func `a form of another site does nothing`(headers: [String: String], expected: Int) async throws {
        let (status, rig) = try await Self.status(
            .init(), .post, "/streams/zoo%2Eanimals/sync",
            headers.merging(["host": "localhost:8787"]) { $1 })
        #expect(status == expected)
        #expect(rig.actions.all == (expected == 303 ? ["sync zoo.animals"] : []))
    }

    @Test func `a request that only reads does nothing`() async throws {
        let (status, rig) = try await Self.status(.init(), .get, "/streams/zoo%2Eanimals/sync", ["host": "localhost"])
        #expect(status == 404)
        #expect(rig.actions.all == [])
    }

    @Test(
        arguments: [
            ([:], 401), (["authorization": "Bearer \(token)"], 200), (["authorization": "Bearer wrong"], 401),
            (["authorization": "Basic \(token)"], 401), (["cookie": "garner_session=\(token)"], 401),
            (["cookie": "garner_session="], 401),
        ] as [([String: String], Int)])
    func `a token is asked for, and is no cookie itself`(headers: [String: String], expected: Int) async throws {
        let access = Access(token: Secret(Self.token))
        for target in ["/", "/metrics", "/tables.json", "/events", "/files/0", "/query?sql=SELECT%201"] {
            let all = headers.merging(["host": "garner.example"]) { $1 }
            let status = try await Self.status(access, .get, target, all).status
            #expect((status == 401) == (expected == 401), "\(target): \(status)")
        }
        #expect(try await Self.status(access, .get, "/healthz", ["host": "garner.example"]).status == 200)
    }

    @Test func `whoever logs in gets a cookie that opens the pages, and goes to a page of ours`() async throws {
        let rig = try DashboardRig()
        let dashboard = Self.dashboard(Access(token: Secret(Self.token)), rig)
        func logIn(_ body: String) async -> WebResponse {
            await dashboard.respond(
                to: WebRequest(.post, target: "/login", headers: ["host": "garner.example"], body: Array(body.utf8)))
        }
        #expect(await logIn("token=wrong&next=/").status == 401)
        let response = await logIn("token=\(Self.token)&next=//evil.example/x")
        #expect(response.status == 303)
        #expect(response.headers.first { $0.name == "Location" }?.value == "/evil%2Eexample/x")
        let cookie = try #require(response.headers.first { $0.name == "Set-Cookie" }?.value)
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(Self.token))
        let session = String(cookie.prefix { $0 != ";" })
        let page = await dashboard.respond(
            to: WebRequest(target: "/", headers: ["host": "garner.example", "cookie": "a=b; \(session)"]))
        #expect(page.status == 200)
    }

    @Test func `every answer forbids foreign content`() async throws {
        let rig = try DashboardRig()
        let dashboard = Self.dashboard(Access(), rig)
        for target in ["/", "/nothing", "/tables.json", "/metrics", "/healthz", "/query?sql=x", "/files/0"] {
            let response = await dashboard.respond(to: WebRequest(target: target, headers: ["host": "localhost"]))
            let headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { $1 }
            #expect(headers["Content-Security-Policy"]?.contains("default-src 'none'") == true, "\(target)")
            #expect(headers["X-Content-Type-Options"] == "nosniff", "\(target)")
        }
    }
}
