import TestSupport
import Testing

@testable import GarnerFetcher

/// Advice that depends on more than the kind of an error.
struct AdviceTests {
    private static let asking = "headers: { Accept: application/json } or params: { format: json }"
    private static let readsJSON = "Garner reads JSON and JSON Lines: ask for one of them, often with \(asking)"
    private static let page =
        "check that path names a JSON API and not a page for people, as a login is that comes without auth; "
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
        (.json(reason: "not JSON", offset: 1), "try again later; if it stays, the server sends broken JSON"),
        (
            .token(endpoint: "x", .noToken(reason: "$.data.token is missing", isOfPath: true)),
            "check auth: token_path, which is the JSONPath of the token in the answer of token_url"
        ),
        (
            .token(endpoint: "x", .noToken(reason: "access_token is missing", near: "token")),
            "if the token is the answer's token, write token_path: $.token in auth"
        ),
        (
            .mediaType("application/javascript", excerpt: "callback([1])"),
            "if this is JSONP, leave out the parameter that names the function, often callback; else check that path names a "
                + "JSON API"
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

    @Test(arguments: advice)
    func `an error says what to write or to look at`(kind: FetchError.Kind, advice: String) {
        #expect(kind.hint == advice)
    }
}
