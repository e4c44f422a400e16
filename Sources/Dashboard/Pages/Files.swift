import GarnerPersistence
import GarnerTasks

extension Dashboard {
    /// The pictures that a browser shows as what they are.
    private static let pictureTypes: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]
    /// The size in bytes from which a file takes a place of the exports, since it is in memory until it is sent.
    private static let largeFile = 4 << 20

    /// A stored file, by its digest. Only a picture keeps its type. Whatever else a server has sent is for download, so that
    /// nothing of it runs with the rights of these pages.
    func file(_ request: WebRequest) async throws -> WebResponse {
        let digest = request.components[1]
        let file = try await read { database in try MissingPage.translating { try database.file(digest) } }
        let type = String(file.mediaType.lowercased().prefix { $0 != ";" && $0 != " " })
        let place = file.length > Self.largeFile ? exports.take() : nil
        if file.length > Self.largeFile, place == nil { return Self.noPlace }
        let content = try await read { try $0.content(ofFile: digest) }
        // The name is the digest, so the content never changes.
        var headers = [(name: "Cache-Control", value: "private, max-age=31536000, immutable")]
        let body = body(content, place)
        if Self.pictureTypes.contains(type) { return WebResponse(type: type, body, headers: headers) }
        if type == "image/svg+xml" {
            // An SVG may hold scripts. In <img> none runs; opened as a page, none may.
            headers.append(
                ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"))
            return WebResponse(type: type, body, headers: headers)
        }
        headers.append(("Content-Disposition", "attachment; filename=\"\(digest.prefix(16))\""))
        headers.append(("Content-Security-Policy", "default-src 'none'; sandbox"))
        return WebResponse(type: "application/octet-stream", body, headers: headers)
    }

    /// The time after which a file that is still being sent is given up.
    private static let longestDownload = Duration.seconds(3600)

    /// Returns a body that keeps the place until it is sent.
    private func body(_ content: [UInt8], _ place: ExportPlaces.Place?) -> WebResponse.Body {
        guard let place else { return .bytes(content) }
        let stopwatch = Stopwatch(clock)
        let size = 1 << 18
        return .parts((content.count + size - 1) / size) { index in
            guard stopwatch.elapsed < Self.longestDownload else { throw DashboardError.timeIsUp }
            return withExtendedLifetime(place) { Array(content[index * size..<min((index + 1) * size, content.count)]) }
        }
    }
}
