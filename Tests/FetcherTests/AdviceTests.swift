import GarnerModel
import TestSupport
import Testing

@testable import GarnerFetcher

/// Advice that depends on more than the kind of an error.
struct AdviceTests {
    private static let asking = "headers: { Accept: application/json } or params: { format: json }"
    private static let readsJSON = "Garner reads JSON and JSON Lines: ask for one of them, often with \(asking)"
    private static let page =
        "check that the URL is that of a JSON API and not of a page for people, as a login is that comes without auth; "
        + "some servers need headers: { Accept: application/json }"

    private static let advice: [(FetchError.Kind, String)] = [
        (.missingPath(selector: "$.Data[*]", found: ["count", "data"]), "did you mean $.data[*]?"),
        (.missingPath(selector: "$.reslts.list", found: ["results"]), "did you mean $.results.list?"),
        (
            .missingPath(selector: "$.results[*]", found: ["data"]),
            "correct record_selector; if you remove it, Garner looks for the records itself"
        ),
        (
            .missingPath(selector: "$.data.list", found: ["data"]),
            "correct record_selector; if you remove it, Garner looks for the records itself"
        ),
        (
            .repeatedPage(url: "https://a.example/?cursor=https%3A%2F%2Fa.example%2F%3Fpage%3D2"),
            "is the cursor the next page's URL? Write json_link in place of cursor in paginator, and next_url_path in place of "
                + "cursor_path"
        ),
        (
            .shape(reason: "a record has the field 'b', which another is renamed to"),
            "rename names the old field first: if this one is to have the new name, write rename: { b: NEW }; "
                + "else drop or rename that field too in 'fields', or choose another new name"
        ),
        (
            .shape(reason: "a record has the field 'b', which 'add' makes of others"),
            "drop or rename that field too in 'fields', or choose another new name"
        ),
        (
            .unchangedPage,
            "does another parameter select the page, or is this all? Name the parameter in paginator, with page_param, offset_param or "
                + "cursor_param, or remove the paginator and run 'garner init --update', which looks for it"
        ),
        (
            .status(402, retryAfter: nil),
            "see what the server says: the account is to pay, or its plan does not have this"
        ),
        (
            .malformedResponse(reason: "x"),
            "check that base_url names the port of HTTP, or https:// for one of TLS; if it does, the server or a proxy before it is at "
                + "fault"
        ),
        (.scalar(found: "null"), "check path, which is to lead to an object or array"),
        (
            .scalar(found: "a string"),
            "check path, which is to lead to an object or array; if the string holds JSON, ask for that itself, often with "
                + "headers: { Accept: application/json }"
        ),
        (
            .linkToOtherOrigin("https://localhost:8080"),
            "if it is the same server, write https://localhost:8080 into base_url; if it is another one, set allow_cross_origin: true "
                + "in paginator; it gets no credentials, and nothing was sent to it"
        ),
        (
            .proxy("http://127.0.0.1:9", .refused),
            "check the proxy, which the file or http_proxy and https_proxy of the environment name; proxy: none goes without"
        ),
        (.status(405, retryAfter: nil), "check path and method"),
        (.status(415, retryAfter: nil), "check json, form or body, and the Content-Type in headers"),
        (.status(418, retryAfter: nil), "check path, params and headers"),
        (
            .mediaType("application/json", excerpt: "["),
            "if this is the data, add application/json to media_types in response"
        ),
        (.mediaType("text/plain", excerpt: "["), "if this is the data, add text/plain to media_types in response"),
        (.mediaType("text/csv", excerpt: "id,name"), readsJSON), (.mediaType("text/xml", excerpt: "<a/>"), readsJSON),
        (.mediaType("text/html", excerpt: "<html>"), page), (.mediaType("application/xhtml+xml", excerpt: ""), page),
        (.json(reason: "HTML or XML", offset: 0), page),
        (
            .json(reason: "not JSON", offset: 0),
            "the text does not begin as JSON does: check path, and that the API is asked for JSON, often with "
                + asking
        ),
        (
            .json(reason: "line 2: found NaN", offset: 1),
            "JSON has no NaN; ask the people who run the server to send null in its place"
        ),
        (.json(reason: "not JSON", offset: 1), "try again later; if it stays, the server sends broken JSON"),
        (
            .token(endpoint: "x", .noToken(reason: "$.data.token is missing", isOfPath: true)),
            "check auth: token_path, which is the JSONPath of the token in the answer of token_url"
        ),
        (
            .token(endpoint: "x", .noSession(reason: "has no $.a", texts: ["$.session.id"], near: "$.session.id")),
            "did you mean $.session.id? If that is the session, write take: { token: $.session.id } in auth"
        ),
        (
            .token(endpoint: "x", .noSession(reason: "has no $.a", texts: ["$.b", "$.c.d"])),
            "write the place of the session into auth: take; the answer has $.b, $.c.d"
        ),
        (
            .token(endpoint: "x", .noToken(reason: "access_token is missing", near: "token")),
            "if the token is the answer's token, write token_path: $.token in auth"
        ),
        (
            .mediaType("application/javascript", excerpt: "callback([1])"),
            "if this is JSONP, leave out the parameter that names the function, often callback; else check that the URL is that "
                + "of a JSON API"
        ),
        (
            .token(endpoint: "x", .badOutput(reason: "it is no JSON", isObject: true)),
            #"print an object such as {"token": "…"} or {"headers": {"X-Sign": "…"}}, or remove auth: output"#
        ),
        (
            .token(endpoint: "x", .badOutput(reason: "there is no output")),
            "print the token alone on one line, or set auth: output: json"
        ),
    ]

    private static func hint(
        _ kind: FetchError.Kind, at url: String, redirectedTo origin: String? = nil, asking schemes: [String] = [],
        sent credentials: String? = nil, words: String? = nil, scope: String? = nil
    ) -> String {
        var entry = RequestEntry(sentAt: Timestamp(millisecondsSince1970: 0), url: url, attempts: 1)
        (entry.redirectedTo, entry.schemes, entry.words, entry.scope) = (origin, schemes, words, scope)
        let name = StreamName(source: "zoo", stream: "animals")
        var error = FetchError(stream: name, kind: kind, url: url, request: entry)
        error.credentials = credentials
        return error.hint
    }

    @Test(arguments: [
        ("http://a.example/v1/v1/items?x=1", ": leave it out of path, as in path: /items"),
        ("http://a.example/api/v2/api/v2/items/3", "/api/v2 stands in the URL twice"),
        ("http://a.example/rest/v1/v1/items", "as in path: /items"),
        ("http://a.example/items/items", "leave it out of path"),
        ("http://a.example/users/5/5", "check base_url, path"),
        ("http://a.example/v1/v10/items", "check base_url, path"),
    ])
    func `folders that stand in a URL twice are told of where nothing is there`(url: String, advice: String) {
        #expect(Self.hint(.status(404, retryAfter: nil), at: url).contains(advice))
    }

    @Test func `what a redirect to another origin leaves out is not said to be sent`() {
        let url = "http://a.example/items"
        let token = "the token of 'auth' (Authorization: Bearer …)"
        let other = Self.hint(
            .unauthorized(status: 401), at: url, redirectedTo: "https://b.example", asking: ["Bearer"], sent: token)
        #expect(other.contains("nothing that says who asks was sent to https://b.example"), "\(other)")
        let same = Self.hint(.unauthorized(status: 401), at: url, redirectedTo: "http://a.example", sent: token)
        #expect(same == "check \(token), which was sent")
        let named = Self.hint(.tls(reason: FetchError.Kind.otherHost), at: url)
        #expect(named.hasPrefix("write a host into base_url that the certificate is for"), "\(named)")
        let plain = Self.hint(.tls(reason: FetchError.Kind.noTLS), at: url, redirectedTo: "https://a.example")
        #expect(plain.hasPrefix("the server redirects to https://a.example, where nothing speaks TLS"), "\(plain)")
    }

    @Test(arguments: [
        ("the token of 'auth' (Authorization: Bearer …)", "Basic", "auth: { type: http_basic, username:"),
        ("the name and password of 'auth' (Authorization: Basic …)", "Bearer", "auth: { type: bearer, token:"),
        (
            "the token of 'auth' (Authorization: Bearer …)", "Token",
            "headers: { Authorization: \"Token ${API_TOKEN}\" }"
        ),
        ("the key of 'auth' (the header 'X-Key')", "Bearer", "auth: { type: bearer, token:"),
        ("the token of 'auth' (Authorization: Bearer …)", "Bearer", nil), ("the header 'Authorization'", "Basic", nil),
    ])
    func `a scheme that the server asks for and did not get is told`(sent: String, scheme: String, setting: String?) {
        let hint = Self.hint(.unauthorized(status: 401), at: "http://a.example/", asking: [scheme], sent: sent)
        #expect(hint.hasPrefix("check \(sent), which was sent"))
        #expect(hint.contains("the server asks for \(scheme): \(setting ?? "")") == (setting != nil), "\(hint)")
        let none = Self.hint(.unauthorized(status: 401), at: "http://a.example/", asking: [scheme])
        #expect(
            none.hasPrefix("set ") && none.contains("the server asks for \(scheme), and nothing was sent"), "\(none)")
    }

    @Test(arguments: [
        (400, "since must be a unix timestamp", "datetime_format: epoch in incremental"),
        (400, "Result window is too large", "the API goes no further by an offset"),
        (400, "Must provide query string.", "json: { query: "),
        (422, "Request body is required", "write json: { name: value }"),
        (400, "no such state", "check path, params and headers"),
        (
            400, "body must be an object",
            "check path, params and headers, and what the stream sends as json, form or body"
        ),
        (422, "Invalid payload", "check path, params and headers, and what the stream sends as json, form or body"),
        (400, "limit must be less than or equal to 100", "write 100 for limit: in params"),
        (400, "Missing required parameter: account_id", "write params: { account_id: … }"),
        (400, "The 'from' parameter is required", "write params: { from: … }"),
        (400, "Unknown parameter 'page'", "remove page from params or path"),
        (400, "Parameter 'sort' must be one of: id, name", "write one of id, name for sort"),
        (400, "Set header X-API-Version", "write headers: { X-API-Version: … }"),
        (422, "Invalid date format for 'since', use YYYY-MM-DD", "datetime_format: date in incremental"),
        (406, "Not Acceptable", "write headers: { Accept: application/json }"),
        (413, "Too large", "send less in json"),
    ])
    func `the words of a refusal lead to what to write`(status: Int, words: String, advice: String) {
        let hint = Self.hint(.status(status, retryAfter: nil), at: "http://a.example/", words: words)
        #expect(hint.contains(advice), "\(hint)")
    }

    @Test(arguments: [
        ("IP address 192.0.2.1 is not allowed", "let the address of this machine in"),
        ("Requests must be made over HTTPS", "write https:// in place of http:// in base_url"),
        ("You have exceeded your monthly quota", "schedule: { every: 1d }"),
        ("User-Agent header is required", "write headers: { User-Agent: … }"),
        ("no", "nothing was sent that says who asks"),
    ])
    func `the words of HTTP 403 say that the account is not to blame`(words: String, advice: String) {
        let hint = Self.hint(.unauthorized(status: 403), at: "http://a.example/", words: words)
        #expect(hint.contains(advice), "\(hint)")
    }

    @Test func `a page 0 that is refused, a scheme that is not known and a token that is over are told`() {
        let words = "page must be greater than or equal to 1"
        let page = Self.hint(.status(400, retryAfter: nil), at: "http://a.example/?page=0", words: words)
        #expect(page == "write base_page: 1 in paginator")
        let other = Self.hint(.status(400, retryAfter: nil), at: "http://a.example/?page=1", words: words)
        #expect(other == "check path, params and headers")
        let sent = "the token of 'auth' (Authorization: Bearer …)"
        let over = Self.hint(.unauthorized(status: 401), at: "http://a.example/", sent: sent, words: "token expired")
        #expect(
            over == "check \(sent), which was sent; it is over, as the server says: get a new one, and export it again")
        for (field, scheme) in [
            ("Digest realm=\"a\"", "Digest"), ("NTLM", "NTLM"), ("Basic realm=\"a\"", nil), ("Own", nil),
        ] {
            let head = ResponseHead(status: 401, headers: ["WWW-Authenticate": field])
            #expect(AuthorizationScheme.other(in: head) == scheme)
        }
    }

    @Test(arguments: [
        ("the key of 'auth' (the header 'X')", "write in: query in auth"),
        ("the key of 'auth' (the parameter 'x')", "write in: header in auth"),
        ("the token of 'auth' (Authorization: Bearer …)", "auth: { type: api_key, name: X-API-Key, "),
        ("the login of 'auth'", nil),
    ])
    func `a key that the server does not find may belong elsewhere`(sent: String, advice: String?) {
        let hint = Self.hint(
            .unauthorized(status: 401), at: "http://a.example/", sent: sent, words: "No API key found in request")
        let isTold = advice.map { hint.contains($0) } ?? (hint == "check \(sent), which was sent")
        #expect(hint.hasPrefix("check \(sent), which was sent") && isTold, "\(hint)")
        let other = Self.hint(.unauthorized(status: 401), at: "http://a.example/", sent: sent, words: "Bad key")
        #expect(other == "check \(sent), which was sent")
    }

    @Test(arguments: [
        ("No API key found in request", true), ("Please send X-API-Key", true), ("no key, no entry", false),
    ])
    func `a server that speaks of a key gets one where nothing was sent`(words: String, isKey: Bool) {
        let url = "http://a.example/"
        for kind in [FetchError.Kind.unauthorized(status: 401), .refusal(words: words.lowercased())] {
            let hint = Self.hint(kind, at: url, words: words)
            #expect(
                hint.contains("auth: { type: api_key, name: X-API-Key, value: \"${API_KEY}\" }") == isKey, "\(hint)")
        }
    }

    @Test func `what a token lacks, and that none was sent, is told`() {
        let (sent, url) = ("the token of 'auth' (Authorization: Bearer …)", "http://a.example/")
        let scope = Self.hint(.unauthorized(status: 403), at: url, sent: sent, scope: "read:items")
        #expect(scope.hasPrefix("the token lacks the scope 'read:items'"), "\(scope)")
        let guarded = Self.hint(.unauthorized(status: 403), at: url, words: "Attention Required! | Cloudflare")
        #expect(guarded.contains("User-Agent"), "\(guarded)")
        #expect(Self.hint(.refusal(words: "not_authed"), at: url).hasPrefix("set the stream's auth"))
        #expect(Self.hint(.refusal(words: "invalid_auth"), at: url, sent: sent) == "check \(sent), which was sent")
        #expect(Self.hint(.refusal(words: "no such thing"), at: url).hasPrefix("see what the server says"))
    }

    @Test func `a link that differs in its scheme leads to base_url or to another paginator`() {
        let hint = Self.hint(.linkToOtherOrigin("https://a.example"), at: "http://a.example/items?page=1")
        #expect(hint.hasPrefix("write https:// in place of http:// in base_url, as the links have it"), "\(hint)")
        #expect(hint.hasSuffix("set a paginator that makes the addresses, such as page_number"))
    }

    @Test func `a certificate is looked at with a line for its host and port`() {
        let hint = Self.hint(.tls(reason: FetchError.Kind.untrusted), at: "https://a.example/items")
        #expect(hint.contains("openssl s_client -connect a.example:443 </dev/null | openssl x509"), "\(hint)")
        #expect(hint.contains("'| openssl x509 > server.pem', and write ca: server.pem"), "\(hint)")
    }

    @Test(arguments: advice)
    func `an error says what to write or to look at`(kind: FetchError.Kind, advice: String) {
        #expect(kind.hint == advice)
    }
}
