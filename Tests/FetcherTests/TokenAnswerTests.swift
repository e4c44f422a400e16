import GarnerCatalog
import GarnerJSON
import Testing

@testable import GarnerFetcher

struct TokenAnswerTests {
    private static func answer(_ text: String, of client: OAuth2 = .client()) throws -> TokenAnswer {
        try Document(parsing: Bytes(text.utf8)).withRoot { root throws(TokenError) in
            try TokenAnswer(root, of: client, status: 200)
        }
    }

    @Test func `a token and its lifetime are read where the client says that they are`() throws {
        let client = OAuth2.client {
            $0.tokenPath = "$.data['jwt']"
            $0.expiresPath = "$.data.ttl"
        }
        let text = #"{"data":{"jwt":"t","ttl":60},"access_token":"other","expires_in":5}"#
        #expect(
            try Self.answer(text, of: client).grant.get()
                == TokenGrant(accessToken: Secret("t"), lifetime: .seconds(60)))
        #expect(throws: TokenError.noToken(reason: "$.data['jwt'] is missing", isOfPath: true)) {
            try Self.answer(#"{"access_token":"other"}"#, of: client).grant.get()
        }
        let bare = OAuth2.client { $0.tokenPath = "$" }
        #expect(try Self.answer(#""t""#, of: bare).grant.get() == TokenGrant(accessToken: Secret("t"), lifetime: nil))
    }

    private static let lifetimes: [(String, Duration?)] = [
        ("3600", .seconds(3600)), ("\"3600\"", .seconds(3600)), ("3599.5", .milliseconds(3_599_500)),
        ("0", .zero), ("-5", .zero), ("1e9", .seconds(365 * 24 * 3600)),
        ("9223372036854775807", .seconds(365 * 24 * 3600)),
        ("-9223372036854775808", .zero), ("1e300", .seconds(365 * 24 * 3600)), ("1e400", nil), ("null", nil),
        ("\"soon\"", nil), ("true", nil), ("[]", nil),
    ]

    @Test(arguments: lifetimes)
    func `a lifetime is read as servers write it`(text: String, lifetime: Duration?) throws {
        let grant = try Self.answer(#"{"access_token":"t","token_type":"bearer","expires_in":\#(text)}"#).grant.get()
        #expect(grant == TokenGrant(accessToken: Secret("t"), lifetime: lifetime))
    }

    private static let usable: [(Duration?, Duration)] = [
        (nil, .seconds(3600)), (.seconds(3600), .seconds(3540)), (.seconds(600), .seconds(540)),
        (.seconds(300), .seconds(270)), (.seconds(10), .seconds(9)), (.zero, .zero), (.seconds(-3), .zero),
    ]

    @Test(arguments: usable)
    func `a token is used until shortly before its end`(lifetime: Duration?, time: Duration) {
        #expect(TokenGrant(accessToken: Secret("t"), lifetime: lifetime).usableFor == time)
    }

    @Test func `the time that the answer took is off the token's life`() throws {
        let answer = try Self.answer(#"{"access_token":"t","expires_in":100}"#).aged(by: .seconds(40))
        #expect(try answer.grant.get().lifetime == .seconds(60))
    }

    @Test(arguments: [
        "\"Bearer\"", "\"bearer\"", "\"BEARER\"", "\"BearerToken\"", "\"bearer_token\"", "\"JWT\"", "\"\"", "null",
    ])
    func `bearer tokens are taken, whatever word the server has for them`(type: String) throws {
        #expect(
            try Self.answer(#"{"access_token":"t","token_type":\#(type)}"#).grant.get()
                == TokenGrant(accessToken: Secret("t"), lifetime: nil))
    }

    private static let unusable: [(String, TokenError)] = [
        (#"{"access_token":"t","token_type":"mac"}"#, .tokenType("mac")),
        (#"{"access_token":"t","token_type":"DPoP"}"#, .tokenType("DPoP")),
        (#"{"access_token":"t","token_type":"N_A"}"#, .tokenType("N_A")),
        (#"{"access_token":"t","token_type":7}"#, .tokenType("no text")),
        (#"{"token_type":"bearer"}"#, .noToken(reason: "access_token is missing")),
        (#"{"token":"t"}"#, .noToken(reason: "access_token is missing", near: "token")),
        (
            #"{"refresh_token":"r","data":{"user":"u","token":"t"},"expires_in":60}"#,
            .noToken(reason: "access_token is missing", near: "data.token")
        ),
        (
            #"{"result":{"apiAccessToken":"t"}}"#,
            .noToken(reason: "access_token is missing", near: "result.apiAccessToken")
        ),
        (#"{"data":{"token":7},"token_type":"bearer"}"#, .noToken(reason: "access_token is missing")),
        ("[]", .noToken(reason: "it is no object")), ("\"t\"", .noToken(reason: "it is no object")),
        (#"{"access_token":""}"#, .noToken(reason: "access_token is no text that a header can carry")),
        (#"{"access_token":7}"#, .noToken(reason: "access_token is no text that a header can carry")),
        (#"{"access_token":"a b"}"#, .noToken(reason: "access_token is no text that a header can carry")),
        (#"{"access_token":"a\r\nX: y"}"#, .noToken(reason: "access_token is no text that a header can carry")),
        (#"{"access_token":"ä"}"#, .noToken(reason: "access_token is no text that a header can carry")),
        (#"{"access_token":"a\u0000"}"#, .noToken(reason: "access_token is no text that a header can carry")),
    ]

    @Test(arguments: unusable)
    func `an answer without a usable bearer token is refused`(text: String, problem: TokenError) throws {
        #expect(throws: problem) { try Self.answer(text).grant.get() }
    }

    @Test func `a new refresh token counts even where the access token does not`() throws {
        let answer = try Self.answer(#"{"access_token":"t","token_type":"mac","refresh_token":"r2"}"#)
        #expect(answer.refreshToken == Secret("r2"))
        #expect(Set(answer.tokens.map { $0.reveal() }) == ["t", "r2"])
    }

    @Test(arguments: ["7", "\"\"", "null", "\"\\n\""])
    func `what is no refresh token replaces none`(text: String) throws {
        #expect(try Self.answer(#"{"access_token":"t","refresh_token":\#(text)}"#).refreshToken == nil)
    }

    @Test func `an error with a status of success is an error`() {
        #expect(throws: TokenError.refused(status: 200, error: "bad_code", description: "expired")) {
            try Self.answer(#"{"error":"bad_code","error_description":"expired"}"#)
        }
    }
}
