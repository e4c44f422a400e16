import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerModel
import TestSupport
import Testing

/// One secret in each place, and each way in which a server can lead a request to an origin that must not have it.
@Suite(.timeLimit(.minutes(5)))
struct SecondOriginTests {
    enum Way: Sendable, CustomStringConvertible {
        case redirect(Int, isPosted: Bool)
        case headerLink, jsonLink
        /// The URL of an attachment, at once or behind a redirect.
        case file
        case fileRedirect(Int)

        static let all: [Way] =
            [301, 302, 303, 307, 308].flatMap { [.redirect($0, isPosted: false), .redirect($0, isPosted: true)] }
            + [.headerLink, .jsonLink, .file, .fileRedirect(302), .fileRedirect(307)]

        var isOfFile: Bool {
            switch self {
            case .file, .fileRedirect: true
            default: false
            }
        }

        var description: String {
            switch self {
            case .redirect(let status, let isPosted): "\(isPosted ? "POST " : "")\(status)"
            case .headerLink: "Link"
            case .jsonLink: "next"
            case .file: "file"
            case .fileRedirect(let status): "file \(status)"
            }
        }

        /// The destinations and echoes to test: all of them for one way of each kind, and three for each similar way.
        fileprivate var ends: [(Destination, Echo)] {
            let all =
                Echo.allCases.map { (Destination.otherHost, $0) }
                + Destination.allCases.dropFirst().flatMap { [($0, .nothing), ($0, .sameName)] }
            let ways = Self.all.map(\.description)
            guard !["302", "POST 307", "next", "file"].contains(description),
                let index = ways.firstIndex(of: description)
            else { return all }
            return (0..<3).map { all[(index + $0 * 7) % all.count] }
        }

        /// Returns true if the redirect would have the body sent again.
        fileprivate func keeps(_ body: BodyValue?, of method: RequestTemplate.Method) -> Bool {
            guard case .redirect(let status, _) = self, body != nil else { return false }
            return method == .get ? status != 303 : status >= 307
        }

        fileprivate var settings: [String] {
            switch self {
            case .redirect(_, let isPosted): isPosted ? ["method: POST"] : []
            case .headerLink: ["paginator: { type: header_link, allow_cross_origin: true }"]
            case .jsonLink: ["paginator: { type: json_link, next_url_path: $.next, allow_cross_origin: true }"]
            case .file, .fileRedirect: ["attachments: [ { field: photo } ]"]
            }
        }
    }

    enum Destination: CaseIterable {
        case otherHost, otherPort, otherScheme, authorityOnly, userInformation, thereAndBack
    }

    /// The way in which the server repeats what it received in the URL that leads elsewhere.
    enum Echo: CaseIterable { case nothing, sameName, otherName, twiceEncoded, insidePath, json, header, fragment }

    /// The places whose secrets are sent with the requests for pages.
    private static let places = CanaryPlace.all.filter {
        [.request, .client, .accessToken, .nextRefreshToken].contains($0.kind)
    }

    @Test(arguments: places, Way.all)
    func `no secret reaches a second origin`(place: CanaryPlace, way: Way) async throws {
        let folder = try TemporaryFolder()
        try Canary.text.write(toFile: folder.path(CanaryPlace.file), atomically: false, encoding: .utf8)
        let streams = try ["http", "https"].reduce(into: [:]) { streams, scheme in
            streams[scheme] = try Self.stream(place, way, at: "\(scheme)://zoo.example/v1/", in: folder)
        }
        for (destination, echo) in way.ends {
            let stream = try #require(streams[destination == .otherScheme ? "http" : "https"])
            let api = LeadingAPI(place: place, way: way, destination: destination, echo: echo)
            let told = try await Self.told(of: stream, from: api)
            let label = "\(place) \(way) \(destination) \(echo)"
            #expect(Canary.trace(in: told) == nil, "\(label): \(told)")
            let log = api.log
            for request in log.second { #expect(Canary.trace(in: request) == nil, "\(label): \(request)") }
            // Otherwise there was nothing to be kept back, or nobody to keep it from.
            switch place.kind {
            case .request, .accessToken: #expect(log.first.contains { Canary.trace(in: $0) != nil }, "\(label)")
            case .client:
                #expect(log.tokens.contains { Canary.trace(in: $0) != nil }, "\(label)")
                #expect(log.first.allSatisfy { Canary.trace(in: $0) == nil }, "\(label)")
            case .nextRefreshToken, .proxy, .environmentProxy, .hook, .successHook, .failureHook, .command, .unsent,
                .login, .session:
                break
            }
            if echo == .nothing, destination != .userInformation,
                !way.keeps(stream.request.body, of: stream.request.method)
            {
                #expect(!log.second.isEmpty, "\(label): \(told)")
            }
        }
    }

    private static func stream(
        _ place: CanaryPlace, _ way: Way, at baseURL: String, in folder: TemporaryFolder
    ) throws -> StreamConfiguration {
        let source = place.source(
            at: baseURL, tokens: "https://login.example", hooks: "https://hooks.example", proxy: "",
            settings: ["retry: { max_attempts: 1 }"],
            streamSettings: place.name == "body_of_get" ? way.settings.filter { !$0.hasPrefix("method") } : way.settings
        )
        let configuration = try Configuration(
            parsing: "version: 1\nsources:\n\(source)", file: folder.path("garner.yaml"),
            environment: CanaryPlace.environment.merging(["OTHER": "another password"]) { $1 })
        return try #require(configuration.streams.first)
    }

    /// All that is said, and all that is stored, of two pages, or of a page and a file.
    private static func told(of stream: StreamConfiguration, from api: LeadingAPI) async throws -> String {
        let fetcher = try PageFetcher(stream: stream, transport: api.transport, timing: timing())
        do {
            if api.way.isOfFile {
                // What a server has not given yet, nobody can keep back.
                _ = try await fetcher.page(at: fetcher.firstPosition)
                let file = try await fetcher.file(at: api.file, mediaTypes: ["image/*"])
                return "\(file.validator ?? "") \(file.request)"
            }
            let first = try await fetcher.page(at: fetcher.firstPosition)
            var told = "\(first.position.checkpoint) \(first.request) \(first.memory.map { "\($0)" } ?? "")"
            if let next = first.next {
                told += next.checkpoint
                let second = try await fetcher.page(at: next)
                told += "\(second.request) \(second.next?.checkpoint ?? "") \(second.memory.map { "\($0)" } ?? "")"
            }
            return told
        } catch let error as FetchError {
            return "\(error) \(error.hint) \(error.url ?? "") \(String(reflecting: error))"
        }
    }
}

/// An API that leads elsewhere, and all that it and the others are sent.
private final class LeadingAPI: Sendable {
    struct Log: Sendable {
        var first: [String] = []
        var second: [String] = []
        var tokens: [String] = []
    }

    let place: CanaryPlace
    let way: SecondOriginTests.Way
    private let destination: SecondOriginTests.Destination
    private let echo: SecondOriginTests.Echo
    private let sent = Watched(Log())

    init(
        place: CanaryPlace, way: SecondOriginTests.Way, destination: SecondOriginTests.Destination,
        echo: SecondOriginTests.Echo
    ) {
        (self.place, self.way, self.destination, self.echo) = (place, way, destination, echo)
    }

    var log: Log { sent.value }

    /// The URL of a file that a record holds.
    var file: String { if case .file = way { location(header: nil) } else { "photos/1.png" } }

    var transport: ScriptedTransport { ScriptedTransport { [self] in respond($0) } }

    private var ownOrigin: String { destination == .otherScheme ? "http://zoo.example/" : "https://zoo.example/" }

    private func respond(_ request: Request) -> Response {
        let url = request.revealedURL()
        let fields = request.headers.map { "\($0.name): \($0.value.reveal())" }
        let text = (["\(request.method.rawValue) \(url)"] + fields + [request.body?.revealed() ?? ""])
            .joined(separator: "\n")
        if url.hasPrefix("https://login.example/") {
            sent.change { $0.tokens.append(text) }
            return token
        }
        guard url.hasPrefix(ownOrigin) else {
            sent.change { $0.second.append(text) }
            return destination == .thereAndBack
                ? redirect(302, to: "\(ownOrigin)v1/back?key=\(Canary.encoded)") : content
        }
        sent.change { $0.first.append(text) }
        if url.contains("/back") { return content }
        let header = request.headers.last { $0.name == "Authorization" }?.value.reveal()
        let location = location(header: header)
        switch way {
        case .file: return json("[{}]")
        case .fileRedirect where !url.contains("/photos/"): return json("[{}]")
        case .redirect(let status, _), .fileRedirect(let status): return redirect(status, to: location)
        case .headerLink: return json("[{}]", [("Link", "<\(location)>; rel=next")])
        case .jsonLink: return json(#"{"data":[{}],"next":"\#(location)"}"#)
        }
    }

    /// A first refresh token is over at once, so that the next one is used.
    private var token: Response {
        switch place.kind {
        case .accessToken: json(#"{"access_token":"\#(Canary.text)","token_type":"bearer"}"#)
        case .nextRefreshToken:
            json(
                #"{"access_token":"access-0123","token_type":"bearer","expires_in":0,"refresh_token":"\#(Canary.text)"}"#
            )
        default: json(#"{"access_token":"access-0123","token_type":"bearer"}"#)
        }
    }

    private var content: Response {
        let validator = ("ETag", "\"\(Canary.text)\"")
        return way.isOfFile
            ? response(200, [("Content-Type", "image/png"), ("Content-Length", "2"), validator], "ab")
            : json(#"[{"id":1}]"#, [validator])
    }

    private func location(header: String?) -> String {
        let origin =
            switch destination {
            case .otherHost, .thereAndBack: "https://other.example"
            case .otherPort: "https://zoo.example:8443"
            case .otherScheme: "https://zoo.example"
            case .authorityOnly: "//other.example"
            case .userInformation: "https://zoo:\(Canary.encoded)@other.example"
            }
        let rest =
            switch echo {
            case .nothing: "there?page=2"
            case .sameName: "there?key=\(Canary.encoded)&page=2"
            case .otherName: "there?sig=\(Canary.encoded)&page=2"
            case .twiceEncoded:
                "there?return_to=\(Canary.encoded("https://zoo.example/v1/animals?key=\(Canary.encoded)"))"
            case .insidePath: "there/\(Canary.encoded)/2"
            case .json: "there?state=\(Canary.encoded(#"{"key":"\#(Canary.escapedInJSON)"}"#))"
            case .header: "there?auth=\(Canary.encoded(header ?? Canary.text))"
            case .fragment: "there#access_token=\(Canary.encoded)"
            }
        return "\(origin)/\(rest)"
    }

    private func redirect(_ status: Int, to location: String) -> Response {
        response(status, [("Location", location)], "")
    }

    private func json(_ text: String, _ headers: [(String, String)] = []) -> Response {
        response(200, [("Content-Type", "application/json")] + headers, text)
    }

    private func response(_ status: Int, _ headers: [(String, String)], _ body: String) -> Response {
        Response(
            head: ResponseHead(status: status, headers: HeaderFields(headers.map { (name: $0.0, value: $0.1) })),
            body: scripted(body).body)
    }
}
