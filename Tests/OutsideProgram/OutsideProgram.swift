public import GarnerFetcher
import Synchronization
import GarnerURLSessionTransport

/// A program that uses only the public part of the library.
public struct OutsideProgram: Sendable {
    public enum Client: Sendable, CaseIterable {
        case asyncHTTPClient, urlSession
    }

    private let connections: Connections

    public init(over client: Client) {
        connections =
            switch client {
            case .asyncHTTPClient: Connections(userAgent: "outside/1")
            case .urlSession: .urlSession(userAgent: "outside/1")
            }
    }

    /// A fetcher for one document, which is requested with a secret field.
    public func fetcher(of url: String) throws -> DocumentFetcher {
        var request = DocumentRequest(url: url)
        request.addHeader("X-Key", "0123456789", isSecret: true)
        request.maximumBodyBytes = 1000
        request.maximumAttempts = 1
        return try DocumentFetcher(request, over: connections)
    }

    /// Fetches the document; returns its final URL, its content type and its text.
    public func document(at url: String) async throws -> (url: String, type: String?, text: String) {
        let document = try await fetcher(of: url).document()
        return (document.url, document.head.headers["content-type"], String(decoding: document.bytes, as: UTF8.self))
    }

    /// Fetches the document; returns the error's category, status and message, or nil if it succeeds.
    public func failure(at url: String) async -> (category: FetchError.Category, status: Int?, message: String)? {
        do {
            _ = try await document(at: url)
            return nil
        } catch {
            return (error as? FetchError).map { ($0.category, $0.status, $0.message) }
        }
    }

    /// Fetches the document and returns the events that a delegate received, in order.
    ///
    /// - Parameter token: the answer to a challenge.
    public func events(at url: String, token: String) async throws -> [String] {
        let notes = Notes(token: token)
        try await DocumentFetcher(DocumentRequest(url: url), over: connections).deliver(to: notes)
        return notes.events.withLock(\.self)
    }

    /// Fetches a list of animals, whose type is the program's own.
    public func animals(at url: String) async throws -> [Animal] {
        try await DocumentFetcher(DocumentRequest(url: url), over: connections).document().decode([Animal].self)
    }

    /// Fetches a page as text, as one value.
    public func page(at url: String) async throws -> String {
        try await DocumentFetcher(pageRequest(url), over: connections).document().text()
    }

    /// Fetches a page and returns the events that a delegate received, in order.
    public func pageEvents(at url: String) async throws -> [String] {
        let notes = Notes(token: "")
        try await DocumentFetcher(pageRequest(url), over: connections).deliver(to: notes)
        return notes.events.withLock(\.self)
    }

    /// Fetches a page into a file; returns its length.
    public func download(_ url: String, to file: String) async throws -> Int {
        try await DocumentFetcher(pageRequest(url), over: connections).download(to: file).bytes
    }

    /// Fetches a document behind a challenge for a digest, with one value of its JSON.
    public func nameBehindDigest(at url: String, username: String, password: String) async throws -> String? {
        var request = DocumentRequest(url: url)
        request.credentials = .digest(username: username, password: password)
        return try await DocumentFetcher(request, over: connections).document().json()["name"]?.string
    }

    /// Puts a text at a server that asks for the client's certificate; returns the name of the method that it answers.
    ///
    /// - Parameter root: the file with the certificate that the server's is signed with.
    public func put(_ text: String, at url: String, root: String, certificate: ClientCertificateFiles?) async throws
        -> String?
    {
        var request = DocumentRequest(url: url)
        request.method = .put
        request.setBody(text, mediaType: "text/plain")
        request.certificateAuthority = root
        request.clientCertificate = certificate
        return try await DocumentFetcher(request, over: connections).document().json()["method"]?.string
    }

    private func pageRequest(_ url: String) -> DocumentRequest {
        var request = DocumentRequest(url: url)
        request.acceptedMediaTypes = ["text/html"]
        request.waitsForConnectivity = .seconds(1)
        return request
    }

    public func end() async throws { try await connections.shutdown() }
}

/// An animal with its fourteen fields, as the demo's API sends it.
public struct Animal: Decodable, Sendable {
    public let name: String
    public let latin_name: String
    public let animal_type: String
    public let active_time: String
    public let length_min: Double
    public let length_max: Double
    public let weight_min: Double
    public let weight_max: Double
    public let lifespan: Double
    public let habitat: String
    public let diet: String
    public let geo_range: String
    public let image_link: String
    public let id: Int
}

private final class Notes: FetchDelegate {
    let events = Mutex<[String]>([])
    private let token: String

    init(token: String) { self.token = token }

    func didReceive(_ head: ResponseHead, from url: String) async -> FetchDisposition {
        note("head \(head.status)")
        return .allow
    }

    func didReceive(_ chunk: BodyChunk) async {
        note(chunk.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }

    func willRedirect(from url: String, to target: String) async -> Bool {
        note("redirect")
        return true
    }

    func didReceive(_ challenge: AuthenticationChallenge) async -> Credentials? {
        note("challenge \(challenge.schemes.map(\.name))")
        return .bearer(token)
    }

    func didComplete(_ error: (any Error)?) async { note(error.map { "\($0)" } ?? "end") }

    private func note(_ event: String) { events.withLock { $0.append(event) } }
}
