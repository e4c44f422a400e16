import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RunFailureTests {
    static let fetchErrors: [(FetchError.Kind, Int32, String)] = [
        (FetchError.Kind.misconfigured(reason: "no URL"), 78, "misconfigured"),
        (.privateNetwork(host: "10.0.0.1"), 78, "private_network"),
        (.certificates(file: "ca.pem", reason: "no PEM"), 78, "misconfigured"),
        (.token(endpoint: "", .refused(status: 400, error: "invalid_grant", description: nil)), 77, "token_refused"),
        (.token(endpoint: "", .refused(status: 400, error: "invalid_scope", description: nil)), 78, "token_refused"),
        (.token(endpoint: "", .failed(.refused)), 69, "token_unavailable"),
        (.token(endpoint: "", .redirect(status: 302)), 69, "token_redirect"),
        (.token(endpoint: "", .noJSON(nil)), 65, "no_token"),
        (.token(endpoint: "", .noToken(reason: "")), 65, "no_token"),
        (.token(endpoint: "", .tokenType("mac")), 65, "token_type"),
        (.unknownHost, 69, "unknown_host"),
        (.refused, 69, "connection_refused"),
        (.unreachable(reason: "no route"), 69, "unreachable"),
        (.tls(reason: "expired"), 69, "tls"),
        (.proxy("http://proxy.example", .refused), 69, "proxy"),
        (.proxy("http://proxy.example", .unauthorized), 77, "proxy"),
        (.proxy("http://proxy.example", .numericHost), 78, "misconfigured"),
        (.proxy("https_proxy", .unusable), 78, "misconfigured"),
        (.closed, 69, "connection_closed"),
        (.incompleteBody, 69, "incomplete_body"),
        (.wrongDigest(field: "Digest"), 69, "wrong_digest"),
        (.decompression(reason: "bad gzip"), 69, "decompression"),
        (.malformedResponse(reason: "no HTTP"), 69, "malformed_response"),
        (.deadline(.connect, limit: .seconds(1)), 69, "connect_deadline"),
        (.deadline(.firstByte, limit: .seconds(1)), 69, "first_byte_deadline"),
        (.deadline(.idle, limit: .seconds(1)), 69, "idle_deadline"),
        (.deadline(.total, limit: .seconds(1)), 69, "total_deadline"),
        (.headTooLarge(limit: 1), 69, "head_too_large"),
        (.bodyTooLarge(limit: 1), 69, "body_too_large"),
        (.excessiveRatio(limit: 1), 69, "compression_ratio"),
        (.connection(reason: "odd"), 69, "connection"),
        (.unauthorized(status: 401), 77, "unauthorized"),
        (.unauthorized(status: 403), 77, "unauthorized"),
        (.redirect(status: 301, .noLocation), 69, "redirect"),
        (.status(404, retryAfter: nil), 69, "status"),
        (.status(500, retryAfter: nil), 69, "status"),
        (.response(409, .fail, retryAfter: nil), 69, "response_action"),
        (.mediaType("text/html", excerpt: ""), 65, "media_type"),
        (.charset("latin1"), 65, "charset"),
        (.emptyBody(status: 200), 65, "empty_body"),
        (.json(reason: "unclosed", offset: 1), 65, "json"),
        (.missingPath(selector: "$.data", found: []), 65, "missing_path"),
        (.filterLimit(steps: 1), 65, "record_filter"),
        (.documentType("text/plain", expected: ["text/html"], excerpt: ""), 65, "media_type"),
        (.noText(charset: "klingon"), 65, "charset"), (.unwritable(file: "a", reason: "no space"), 73, "output"),
        (.noArray(selector: "$[*]", found: "a string"), 65, "no_array"),
        (.severalArrays(["a", "b"]), 65, "several_arrays"),
        (.scalar(found: "a number"), 65, "scalar"),
        (.linkToOtherOrigin("http://other"), 69, "link_to_other_origin"),
        (.invalidLink("::"), 65, "invalid_link"),
        (.repeatedPage(url: "http://a/"), 69, "repeated_page"),
        (.repeatedRecords(pages: 10), 69, "repeated_page"), (.endlessEmptyPages(count: 9), 69, "repeated_page"),
        (.unclearPaging(sign: "has_more", []), 65, "unclear_paging"), (.unchangedPage, 65, "unchanged_page"),
        (.lastPageAgain(pages: 3, records: 10, total: 12), 65, "unchanged_page"),
        (.pageZeroAgain, 65, "unchanged_page"),
    ]

    static let storageErrors: [(PersistenceError.Kind, Int32)] = [
        (PersistenceError.Kind.locked, 75), (.permission, 77), (.missing, 66), (.unusable, 74), (.inputOutput, 74),
        (.cannotCreate, 73), (.foreign, 78), (.configuration, 78), (.partition, 66), (.noMembers, 65),
        (.contract, 65), (.request, 64), (.interrupted, 1), (.bug, 70),
    ]

    static let replies: [(LoopbackReply, Int32, String)] = [
        (.status(401), 77, "unauthorized"), (.status(403), 77, "unauthorized"), (.status(404), 69, "status"),
        (.status(302), 69, "redirect"), (.status(500), 69, "status"),
        (.response(headers: [("Content-Type", "text/html")], body: "<p>no"), 65, "media_type"),
        (.json("{"), 65, "json"), (.json("7"), 65, "scalar"), (.json(""), 65, "empty_body"),
        (LoopbackReply(.close), 69, "connection_closed"),
        (
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[1", then: .close),
            69, "incomplete_body"
        ),
    ]

    @Test(arguments: fetchErrors)
    func `a fetch error has the exit code of its category`(kind: FetchError.Kind, code: Int32, name: String) {
        let stream = StreamName(source: "zoo", stream: "animals")
        let failure = RunFailure(FetchError(stream: stream, kind: kind, url: "http://a/b"))
        #expect(failure.category.rawValue == code)
        #expect(failure.kind == name)
        #expect(failure.url == "http://a/b")
        #expect(!failure.message.isEmpty)
        #expect(failure.hint != nil)
    }

    static let lastingFetchErrors: [FetchError.Kind] = [
        .misconfigured(reason: ""), .certificates(file: "", reason: ""), .proxy("", .unauthorized),
        .token(endpoint: "", .refused(status: 400, error: "invalid_grant", description: nil)),
        .token(endpoint: "", .refused(status: 401, error: "invalid_client", description: nil)),
        .token(endpoint: "", .refused(status: 400, error: "invalid_scope", description: nil)),
        .unauthorized(status: 401), .unauthorized(status: 403), .status(404, retryAfter: nil),
        .status(410, retryAfter: nil), .response(404, .fail, retryAfter: nil),
    ]

    static let passingFetchErrors: [FetchError.Kind] = [
        .refused, .unknownHost, .proxy("", .refused), .token(endpoint: "", .failed(.refused)),
        .status(408, retryAfter: nil), .status(409, retryAfter: nil), .status(429, retryAfter: nil),
        .status(500, retryAfter: nil), .status(503, retryAfter: .seconds(1)), .response(409, .fail, retryAfter: nil),
        .response(404, .retry, retryAfter: nil), .rateLimited(wait: .seconds(1)), .json(reason: "", offset: 0),
        .mediaType("", excerpt: ""), .deadline(.total, limit: .seconds(1)),
    ]

    @Test(arguments: lastingFetchErrors.map { ($0, true) } + passingFetchErrors.map { ($0, false) })
    func `a refusal and a bad configuration last, and all else may pass`(kind: FetchError.Kind, lasts: Bool) {
        let stream = StreamName(source: "zoo", stream: "animals")
        #expect(RunFailure(FetchError(stream: stream, kind: kind, url: "http://a/b")).isPermanent == lasts)
    }

    @Test(arguments: storageErrors)
    func `a database error caused by the configuration is permanent`(kind: PersistenceError.Kind, _: Int32) {
        let failure = RunFailure(PersistenceError(kind, "it did not work", hint: "do this"))
        #expect(failure.isPermanent == [.foreign, .configuration].contains(kind))
    }

    @Test(arguments: storageErrors)
    func `a storage error has an exit code of its own`(kind: PersistenceError.Kind, code: Int32) {
        let failure = RunFailure(PersistenceError(kind, "it did not work", hint: "do this"))
        #expect(failure.category.rawValue == code)
        #expect(failure.message == "it did not work")
        #expect(failure.hint == "do this")
    }

    @Test func `a table that does not fit the configuration fails the run that finds it`() async throws {
        try await SyncRig.run({ .page($0.page, of: 1) }) { rig in
            _ = try await rig.sync(rig.stream { $0.primaryKey = ["id"] })
            let outcome = try await rig.sync(rig.stream { $0.primaryKey = ["name"] })
            #expect(outcome.failure?.category.rawValue == 78)
            #expect(outcome.failure?.isPermanent == true)
            #expect(outcome.record?.status == .failed)
            #expect(outcome.record?.failure == outcome.failure)
            #expect(rig.pagesAsked == [1])
            #expect(try await rig.sync(rig.stream { $0.primaryKey = ["id"] }).status == .succeeded)
        }
    }

    @Test func `a configuration that does not fit the table leaves the unfinished read as it was`() async throws {
        let isBroken = Watched(true)
        try await SyncRig.run({ $0.page == 3 && isBroken.value ? .status(500) : .page($0.page, of: 4) }) { rig in
            let broken = try await rig.sync()
            #expect(broken.status == .failed)
            let outcome = try await rig.sync(rig.stream { $0.primaryKey = ["name"] })
            #expect(outcome.failure?.category.rawValue == 78)
            isBroken.value = false
            let whole = try await rig.sync()
            #expect(whole.status == .succeeded)
            #expect(rig.pagesAsked == [1, 2, 3, 3, 4])
        }
    }

    @Test func `certificates that cannot be read fail the run`() async throws {
        try await SyncRig.run({ .page($0.page, of: 1) }) { rig in
            let outcome = try await rig.sync(rig.stream { $0.certificateAuthority = "/nowhere/ca.pem" })
            #expect(outcome.failure?.category.rawValue == 78)
            #expect(outcome.failure?.isPermanent == true)
            #expect(outcome.record?.status == .failed)
            #expect(rig.pagesAsked == [])
        }
    }

    @Test func `an error of no module is a bug`() {
        struct OfNoModule: Error {}
        #expect(RunFailure(OfNoModule()).category == .bug)
    }

    @Test(arguments: replies)
    func `what a server does wrong is recorded with its run`(reply: LoopbackReply, code: Int32, kind: String)
        async throws
    {
        try await SyncRig.run({ _ in reply }) { rig in
            let outcome = try await rig.sync()
            #expect(outcome.failure?.category.rawValue == code)
            #expect(outcome.failure?.kind == kind)
            #expect(outcome.record?.failure == outcome.failure)
            #expect(try rig.integers("SELECT error_code FROM _garner_runs") == [Int64(code)])
            #expect(outcome.counts.requests == 1)
        }
    }

    @Test func `a failure that cannot be recorded is told with what was stored before`() async throws {
        try await SyncRig.run({ $0.page == 3 ? .status(500) : .page($0.page, of: 4) }) { rig in
            try rig.alter(
                """
                CREATE TRIGGER no_room BEFORE UPDATE OF status ON _garner_runs WHEN NEW.status = 'failed'
                BEGIN SELECT RAISE(ABORT, 'no room'); END
                """)
            let hooks = Hooks(onFailure: [Hooks.Alarm(.run(["true"]), after: 2)])
            let outcome = try await rig.sync(rig.stream { $0.hooks = hooks })
            #expect(outcome.status == .failed)
            #expect(outcome.failure?.message.contains("no room") == true)
            #expect(outcome.counts.pages == 2)
            #expect(outcome.counts.inserted == 4)
            #expect(outcome.record?.status == .failed)
            #expect(outcome.record?.failuresInRow == 1)
            #expect(try rig.texts("SELECT status FROM _garner_runs") == ["running"])
            // The next one ends it.
            _ = try await rig.sync()
            #expect(try rig.texts("SELECT status FROM _garner_runs") == ["interrupted", "running"])
        }
    }
}
