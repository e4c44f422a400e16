import Testing

@testable import GarnerCatalog

struct SensitiveNameTests {
    private static let value = "a value of some length"

    @Test(arguments: [
        "api_key", "apiKey", "API-KEY", "x_api_key", "access_token", "accessToken", "userToken", "refresh-token",
        "token",
        "pat", "jwt", "id_jwt", "sid", "sig", "x-signature", "X-Amz-Signature", "X-Amz-Security-Token", "client_secret",
        "password", "userPassword", "passphrase", "pwd", "auth", "key", "session", "appid", "subscription-key",
        "credentials",
        "private_key",
    ])
    func `names of secrets`(name: String) {
        #expect(SensitiveName.isParameter(name, value: Self.value))
        #expect(!SensitiveName.isParameter(name, value: "") || SensitiveName.isParameter(name, value: nil))
    }

    @Test(arguments: [
        "page_token", "pageToken", "next_token", "NextToken", "nextPageToken", "continuation-token", "syncToken",
        "cursor",
        "side", "path", "pattern", "design", "keyword", "monkey", "partition_key", "sort_key", "author", "sid_name",
        "patient",
        "tokens_used", "signal", "compass", "idempotency_key", "session_count", "X-Sort-Key", "x-partition-key",
        "group_key",
    ])
    func `names of other values`(name: String) {
        #expect(!SensitiveName.isParameter(name, value: Self.value))
        #expect(!SensitiveName.isHeader(name, value: Self.value))
    }

    @Test(arguments: ["key", "token", "pat", "sid", "auth", "session", "my_token"])
    func `a short value of such a name is none`(name: String) {
        #expect(!SensitiveName.isParameter(name, value: "animals"))
    }

    @Test(arguments: [("updated_at_desc", false), ("meta.created_at", false), ("hunter2hunter2", true)])
    func `a key that names a field is no secret`(value: String, isSecret: Bool) {
        #expect(SensitiveName.isParameter("key", value: value) == isSecret)
        #expect(SensitiveName.isParameter("token", value: value))
    }

    @Test(arguments: ["access_token", "session", "x-signature"])
    func `what each request fills in is none, unless it always was`(name: String) {
        #expect(SensitiveName.isParameter(name, value: "{parent.session_id}") == (name == "access_token"))
    }

    @Test(arguments: [
        "Authorization", "Cookie", "X-Signature", "X-Hub-Jwt", "DD-API-KEY", "DD-APPLICATION-KEY", "Api-Token",
        "X-Acme-Key",
        "PRIVATE-TOKEN", "X-Algolia-API-Key", "apikey",
    ])
    func `headers of secrets`(name: String) { #expect(SensitiveName.isHeader(name)) }

    @Test(arguments: ["Accept", "Idempotency-Key", "Notion-Version", "Continuation-Token", "ETag", "X-Total-Count"])
    func `headers of other values`(name: String) { #expect(!SensitiveName.isHeader(name)) }

    @Test(arguments: [
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", true), ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", true),
        ("sk-short", false), ("secret_garden_of_the_zoo_in_bern", false), ("eyJpZCI6MTIzNDU2Nzg5MDEyMzR9", false),
        ("550e8400-e29b-41d4-a716-446655440000", false),
    ])
    func `a token shows itself`(text: String, isToken: Bool) { #expect(SensitiveName.isKnownToken(text) == isToken) }

    @Test(arguments: [
        "Bearer canary5e1f", "bearer  canary5e1f", "Token canary5e1f", "http://x/?a=1&token=canary5e1f0c77",
        "https://me:canary@x/",
        #"{"a": [{"token": "canary5e1f0c77"}]}"#, #"keyId="7", signature="canary""#, "a=1; api_key=canary",
        "see ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ])
    func `a secret within a text shows itself`(text: String) { #expect(SensitiveName.isWithin(text)) }

    @Test(arguments: [
        "Bearer ${TOKEN}", "Bearer", "http://x/?key=animals&page_token=a1b2c3d4e5f6g7h8", "token=${T}",
        #"{"token": null, "n": 1}"#,
        "application/json; version=2", "basic subscription", "basic words of a text", "https://x:8080/", "user@x.org",
        "",
        #"key: "token": "x""#,
    ])
    func `other texts have none`(text: String) { #expect(!SensitiveName.isWithin(text)) }
}
