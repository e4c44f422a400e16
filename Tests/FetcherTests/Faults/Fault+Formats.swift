import GarnerCatalog
import TestSupport

extension Fault {
    /// The body does not keep what `response` says of it, or is a file in gzip that is broken.
    static let formats: [Fault] = accepted + encodings + files

    private static let accepted: [Fault] = [
        typed("sends JSON as text/plain, which is accepted", .page, as: "text/plain"),
        typed("sends JSON without a type, and any is accepted", .page, as: nil, accepting: ["*/*"]),
        typed("sends JSON as JSON, and only text/plain is accepted", .error("media_type"), as: "application/json"),
        typed("sends HTML as text/plain, which is accepted", .error("media_type"), as: "text/plain", login),
        typed(
            "sends HTML without a type, and any is accepted", .error("media_type"), as: nil, login, accepting: ["*/*"]),
        typed(
            "sends XML behind blanks, and any type is accepted", .error("media_type"), as: "text/xml", xml,
            accepting: ["*/*"]),
        typed("sends words as text/plain, which is accepted", .error("json"), as: "text/plain", "Service unavailable"),
        typed("sends CSV as text/plain, which is accepted", .error("json"), as: "text/plain", "id,name\n1,Otter\n"),
        typed("sends an empty body as text/plain, which is accepted", .error("empty_body"), as: "text/plain", ""),
        Fault("sends a picture as text/plain, which is accepted", .error("json"), in: .all) {
            $0.answer.with { ($0.type, $0.body) = ("text/plain", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) }
                .reply
        }.with { $0.change = { $0.response.mediaTypes = ["text/plain"] } },
    ]

    private static let login = "<!doctype html><title>Log in</title>"
    private static let xml = "\n  <?xml version=\"1.0\"?><animals/>"

    private static let encodings: [Fault] = [
        encoded("says another charset than the configured one", .page, .latin1) { $0 },
        encoded("sends UTF-16 as it was configured", .page, .utf16) { [0xFF, 0xFE] + littleEndian($0) },
        encoded("sends UTF-16 without a mark in the other order", .error("json"), .utf16) { littleEndian($0) },
        encoded("sends UTF-16 with the mark of the other order", .error("json"), .utf16BigEndian) {
            [0xFF, 0xFE] + littleEndian($0)
        },
        encoded("sends UTF-8, and charset says utf-16", .error("json"), .utf16) { $0 },
        encoded("sends half a character of UTF-16", .error("json"), .utf16LittleEndian) { littleEndian($0).dropLast() },
        encoded("sends a lone surrogate of UTF-16", .error("json"), .utf16LittleEndian) {
            littleEndian($0) + [0x00, 0xD8]
        },
        encoded("begins with the mark of UTF-8, and charset says iso-8859-1", .error("json"), .latin1) {
            [0xEF, 0xBB, 0xBF] + $0
        },
    ]

    private static let files: [Fault] = [
        file("sends a gzip file with zeros behind it", .page) { Gzip.stored($0) + [0, 0, 0] },
        file("sends a gzip file of two parts", .page) {
            Gzip.stored(Array($0.prefix(7))) + Gzip.stored(Array($0.dropFirst(7)))
        },
        file("sends a gzip file with something behind it", .error("decompression")) { Gzip.stored($0) + [1, 2, 3] },
        file("sends a gzip file with the header of another behind it", .error("decompression")) {
            Gzip.stored($0) + Gzip.header
        },
        file("sends a gzip file with a wrong size", .error("decompression")) {
            Gzip.stored($0).dropLast(4) + [0, 0, 0, 0]
        },
        file("sends a gzip file of nothing", .error("empty_body")) { _ in Gzip.stored([]) },
        file("sends a gzip file of HTML", .error("json")) { _ in Gzip.stored(Array(login.utf8)) },
        file("sends a gzip file a thousand times as long as it is", .error("body_too_large")) { _ in
            Gzip.bomb(size: 2000)
        }.limited { $0.body = 200_000 },
        file("sends a gzip file that expands more than ratio allows", .error("compression_ratio")) { _ in
            Gzip.bomb(size: 2000)
        }.limited { $0.ratio = 100 },
    ]

    private static func typed(
        _ name: String, _ outcome: Outcome, as type: String?, _ body: String? = nil,
        accepting types: [String] = ["text/plain"]
    ) -> Fault {
        Fault(name, outcome, in: .all) {
            $0.answer.with { answer in
                answer.type = type
                if let body { answer.body = Array(body.utf8) }
            }.reply
        }.with { $0.change = { $0.response.mediaTypes = types } }
    }

    private static func encoded(
        _ name: String, _ outcome: Outcome, _ charset: ResponseFormat.Charset,
        _ change: @escaping @Sendable ([UInt8]) -> some Sequence<UInt8>
    ) -> Fault {
        Fault(name, outcome, in: .all) {
            $0.answer.with { ($0.type, $0.body) = ("application/json; charset=utf-7", Array(change($0.body))) }.reply
        }.with { $0.change = { $0.response.charset = charset } }
    }

    private static func file(
        _ name: String, _ outcome: Outcome, _ change: @escaping @Sendable ([UInt8]) -> some Sequence<UInt8>
    ) -> Fault {
        Fault(name, outcome, in: .all) { $0.answer.with { $0.body = Array(change($0.body)) }.reply }
    }

    private static func littleEndian(_ text: [UInt8]) -> [UInt8] { text.flatMap { [$0, 0] } }
}
