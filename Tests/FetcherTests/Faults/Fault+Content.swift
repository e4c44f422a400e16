import GarnerCatalog
import TestSupport

extension Fault {
    /// The body is not the JSON that was meant.
    static let content: [Fault] = [
        Fault("sends a login page with 200", .error("media_type"), in: .all) {
            $0.answer.with {
                $0.type = "text/html; charset=utf-8"; $0.body = Array("<!doctype html><title>Log in</title>".utf8)
            }.reply
        },
        typed("sends JSON as text/plain", "text/plain", .error("media_type")),
        typed("sends JSON as application/octet-stream", "application/octet-stream", .error("media_type")),
        typed("sends JSON without a type", nil, .error("media_type")),
        typed("sends a type that is none", "json", .error("media_type")),
        typed("sends a type that ends in +json", "application/vnd.zoo+json; v=1", .page),
        typed("says charset=utf-16", "application/json; charset=utf-16", .error("charset")),
        typed("says charset=iso-8859-1", "application/json; charset=\"ISO-8859-1\"", .error("charset")),
        typed("says charset=utf-8", "application/json; charset=UTF-8", .page),
        Fault("sends another type without an end", .error("media_type"), in: [.chunked]) {
            LoopbackReply(
                .bytes($0.answer.with { $0.type = "text/html" }.head()),
                .endless(Array("4000\r\n".utf8) + spaces + Array("\r\n".utf8)))
        },
        Fault("sends another type, and stalls", .error("idle_deadline"), in: .all) {
            $0.answer.with { $0.type = "text/html" }.cut(after: 0, then: .stall)
        }.limited { $0.idle = .milliseconds(150) },
        Fault("begins with a byte order mark", .page, in: .all) {
            $0.answer.with { $0.body = [0xEF, 0xBB, 0xBF] + $0.body }.reply
        },
        Fault("begins with two byte order marks", .error("json"), in: .all) {
            $0.answer.with { $0.body = [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + $0.body }.reply
        },
        Fault("sends UTF-16", .error("json"), in: .all) {
            $0.answer.with { $0.body = [0xFF, 0xFE] + $0.body.flatMap { [$0, 0] } }.reply
        },
        Fault("sends bytes that are not UTF-8", .error("json"), in: .all) {
            $0.answer.with { $0.body = Array("[\"".utf8) + [0xFF] + Array("\"]".utf8) }.reply
        },
        Fault("sends a part of the JSON as the whole", .error("json"), in: .all) {
            $0.answer.with { $0.body.removeLast(20) }.reply
        },
        Fault("sends something behind the JSON", .error("json"), in: .all) {
            $0.answer.with { $0.body += Array(" []".utf8) }.reply
        },
        sending("sends HTML as JSON", "<html>", .error("json")),
        sending("sends NaN", "[NaN]", .error("json")),
        sending("sends JSON as deep as it likes", String(repeating: "[", count: 60_000), .error("json")),
        sending("sends 200 with an empty body", "", .error("empty_body")),
        sending("sends 200 with nothing but blanks", " \r\n\t", .error("empty_body")),
        sending("sends null", "null", .error("scalar")),
        sending("sends a text", "\"Service unavailable\"", .error("scalar")),
        Fault("sends an empty body without a type", .error("empty_body")) {
            $0.answer.with {
                $0.type = nil; $0.body = []
            }.reply
        },
        Fault("sends JSON lines that only the end of the connection ends", .error("open_end")) {
            LoopbackReply(
                .bytes($0.answer.with { $0.type = "application/x-ndjson" }.head(framing: []) + Array("{}\n{}\n".utf8)),
                .close)
        },
        Fault("sends JSON lines in chunks that are no framing", .error("open_end"), in: [.chunked]) {
            let answer = $0.answer.with { $0.type = "application/x-ndjson" }
            let head = answer.head(framing: [("Transfer-Encoding", "chunked, gzip")])
            return LoopbackReply(.bytes(head + Array("{}\n{}\n".utf8)), .close)
        },
        Fault("sends a part of a JSON line", .error("json"), in: .all) {
            $0.answer.with {
                $0.type = "application/x-ndjson"; $0.body = Array("{\"id\":1}\n{\"id\":".utf8)
            }.reply
        },
        sending("sends an object without what record_selector names", #"{"mood":"busy"}"#, .error("missing_path"))
            .with { $0.change = { $0.recordSelector = "$.data[*]" } },
        sending("says in a good answer that it refuses", #"{"ok":false,"error":"busy"}"#, .error("refusal")),
        sending("sends another value where record_selector looks for records", #"{"data":7}"#, .error("no_array"))
            .with { $0.change = { $0.recordSelector = "$.data[*]" } },
        sending("sends several arrays of objects", #"{"a":[{}],"b":[{}]}"#, .error("several_arrays"))
            // On a later page the name of the array is known.
            .with { $0.pages = [0] },
    ]

    private static func typed(_ name: String, _ type: String?, _ outcome: Outcome) -> Fault {
        Fault(name, outcome, in: .all) { $0.answer.with { $0.type = type }.reply }
    }

    private static func sending(_ name: String, _ body: String, _ outcome: Outcome) -> Fault {
        Fault(name, outcome, in: .all) { $0.answer.with { $0.body = Array(body.utf8) }.reply }
    }
}
