import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import TestSupport

/// A page of JSON as a server would send it, without one.
func scripted(_ body: String, type: String = "application/json", headers: [(String, String)] = []) -> Response {
    let length = type == "application/json" ? [] : [("Content-Length", "\(body.utf8.count)")]
    let fields = [("Content-Type", type)] + length + headers
    return Response(
        head: ResponseHead(status: 200, headers: HeaderFields(fields.map { (name: $0.0, value: $0.1) })),
        body: AsyncThrowingStream { continuation in
            continuation.yield(BodyChunk(body.utf8))
            continuation.finish()
        })
}

/// A fetcher of `https://zoo.example/v1/animals` whose every page is this one; `grant` answers requests for a token.
func scriptedFetcher(
    _ paginator: Paginator, body: String, headers: [(String, String)] = [], grant: String = "{}",
    _ change: (inout StreamConfiguration) -> Void = { _ in }
) throws -> PageFetcher {
    try PageFetcher(
        stream: stream(at: "https://zoo.example/v1/", path: "animals", paginator: paginator, change),
        transport: ScriptedTransport { request in
            request.body == nil ? scripted(body, headers: headers) : scripted(grant)
        },
        timing: timing(clock: ManualClock(), random: 0.5))
}

/// The page at a URL of `https://zoo.example/v1/`, or the first one.
func scriptedPage(
    _ paginator: Paginator, at url: String? = nil, number: Int = 0, history: ReadHistory = ReadHistory(), body: String,
    headers: [(String, String)] = [], _ change: (inout StreamConfiguration) -> Void = { _ in }
) async throws -> Page {
    let fetcher = try scriptedFetcher(paginator, body: body, headers: headers, change)
    let position = url.map { PagePosition(url: "https://zoo.example/v1/" + $0, number: number, history: history) }
    return try await fetcher.page(at: position ?? fetcher.firstPosition)
}

/// A body of that many records and these other members.
func records(_ count: Int, _ members: String = "") -> String {
    let records = (0..<count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    return #"{"data":[\#(records)]\#(members.isEmpty ? "" : ",")\#(members)}"#
}

/// The records of a body as they are stored.
func storedTexts(
    _ body: String, at selector: String? = nil, _ change: (inout StreamConfiguration) -> Void
) async throws -> [String] {
    try await scriptedPage(Paginator(.singlePage), body: body) {
        $0.recordSelector = selector
        change(&$0)
    }.texts
}

/// The reason why nothing of a body is stored.
func storingProblem(
    _ body: String, at selector: String? = nil, _ change: (inout StreamConfiguration) -> Void
) async -> FetchError.Kind? {
    await failureKind { try await storedTexts(body, at: selector, change) }
}

/// A record with its members sorted, as `texts` has them.
func canonicalRecord(_ record: String) -> String { JSONText.canonical(record) ?? "" }
