import GarnerCatalog
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

@testable import GarnerFetcher

/// Sessions that a login opens.
@Suite(.timeLimit(.minutes(5)))
struct SessionLoginTests {
    /// An API with a login, without a network.
    private final class API: Sendable {
        struct Log: Sendable {
            var logins: [Request] = []
            /// The fields that show a session, of the requests for pages.
            var sent: [String] = []
        }

        let log = Watched(Log())
        private let open: @Sendable (_ number: Int) async throws -> Response
        private let accepts: @Sendable (_ field: String) -> Bool

        init(
            _ open: @escaping @Sendable (_ number: Int) async throws -> Response = { .session("s\($0)") },
            accepts: @escaping @Sendable (_ field: String) -> Bool = { _ in true }
        ) {
            (self.open, self.accepts) = (open, accepts)
        }

        var logins: Int { log.value.logins.count }
        var sent: [String] { log.value.sent }

        var transport: ScriptedTransport {
            ScriptedTransport { [self] request in
                guard request.method == .get else {
                    let number = log.change { log in
                        log.logins.append(request)
                        return log.logins.count
                    }
                    return try await open(number)
                }
                let fields = request.headers.filter { $0.name != "Accept" }.map { "\($0.name): \($0.value.reveal())" }
                log.change { $0.sent.append(fields.joined(separator: ", ")) }
                return fields.contains(where: accepts) ? scripted("[1]") : .status(401)
            }
        }

        /// - Parameter source: the sessions shared with other streams.
        func fetcher(
            _ session: SessionToken = .login(), source: TokenSource? = nil, clock: any Clock<Duration> = ManualClock(),
            _ change: (inout StreamConfiguration) -> Void = { _ in }
        ) throws -> PageFetcher {
            let stream = stream(at: "https://zoo.example/v1/", path: "animals") {
                $0.request.authentication = .session(session)
                change(&$0)
            }
            return try PageFetcher(
                stream: stream, transport: transport, timing: timing(clock: clock), tokens: source)
        }

        func source(_ session: SessionToken = .login(), clock: any Clock<Duration> = ManualClock()) -> TokenSource {
            let template = RequestTemplate(
                baseURL: "https://zoo.example/v1/", path: "", authentication: .session(session))
            return TokenSources(storage: nil).source(of: template, clock: clock)
        }
    }

    private static func page(_ fetcher: PageFetcher) async throws -> [String] {
        try await fetcher.page(at: fetcher.firstPosition).texts
    }

    private static func failure(_ fetcher: PageFetcher) async -> FetchError.Kind? {
        await failureKind { try await page(fetcher) }
    }

    private static func token(_ problem: TokenError) -> FetchError.Kind {
        .token(endpoint: "https://zoo.example/v1/login", problem)
    }

    @Test func `a login posts its body below base_url, and its token goes with the pages`() async throws {
        let api = API()
        let fetcher = try api.fetcher()
        for _ in 0..<2 { #expect(try await Self.page(fetcher) == ["1"]) }
        #expect(api.sent == ["Authorization: Bearer s1", "Authorization: Bearer s1"])
        let login = try #require(api.log.value.logins.first)
        #expect(api.logins == 1)
        #expect(login.revealedURL() == "https://zoo.example/v1/login" && login.method == .post)
        #expect(login.body?.mediaType == "application/json")
        #expect(login.body?.revealed() == #"{"user":"zoo","password":"hunter2"}"#)
    }

    @Test func `a form is sent as one, and the token in the configured header`() async throws {
        let api = API()
        var session = SessionToken.login(header: .init(name: "X-Auth", value: "Token {token}!"))
        session.login = .init(
            path: "login",
            form: [
                .init(name: "user", value: .literal("a b")), .init(name: "pass", value: .secret(Secret("ä&"))),
            ], headers: [.init(name: "X-App", value: .literal("7"))])
        #expect(try await Self.page(api.fetcher(session)) == ["1"])
        #expect(api.sent == ["X-Auth: Token s1!"])
        let login = try #require(api.log.value.logins.first)
        #expect(login.body?.mediaType == "application/x-www-form-urlencoded")
        #expect(login.body?.revealed() == "user=a%20b&pass=%C3%A4%26")
        #expect(login.headers.contains { $0.name == "X-App" && $0.value.reveal() == "7" })
    }

    @Test func `a login elsewhere is sent as configured, once, and its token goes as a parameter`() async throws {
        let asked = Watched<[String]>([])
        let api = API()
        let transport = ScriptedTransport { request in
            asked.change { $0.append("\(request.method.rawValue) \(request.revealedURL())") }
            guard request.host == "login.example" else {
                return scripted(#"{"data":[{"id":1}],"next":"?page=2&sid=session-12345"}"#)
            }
            api.log.change { $0.logins.append(request) }
            return .session("session-12345")
        }
        var session = SessionToken.login(header: .init(name: "sid"))
        session.header?.location = .query
        session.login = .init(path: "")
        session.login.url = WebAddress("https://login.example/in/***")
        session.login.urlSecrets = [Secret("a b")]
        session.login.method = .get
        session.login.params = [
            .init(name: "user", value: .literal("zoo")), .init(name: "key", value: .secret(Secret("k&y"))),
        ]
        session.login.authentication = .basic(username: .literal("zoo"), password: Secret("hunter2"))
        let stream = stream(at: "https://zoo.example/v1/", path: "animals") {
            $0.request.authentication = .session(session)
        }
        let fetcher = try PageFetcher(stream: stream, transport: transport, timing: timing(clock: ManualClock()))
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.next?.url == "https://zoo.example/v1/animals?page=2")
        #expect(
            asked.value == [
                "GET https://login.example/in/a%20b?user=zoo&key=k%26y",
                "GET https://zoo.example/v1/animals?sid=session-12345",
            ])
        let login = try #require(api.log.value.logins.first)
        #expect(login.body == nil && !login.maySurvive(false))
        #expect(login.headers.contains { $0.name == "Authorization" && $0.value.reveal() == "Basic em9vOmh1bnRlcjI=" })
    }

    @Test func `cookies of a login elsewhere go to the hosts of their Domain, and a Secure one over https only`() throws
    {
        let set = [
            "own=1", "all=2; Domain=.Zoo.example; Secure", "odd=3; Domain=farm.example", "top=4; Domain=example",
        ]
        let login = try #require(WebAddress("https://login.zoo.example/in"))
        let cookies = SessionCookies(
            HeaderFields(set.map { (name: "Set-Cookie", value: $0) }), from: login,
            now: Timestamp(millisecondsSince1970: 0))
        func sent(_ url: String) throws -> String? {
            cookies.field(for: try #require(WebAddress(url)))?.value.reveal()
        }
        #expect(try sent("https://login.zoo.example/") == "own=1; all=2; odd=3; top=4")
        #expect(try sent("https://api.zoo.example/") == "all=2")
        #expect(try sent("http://api.zoo.example/") == nil)
        #expect(try sent("https://notzoo.example/") == nil)
    }

    @Test(arguments: [204, 302])
    func `cookies of the login go with the pages, beside those that are configured`(status: Int) async throws {
        let api = API { _ in
            .status(
                status, type: "text/plain",
                cookies: [
                    "sid=abc=1; Path=/; HttpOnly; Secure", " lang = de ; Domain=zoo.example", "old=; Max-Age=0",
                    "gone=x; max-age=0", "past=x; expires=Thu, 01-Jan-1970 00:00:01 GMT",
                    "past2=x; Expires=Fri, 15 Jan 2027 08:00:00 GMT", "sid=abcdefgh=2", "novalue",
                    "kept=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "odd=2; Expires=soon",
                    "next=3; Expires=Fri, 15-Jan-2027 08:00:01 GMT",
                ])
        }
        let fetcher = try api.fetcher(.login(take: .cookies)) {
            $0.request.headers = [.init(name: "cookie", value: .literal("theme=dark"))]
        }
        #expect(try await Self.page(fetcher) == ["1"])
        #expect(api.sent == ["cookie: theme=dark; lang=de; sid=abcdefgh=2; kept=1; odd=2; next=3"])
    }

    @Test func `a cookie is sent below its path only, and a Secure one over https only`() async throws {
        let set = [
            "all=1; Path=/", "kin=2; Path=/zoo", "deep=3; path=/zoo/animals/", "part=4; Path=/zo", "else=5; Path=/farm",
            "none=6", "odd=7; Path=zoo", "safe=8; Secure", "all=9; Path=/zoo; SECURE=x",
        ]
        let headers = HeaderFields(set.map { (name: "Set-Cookie", value: $0) })
        func sent(_ url: String) throws -> String? {
            let address = try #require(WebAddress(url))
            return SessionCookies(headers, from: address, now: Timestamp(millisecondsSince1970: 0))
                .field(for: address)?.value.reveal()
        }
        #expect(try sent("http://z.example/zoo/animals/1") == "deep=3; kin=2; all=1; none=6; odd=7")
        #expect(try sent("https://z.example/zoo?a=/farm") == "kin=2; all=9; all=1; none=6; odd=7; safe=8")
        #expect(try sent("https://z.example") == "all=1; none=6; odd=7; safe=8")
        #expect(try sent("https://z.example/zo") == "part=4; all=1; none=6; odd=7; safe=8")

        let secure = HeaderFields([(name: "Set-Cookie", value: "sid=abcdefgh; Secure")])
        for (url, isLeftOut) in [("http://z.example/", true), ("https://z.example/", false)] {
            let address = try #require(WebAddress(url))
            let cookies = SessionCookies(secure, from: address, now: Timestamp(millisecondsSince1970: 0))
            #expect(cookies.isEmpty == isLeftOut)
            #expect(cookies.haveSecureOnly == isLeftOut)
        }
    }

    @Test func `streams at the same time share one login, and one more when the session ends`() async throws {
        let (isOpen, valid) = (Watched(false), Watched("Bearer s1"))
        let api = API(
            { number in
                await isOpen.until { $0 }
                return .session("s\(number)")
            }, accepts: { $0.hasSuffix(valid.value) })
        let source = api.source()
        let fetchers = try (0..<8).map { _ in try api.fetcher(source: source) }
        func all() async throws {
            let tasks = fetchers.map { fetcher in Task { try await Self.page(fetcher) } }
            await api.log.until { !$0.logins.isEmpty }
            isOpen.value = true
            for task in tasks { #expect(try await task.value == ["1"]) }
        }
        try await all()
        #expect(api.logins == 1)
        valid.value = "Bearer s2"
        try await all()
        #expect(api.logins == 2)
    }

    @Test func `sources with other hosts have sessions of their own`() async throws {
        let (transports, clock) = (Transports(userAgent: "garner/test"), ManualClock())
        let sources = ["https://a.example/", "https://b.example/", "https://a.example/"].map { url in
            transports.tokens(of: stream(at: url) { $0.request.authentication = .session(.login()) }, clock: clock)
        }
        #expect(sources[0] === sources[2] && sources[0] !== sources[1] && sources[1] != nil)
        try await transports.shutdown()
    }

    @Test func `a session is renewed before its configured end, and otherwise never by time`() async throws {
        let clock = ManualClock()
        for (expires, logins) in [(Duration.seconds(100), 2), (nil, 1)] {
            let api = API()
            let fetcher = try api.fetcher(.login(expires: expires), clock: clock)
            for seconds in [0, 89, 2, 40] {
                clock.advance(by: .seconds(seconds))
                #expect(try await Self.page(fetcher) == ["1"])
            }
            #expect(api.logins == logins)
            if expires == nil {
                clock.advance(by: .seconds(200 * 24 * 3600))
                #expect(try await Self.page(fetcher) == ["1"])
                #expect(api.logins == 1)
            }
        }
    }

    /// An answer, and what becomes of it. It is made for each login, since a body is read once.
    private struct Refusal: CustomTestStringConvertible, Sendable {
        var status = 200
        let body: String
        var type = "application/json"
        let problem: TokenError
        var category = FetchError.Category.badContent

        var testDescription: String { "\(status) \(body)" }

        var answer: Response {
            Response(
                head: ResponseHead(status: status, headers: ["Content-Type": type]), body: scripted(body).body)
        }
    }

    private static let unusable = TokenError.noSession(
        reason: "has no text at $.access_token that a header can carry")

    private static let refusals: [Refusal] = [
        Refusal(
            status: 401, body: #"{"message":"wrong hunter2"}"#,
            problem: .loginRefused(status: 401, words: "wrong ***"), category: .unauthorized),
        Refusal(status: 400, body: "", problem: .loginRefused(status: 400, words: nil), category: .unauthorized),
        Refusal(status: 404, body: "", problem: .loginRefused(status: 404, words: nil), category: .misconfigured),
        Refusal(body: "{}", problem: .noSession(reason: "has no $.access_token")),
        Refusal(
            body: #"{"ok":true,"user":{"name":"me"},"session":{"id":"s3ss"}}"#,
            problem: .noSession(
                reason: "has no $.access_token", texts: ["$.user.name", "$.session.id"], near: "$.session.id")),
        Refusal(
            body: #"{"message":"hi","refresh_token":"r3"}"#,
            problem: .noSession(reason: "has no $.access_token", texts: ["$.message", "$.refresh_token"])),
        Refusal(body: #"{"access_token":null}"#, problem: unusable),
        Refusal(body: #"{"access_token":"a\nb"}"#, problem: unusable),
        Refusal(body: "<!doctype html>", type: "text/html", problem: .noSession(reason: "is no JSON")),
        Refusal(status: 302, body: "", problem: .noSession(reason: "is HTTP 302, a redirect without a session")),
    ]

    /// The next logins would be refused as well, and some servers lock an account after three.
    @Test(arguments: refusals)
    private func `after a refused login no stream logs in for five minutes`(refusal: Refusal) async throws {
        let clock = ManualClock()
        let api = API { _ in refusal.answer }
        let source = api.source(clock: clock)
        for _ in 0..<3 {
            let fetcher = try api.fetcher(source: source, clock: clock) { $0.retry = RetryPolicy(maxAttempts: 5) }
            for _ in 0..<3 { #expect(await Self.failure(fetcher) == Self.token(refusal.problem)) }
        }
        #expect(Self.token(refusal.problem).category == refusal.category)
        #expect(api.logins == 1 && api.sent == [])
        clock.advance(by: .seconds(299))
        #expect(await Self.failure(try api.fetcher(source: source, clock: clock)) == Self.token(refusal.problem))
        #expect(api.logins == 1)
        clock.advance(by: .seconds(1))
        #expect(await Self.failure(try api.fetcher(source: source, clock: clock)) == Self.token(refusal.problem))
        #expect(api.logins == 2)
    }

    @Test func `a login form that is shown again sets no session, whatever cookies it has`() async throws {
        let api = API { _ in .status(200, type: "text/html; charset=utf-8", cookies: ["sid=anonymous"]) }
        let fetcher = try api.fetcher(.login(take: .cookies))
        let problem = TokenError.noSession(reason: "is an HTML page, as a login form is that is shown again")
        for _ in 0..<2 { #expect(await Self.failure(fetcher) == Self.token(problem)) }
        #expect(api.logins == 1)
        let other = API { _ in .status(200, type: "application/json", cookies: ["sid="]) }
        let empty = try other.fetcher(.login(take: .cookies))
        #expect(await Self.failure(empty) == Self.token(.noSession(reason: "sets no cookie")))
    }

    @Test func `a run whose requests are refused with new sessions, too, does not log in for each of them`()
        async throws
    {
        // The server accepts the sessions, but refuses one of the streams.
        let api = API(accepts: { $0.hasPrefix("X-Open") || $0.hasPrefix("none") })
        let source = api.source()
        let open = try api.fetcher(source: source) {
            $0.request.headers = [.init(name: "X-Open", value: .literal("1"))]
        }
        let closed = try api.fetcher(source: source)
        for _ in 0..<10 {
            #expect(try await Self.page(open) == ["1"])
            #expect(await Self.failure(closed) == .unauthorized(status: 401))
        }
        #expect(api.logins == 2)
    }

    @Test(arguments: [(503, 3), (504, 3), (500, 1), (429, 1), (408, 1)])
    func `a login is repeated only if the server cannot have checked it`(status: Int, logins: Int) async throws {
        let clock = ManualClock()
        let api = API { _ in .status(status) }
        let fetcher = try api.fetcher(clock: clock) {
            $0.retry = RetryPolicy(maxAttempts: 3, baseDelay: .zero, maxDelay: .zero)
        }
        let page = Task { await Self.failure(fetcher) }
        #expect(await page.value == Self.token(.failed(.status(status, retryAfter: nil))))
        #expect(api.logins == logins)
    }

    @Test func `a login that hangs ends at its deadline, and is not repeated`() async throws {
        let clock = ManualClock()
        let api = API { _ in
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
        let fetcher = try api.fetcher(clock: clock) {
            $0.retry = RetryPolicy(maxAttempts: 3)
            $0.limits.total = .seconds(7)
        }
        let page = Task { await Self.failure(fetcher) }
        await api.log.until { !$0.logins.isEmpty }
        await clock.sleepers { $0.contains(.seconds(7)) }
        clock.advance(by: .seconds(7))
        #expect(await page.value == Self.token(.failed(.deadline(.total, limit: .seconds(7)))))
        #expect(api.logins == 1)
    }

    @Test func `a private address of base_url is meant, and one that is forbidden is refused`() async throws {
        let api = API()
        let fetcher = try api.fetcher {
            $0.request.baseURL = "http://10.0.0.1/"
            $0.allowsPrivateNetwork = false
        }
        #expect(await Self.failure(fetcher) == .privateNetwork(host: "10.0.0.1"))
        #expect(api.logins == 0)
    }
}

extension SessionToken {
    fileprivate static func login(
        take: Taking? = nil, header: Header? = nil, expires: Duration? = nil
    ) -> SessionToken {
        let body = BodyValue.object([
            .init(name: "user", value: .text(.literal("zoo"))),
            .init(name: "password", value: .text(.secret(Secret("hunter2")))),
        ])
        let place = (try? Selector(parsing: "$.access_token")).map { Taking.token($0) }
        return SessionToken(
            login: Login(path: "/login", body: body), take: take ?? place ?? .cookies, header: header,
            expires: expires)
    }
}

extension Response {
    fileprivate static func session(_ token: String) -> Response { scripted(#"{"access_token":"\#(token)"}"#) }

    fileprivate static func status(_ status: Int, type: String, cookies: [String]) -> Response {
        let fields = [(name: "Content-Type", value: type)] + cookies.map { (name: "Set-Cookie", value: $0) }
        return Response(head: ResponseHead(status: status, headers: HeaderFields(fields)), body: scripted("").body)
    }
}
