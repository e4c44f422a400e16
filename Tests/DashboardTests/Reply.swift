import Dashboard
import Foundation

/// A response that was read to its end.
struct Reply {
    let status: Int
    let headers: [String: String]
    let bytes: [UInt8]

    init(_ response: WebResponse) async throws {
        status = response.status
        headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first }
        switch response.body {
        case .bytes(let bytes): self.bytes = bytes
        case .parts(let parts):
            var all: [UInt8] = []
            for try await part in parts { all += part }
            bytes = all
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns true if the bytes of a text stand in the body. Characters are not compared, since a combining mark would
    /// hide the one before it.
    func contains(_ text: String) -> Bool { Data(bytes).range(of: Data(text.utf8)) != nil }

    /// The addresses of the links whose text or attributes have this word.
    func link(rel: String) -> String? {
        guard let start = text.range(of: "rel=\"\(rel)\" href=\"") else { return nil }
        return text[start.upperBound...].prefix { $0 != "\"" }.replacingOccurrences(of: "&amp;", with: "&")
    }
}
