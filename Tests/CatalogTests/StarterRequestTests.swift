import Testing

@testable import GarnerCatalog

/// The file that is written holds everything that curl would be given, except secrets.
struct StarterRequestTests {
    @Test func `headers, parameters and a body are sent by the stream that is written`() throws {
        let request = try request(
            headers: ["Notion-Version: 2022-06-28", "X-Price:  costs $5 "], params: ["status=open=1", "q=a&b"],
            json: "{\n \"page_size\": 100,\t\"filter\":{\"a b\":[1,\"x, y\"]}}")
        let stream = try stream(request)
        #expect(stream.request.method == .post)
        let headers = stream.request.headers.map { "\($0.name): \($0.value)" }
        #expect(headers.count == 2 && headers[1].contains("costs $5"))
        #expect(
            stream.request.params == [
                .init(name: "status", value: .literal("open=1")), .init(name: "q", value: .literal("a&b")),
            ])
        #expect(request.body?.text == #"{"page_size": 100, "filter": {"a b": [1, "x, y"]}}"#)
    }

    @Test func `a secret of a header becomes a variable`() throws {
        let request = try request(
            of: "my-zoo", headers: ["Authorization: Bearer canary5e1f", "X-API-Key: canary77ab"],
            params: ["api_key=canary12cd"])
        let text = StarterFile(of: try address(), request: request).text
        #expect(!text.contains("canary"))
        #expect(text.contains("Bearer ${MY_ZOO_AUTHORIZATION}"))
        #expect(request.variables.map(\.name) == ["MY_ZOO_AUTHORIZATION", "MY_ZOO_X_API_KEY", "MY_ZOO_API_KEY"])
        #expect(request.variables.map(\.value) == ["canary5e1f", "canary77ab", "canary12cd"])
    }

    @Test(arguments: [
        ("X-Shopify-Access-Token: canary5e1f0c77", "\"X-Shopify-Access-Token\": \"${ZOO_X_SHOPIFY_ACCESS_TOKEN}\""),
        ("Authorization: ApiKey canary5e1f0c77", "Authorization: \"ApiKey ${ZOO_AUTHORIZATION}\""),
        ("X-Acme-Key: canary5e1f0c77", "\"X-Acme-Key\": \"${ZOO_X_ACME_KEY}\""),
        ("X-Acme-Session: canary5e1f0c77", "\"X-Acme-Session\": \"${ZOO_X_ACME_SESSION}\""),
        ("X-Zoo-Auth: canary5e1f0c77", "\"X-Zoo-Auth\": \"${ZOO_X_ZOO_AUTH}\""),
    ])
    func `a header that seems to hold a secret is written with a variable`(header: String, written: String) throws {
        let text = StarterFile(of: try address(), request: try request(headers: [header])).text
        #expect(text.contains(written) && !text.contains("canary"), "\(text)")
    }

    @Test func `a secret of a body becomes a variable`() throws {
        let request = try request(
            json:
                #"{"auth": {"api_key": "canary5e1f", "password": "ca\"nary", "api_token": "canary9"}, "q": "key: \"token\": \"x\"", "key": "short"}"#
        )
        #expect(
            request.body?.text
                == #"{"auth": {"api_key": "${ZOO_API_KEY}", "password": "${ZOO_PASSWORD}", "api_token": "${ZOO_API_TOKEN}"}, "#
                + #""q": "key: \"token\": \"x\"", "key": "short"}"#)
        #expect(request.variables.map(\.value) == ["canary5e1f", #"ca"nary"#, "canary9"])
        #expect(try stream(request).request.body != nil)
    }

    @Test func `a secret is one at any depth, by its name or by its own look`() throws {
        let request = try request(
            params: ["sid=canary5e1f0c77", "cursor=a1b2c3d4e5f6g7h8i9j0k1", "q=canary1A2B3C4D5E6F7G8H9I"],
            json: #"{"a":[{"userPassword":"canary1","password":"canary2","password2":"x"}],"#
                + #""tokens":["ghp_canary4E5F6a7b8c9d0e1f2a3b"],"page_token":"abcdefghijklmnop","n":{"signature":"${SIG}"}}"#
        )
        let text = StarterFile(of: try address(), request: request).text
        #expect(!text.contains("canary"), "\(text)")
        #expect(text.contains("abcdefghijklmnop") && text.contains("a1b2c3d4e5f6g7h8i9j0k1") && text.contains("${SIG}"))
        #expect(
            request.variables.map(\.name) == ["ZOO_SID", "ZOO_Q", "ZOO_USERPASSWORD", "ZOO_PASSWORD", "ZOO_TOKENS"])
    }

    @Test func `a secret within a value hides all of the value`() throws {
        var request = try request(
            headers: ["X-Forward: Bearer canary5e1f", "Referer: https://me:canary@x.org/"],
            params: ["next=http://x.org/?token=canary5e1f0c77"],
            json: #"{"args": "{\"token\": \"canary5e1f0c77\"}", "n": "a=b"}"#)
        #expect(request.body?.text == #"{"args": "${ZOO_ARGS}", "n": "a=b"}"#)
        request.setForm([.init(name: "a", value: "Bearer canary5e1f")])
        #expect(request.body?.text == #"{ a: "${ZOO_A}" }"#)
        #expect(!StarterFile(of: try address(), request: request).text.contains("canary"))
        let url = try #require(StarterAddress("https://zoo.example/a?next=http%3A%2F%2Fx%2F%3Ftoken%3Dcanary5e1f0c77"))
        #expect(url.query.secrets.map(\.variable) == ["ZOO_NEXT"])
    }

    @Test func `two secrets of one name have two variables, and equal ones share one`() throws {
        let request = try request(headers: ["API-Key: a", "api-key: a"], params: ["api_key=b"])
        #expect(request.variables.map(\.name) == ["ZOO_API_KEY", "ZOO_API_KEY_2"])
        var beside = StarterRequest(source: "zoo", besides: ["ZOO_API_KEY": "c"])
        #expect(beside.addParameter("api_key=b") && beside.variables.map(\.name) == ["ZOO_API_KEY_2"])
    }

    @Test func `fields of a form and a text are sent as they are`() throws {
        var request = StarterRequest(source: "zoo")
        request.setForm([
            .init(name: "a", value: "1"), .init(name: "token", value: "canary5e1f0c77"),
            .init(name: "a", value: "$${x y}"),
        ])
        #expect(request.body?.text == #"{ a: ["1", "$$$${x y}"], token: "${ZOO_TOKEN}" }"#)
        let form = try #require(try stream(request).request.body)
        #expect(form.revealed(as: .form, withSecretsOf: nil) == Secret("a=1&a=%24%24%7Bx+y%7D&token=s3"))
        request.setText("a $b\n😀")
        #expect(try stream(request).request.body == .text(.literal("a $b\n😀")))
    }

    @Test func `names in braces of a GraphQL query get a space, and no other text does`() throws {
        let request = try request(json: #"{"query":"{viewer{login}}","text":"{ a }","q":"{\"a\": {}}"}"#)
        #expect(request.body?.text == #"{"query": "{ viewer{ login}}", "text": "{ a }", "q": "{\"a\": {}}"}"#)
        #expect(try stream(request).request.body != nil)
    }

    @Test func `a variable that is named stays one`() throws {
        let request = try request(headers: ["Authorization: Bearer ${TOKEN}"])
        #expect(request.variables.isEmpty)
        #expect(StarterFile(of: try address(), request: request).text.contains(#""Bearer ${TOKEN}""#))
        #expect(request.assumed([:]) == ["TOKEN": "unknown"])
        #expect(request.assumed(["TOKEN": "t"]) == ["TOKEN": "t"])
    }

    @Test(arguments: StarterRequest.Authentication.allCases)
    func `an authentication is a block that reads the environment`(way: StarterRequest.Authentication) throws {
        var request = StarterRequest(source: "zoo")
        request.authenticate(by: way, tokenURL: "https://login.example/token", grant: .refreshToken)
        switch (way, try stream(request).request.authentication) {
        case (.bearer, .bearer(Secret("s3"))), (.basic, .basic(_, Secret("s3"))),
            (.apiKey, .apiKey("X-API-Key", .header, Secret("s3"))), (.session, .session):
            break
        case (.oauth2, .oauth2(let oauth2)):
            #expect(oauth2.grant == .refreshToken(Secret("s3")) && oauth2.clientSecret == Secret("s3"))
        case (_, let other): Issue.record("\(way) became \(other)")
        }
    }

    @Test(arguments: ["no colon", ": value", "a b: c", "é: c"])
    func `what is no header is refused`(text: String) {
        #expect(throws: Refused.self) { try request(headers: [text]) }
    }

    @Test(arguments: ["", "7", "\"a\"", "{\"a\":1", "{\"a\":1}}", "]", "{\"a\": \"b}"])
    func `what is no JSON object or array is refused`(text: String) {
        #expect(throws: Refused.self) { try request(json: text) }
    }

    private func request(
        of source: String = "zoo", headers: [String] = [], params: [String] = [], json: String? = nil
    ) throws -> StarterRequest {
        var request = StarterRequest(source: source)
        for header in headers where !request.addHeader(header) { throw Refused() }
        for parameter in params where !request.addParameter(parameter) { throw Refused() }
        if let json, !request.setBody(json) { throw Refused() }
        return request
    }

    private struct Refused: Error {}

    private func address() throws -> StarterAddress { try #require(StarterAddress("https://zoo.example/v1/animals")) }

    private func stream(_ request: StarterRequest) throws -> StreamConfiguration {
        let environment = Dictionary(uniqueKeysWithValues: request.variables.map { ($0.name, "s3") })
        let text = StarterFile(of: try address(), request: request).text
        return try #require(try Fixture.parse(text, environment: environment).streams.first)
    }
}
