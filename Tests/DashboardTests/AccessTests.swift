import GarnerCatalog
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

@testable import Dashboard

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
            (["authorization": "bearer \(token)"], 200), (["authorization": "BEARER \(token)"], 200),
            (["authorization": "bearer"], 401), (["authorization": "bearers \(token)"], 401),
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

    @Test(arguments: [
        (WebRequest.Method.get, "/"), (.get, "/index.json"), (.get, "/metrics"), (.head, "/runs"), (.post, "/login"),
        (.post, "/streams/zoo%2Eanimals/sync"),
    ])
    func `an answer that asks for the token names the scheme`(method: WebRequest.Method, target: String) async throws {
        let dashboard = Self.dashboard(Access(token: Secret(Self.token)), try DashboardRig())
        let request = WebRequest(method, target: target, headers: ["host": "garner.example"])
        let response = await dashboard.respond(to: request)
        #expect(response.status == 401)
        #expect(response.headers.filter { $0.name == "WWW-Authenticate" }.map(\.value) == ["Bearer"])
    }

    @Test(arguments: [
        ("/index.json", ["host": "garner.example"], true, 401, "no_token"),
        ("/tables/animals.csv", ["host": "garner.example"], true, 401, "no_token"),
        ("/index.json", ["host": "evil.example"], false, 421, "foreign_host"),
    ])
    func `a refusal of data is JSON`(
        target: String, headers: [String: String], hasToken: Bool, status: Int, kind: String
    ) async throws {
        let access = Access(token: hasToken ? Secret(Self.token) : nil)
        let request = WebRequest(target: target, headers: headers)
        let reply = try await Reply(Self.dashboard(access, try DashboardRig()).respond(to: request))
        #expect(reply.status == status)
        #expect(reply.headers["Content-Type"] == "application/json")
        #expect(reply.text.contains("\"kind\":\"\(kind)\""))
        #expect(try PageSchemaTests.errors(in: reply, of: "error") == [])
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

    /// A request that pretends to be one of the dashboard's own.
    struct Forgery: Sendable, CustomTestStringConvertible {
        var access = Access(host: "dashboard.lan")
        var method = WebRequest.Method.get
        var target = "/"
        var headers: [String: String] = ["host": "localhost:8787"]

        var testDescription: String { "\(method.rawValue) \(target) \(headers)" }
    }

    private static let forgeries: [Forgery] = {
        func post(_ headers: [String: String]) -> Forgery {
            Forgery(
                method: .post, target: "/streams/zoo%2Eanimals/sync",
                headers: headers.merging(["host": "localhost:8787"]) { $1 })
        }
        let hosts = [
            "evil.example", "evil.example:8787", "localhost.evil.example", "localhost.", "localhost@evil.example",
            "evil.example@localhost", "127.0.0.1.evil.example", "127.0.0.1.", "127.0.0", "127.1", "2130706433",
            "0x7f000001", "0177.0.0.01x", "127.0.0.256", "127.0.0.-1", "127..0.1", "１27.0.0.1", "[::1", "[::1]x",
            "[evil.example]", "[::1%25eth0]", "::1", "[]", "[", "localhost:80x",
            "localhost:-1", "dashboard.lan.", "xdashboard.lan", "dashboard.lan.evil.example",
            "", " ", "\0localhost", "localhost\0", "localhost/", "localhost#", "localhost?", "localhost\t",
        ].map { Forgery(headers: ["host": $0]) }
        let origins = [
            "http://evil.example", "https://evil.example:8787", "null", "", "http://localhost", "http://localhost:80",
            "http://localhost:87870", "http://localhost:8787/", "http://localhost:8787.evil.example",
            "http://evil.example/http://localhost:8787", "http://localhost:8787@evil.example", "localhost:8787",
            "ftp://localhost:8787", "file://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787",
            "http://dashboard.lan", "javascript:alert(1)", "http://localhost:8787 http://evil.example",
        ].map { post(["origin": $0]) }
        let sites = ["cross-site", "same-site", "", "Same-Origin", "same-origin, cross-site", "none ", "evil"].map {
            post(["sec-fetch-site": $0, "origin": "http://localhost:8787"])
        }
        let secret = Access(token: Secret(token), host: "dashboard.lan")
        let session = secret.sessionValue(of: Secret(token))
        let cookies = [
            "garner_session=", "garner_session=\(token)", "garner_session=\(session.dropLast())",
            "garner_session=\(session)0", "garner_session=\"\(session)\"", "garner_session=\(session.uppercased())",
            "GARNER_SESSION=\(session)", "garner_session\0=\(session)", "xgarner_session=\(session)",
            "garner_session=x; garner_session=\(session)", "garner_session=\(session),", "\(session)",
            "garner_session=\(String(repeating: "0", count: 64))",
        ].map { Forgery(access: secret, headers: ["host": "localhost:8787", "cookie": $0]) }
        let bearers = ["Bearer ", "Bearer\t\(token)", "Bearer  \(token)", "Bearer \(token) ", "Basic \(token)", token]
            .map {
                Forgery(access: secret, headers: ["host": "localhost:8787", "authorization": $0])
            }
        let paths = [
            "/../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../garner.db",
            "/assets/..%2F..%2Fgarner.db", "/assets/%2e%2e", "/assets/.", "/assets/style.css", "/assets/%00",
            "/files/..", "/files/%2e%2e%2fgarner.db", "/files/%00", "/tables/..", "/tables/%00", "/tables/animals%00",
            "/tables/_garner_runs", "/tables/sqlite_schema", "/tables/..%2f..%2fgarner.db.csv", "/runs/%00", "/runs/..",
            "/streams/..", "/streams/%00", "//evil.example/", "/\\evil.example", "/.git/config", "/.json", "/%",
            "/%ff%fe", "http://evil.example/", "http://localhost:8787/", "https://evil.example/tables", "*", "evil:443",
            "/index.csv", "/healthz/..", "/login/..", "/events/x",
        ].map { Forgery(target: $0) }
        let methods = [Forgery(method: .other), Forgery(method: .other, target: "/tables")]
        return hosts + origins + sites + cookies + bearers + paths + methods
    }()

    @Test func `there are a hundred forged requests or more`() { #expect(Self.forgeries.count >= 100) }

    @Test(arguments: forgeries)
    func `a forged request is refused, and does nothing`(forgery: Forgery) async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        let request = WebRequest(forgery.method, target: forgery.target, headers: forgery.headers)
        let response = await Self.dashboard(forgery.access, rig).respond(to: request)
        #expect([400, 401, 403, 404, 405, 421].contains(response.status), "\(response.status)")
        #expect(rig.actions.all == [])
    }
}
