import GarnerFetcher
import OutsideProgram
import TestSupport
import Testing

/// The public interface, used by a program that sees nothing else.
@Suite(.timeLimit(.minutes(5)))
struct OutsideProgramTests {
    @Test(arguments: OutsideProgram.Client.allCases)
    func `a document is awaited, and its connection kept`(client: OutsideProgram.Client) async throws {
        try await LoopbackServer.serve({ request in
            request.target == "/a?b=c" ? .response(status: 302, headers: [("Location", "/d")]) : .json("[1]")
        }) { server in
            let program = OutsideProgram(over: client)
            for _ in 0..<2 {
                let document = try await program.document(at: "\(server.url)/a?b=c")
                #expect(document == ("\(server.url)/d", "application/json", "[1]"))
            }
            try await program.end()
            #expect(server.requests.map { $0["User-Agent"] } == Array(repeating: "outside/1", count: 4))
            #expect(server.requests.map { $0["X-Key"] } == Array(repeating: "0123456789", count: 4))
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: OutsideProgram.Client.allCases)
    func `an error has a category, a status and a sentence without secrets`(client: OutsideProgram.Client)
        async throws
    {
        try await LoopbackServer.serve({ _ in
            .response(headers: [("Content-Type", "text/html")], body: "key 0123456789 is unknown")
        }) { server in
            let program = OutsideProgram(over: client)
            let failure = try #require(await program.failure(at: server.url))
            #expect(failure.category == .badContent)
            #expect(failure.status == 200)
            #expect(failure.message.contains("key *** is unknown"))
            try await program.end()
        }
    }

    @Test(arguments: OutsideProgram.Client.allCases)
    func `behind the end of its connections a fetch fails`(client: OutsideProgram.Client) async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let program = OutsideProgram(over: client)
            let fetcher = try program.fetcher(of: server.url)
            #expect(try await fetcher.document().bytes == Array("[1]".utf8))
            try await program.end()
            let error = await #expect(throws: FetchError.self) { try await fetcher.document() }
            #expect(error?.category == .unavailable)
            #expect(throws: FetchError.self) { try program.fetcher(of: server.url) }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a delegate sees a document as it comes in`() async throws {
        try await LoopbackServer.serve({ request in
            guard request["Authorization"] == "Bearer t0ken" else {
                return .response(status: 401, headers: [("WWW-Authenticate", "Bearer")])
            }
            return request.target == "/a" ? .response(status: 302, headers: [("Location", "/b")]) : .json("[1]")
        }) { server in
            let program = OutsideProgram(over: .asyncHTTPClient)
            let events = try await program.events(at: "\(server.url)/a", token: "t0ken")
            #expect(events == ["challenge [\"bearer\"]", "redirect", "head 200", "[1]", "end"])
            try await program.end()
        }
    }

    @Test(arguments: OutsideProgram.Client.allCases)
    func `animals are decoded into the program's own type, with all fourteen fields`(client: OutsideProgram.Client)
        async throws
    {
        try await LoopbackServer.serve({ _ in .json("[\(Self.kea)]") }) { server in
            let program = OutsideProgram(over: client)
            let kea = try #require(await program.animals(at: server.url).first)
            #expect((kea.name, kea.latin_name, kea.id) == ("Kea", "Nestor notabilis", 80))
            #expect((kea.length_min, kea.length_max, kea.lifespan) == (1.5, 1.6, 29))
            #expect(Mirror(reflecting: kea).children.count == 14)
            try await program.end()
        }
    }

    private static let kea = #"""
        {"name":"Kea","latin_name":"Nestor notabilis","animal_type":"Bird","active_time":"Diurnal","length_min":1.5,
        "length_max":1.6,"weight_min":1.8,"weight_max":2.2,"lifespan":29,"habitat":"Alpine forest","diet":"Omnivore",
        "geo_range":"New Zealand","image_link":"http://127.0.0.1/images/80","id":80}
        """#

    @Test(arguments: OutsideProgram.Client.allCases)
    func `a page of a website is seen as a value, by a delegate and in a file`(client: OutsideProgram.Client)
        async throws
    {
        let folder = try TemporaryFolder()
        try await LoopbackServer.serve({ request in
            let type = request.target == "/plain" ? "text/plain" : "text/html; charset=iso-8859-1"
            return .response(headers: [("Content-Type", type)], body: [0x3C, 0x70, 0x3E, 0xE9])
        }) { server in
            let program = OutsideProgram(over: client)
            #expect(try await program.page(at: server.url) == "<p>é")
            let events = try await program.pageEvents(at: server.url)
            #expect((events.first, events.last, events.count) == ("head 200", "end", 3))
            #expect(try await program.download(server.url, to: folder.path("page.html")) == 4)
            // A refused type is told, and nothing before it.
            let refused = try await program.pageEvents(at: "\(server.url)/plain")
            #expect(refused.count == 1)
            #expect(refused.first?.contains("is text/plain instead of text/html") == true)
            try await program.end()
        }
    }

    @Test(arguments: OutsideProgram.Client.allCases)
    func `a challenge for a digest is answered without the password`(client: OutsideProgram.Client) async throws {
        try await LoopbackServer.serve({ request in
            request["Authorization"]?.hasPrefix("Digest username=\"keeper\", realm=\"zoo\", nonce=\"n\"") == true
                ? .json(#"{"name":"Kea"}"#)
                : .response(
                    status: 401, headers: [("WWW-Authenticate", #"Digest realm="zoo", nonce="n", qop="auth""#)])
        }) { server in
            let program = OutsideProgram(over: client)
            let name = try await program.nameBehindDigest(
                at: "\(server.url)/a?b=c", username: "keeper", password: "s3cret-of-the-zoo")
            #expect(name == "Kea")
            #expect(server.requests.count == 2)
            #expect(server.requests.last?["Authorization"]?.contains("uri=\"/a?b=c\"") == true)
            #expect(!server.requests.contains { $0["Authorization"]?.contains("s3cret") ?? false })
            try await program.end()
        }
    }

    @Test func `a challenge for a certificate of the client is answered, and a PUT is sent behind it`() async throws {
        let certificates = try TestCertificates.get()
        try await LoopbackServer.serve(
            tls: try certificates.context(.valid, requiresClient: true),
            { request in
                .json(#"{"method":"\#(request.method) \#(request["Content-Type"] ?? "") \#(request.body)"}"#)
            }
        ) { server in
            let program = OutsideProgram(over: .asyncHTTPClient)
            let files = ClientCertificateFiles(
                certificate: certificates.file(of: .known), key: certificates.keyFile)
            let root = certificates.rootFile
            let answer = try await program.put("kea", at: server.url, root: root, certificate: files)
            #expect(answer == "PUT text/plain kea")
            let refused = await #expect(throws: FetchError.self) {
                try await program.put("kea", at: server.url, root: root, certificate: nil)
            }
            #expect(refused?.category == .unavailable)
            let missing = ClientCertificateFiles(certificate: "none.pem", key: certificates.keyFile)
            let misconfigured = await #expect(throws: FetchError.self) {
                try await program.put("kea", at: server.url, root: root, certificate: missing)
            }
            #expect(misconfigured?.category == .misconfigured)
            #expect(server.requests.count == 1)
            try await program.end()
        }
    }

    private static let unusable: [@Sendable (inout DocumentRequest) -> Void] = [
        { $0 = DocumentRequest(url: "ftp://zoo.example/") }, { $0 = DocumentRequest(url: "http://me:it@zoo.example/") },
        { $0 = DocumentRequest(url: "") }, { $0.addHeader("X Zoo", "north") }, { $0.addHeader("X-Zoo", "a\r\nb: c") },
        { $0.credentials = .bearer("a\nb") }, { $0.maximumAttempts = 0 }, { $0.maximumBodyBytes = .min },
        { $0.connectTimeout = .seconds(-1) }, { $0.firstByteTimeout = .seconds(Int64.max) },
        { $0.idleTimeout = .seconds(Int64.max) }, { $0.idleTimeout = .zero },
        { $0.credentials = .basic(username: "a:b", password: "c") }, { $0.totalTimeout = .seconds(86_401) },
        { $0.acceptedMediaTypes = ["html"] }, { $0.acceptedMediaTypes = ["text/html; q=1"] },
        {
            $0.setBody("a")
            $0.method = .get
        }, { $0.waitsForConnectivity = .seconds(-1) }, { $0.setBody("a", mediaType: "a\r\nb: c") },
    ]

    @Test(arguments: unusable.indices)
    func `what cannot be asked for is refused before anything is sent`(index: Int) async throws {
        var request = DocumentRequest(url: "http://zoo.example/")
        Self.unusable[index](&request)
        let connections = Connections(userAgent: "outside/1")
        let error = #expect(throws: FetchError.self) { try DocumentFetcher(request, over: connections) }
        #expect(error?.category == .misconfigured)
        try await connections.shutdown()
    }

    @Test func `credentials print without their secrets`() {
        #expect(!String(reflecting: Credentials.bearer("t0ken")).contains("t0ken"))
        #expect(!String(reflecting: Credentials.basic(username: "me", password: "t0ken")).contains("t0ken"))
    }
}
