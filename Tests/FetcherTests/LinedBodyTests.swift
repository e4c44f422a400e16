import Foundation
import GarnerJSON
import TestSupport
import Testing

@testable import GarnerFetcher

/// A long body of JSON Lines is what it would be as a whole, however it is cut into pieces.
struct LinedBodyTests {
    private static let texts = [
        "1", "1\n", "1\n2\n3", "\n\n1\r\n\r\n22\n\n", "\u{FEFF}1\n2", "\u{FEFF}\n\n1", "\n", "  \r\n\n",
        "{\"a\":\"é😀\"}\n[1,[2]]\n\"x\"\n",
        "1\n\"a line that is longer than each piece, and needs several\"\n2\n",
        // Invalid lines
        "1\n2\nx", "1\n\n\n22\n{\"a\":\n2}", "1\n\u{FEFF}2", "\u{FEFF}1\n[1,]\n2", "1\n2 3\n4", "x\n1\n2",
        "\r\n\r\n1\r\nx\r\n1", "1\n\"a",
        "1\n2\n\u{0}\n", "\u{FEFF}\u{FEFF}1",
    ]

    @Test(arguments: texts)
    func `the pieces of a body have the values of the whole, and its first invalid line`(text: String) throws {
        let whole = Self.values { body in try body(Document(parsingLines: Bytes(text.utf8))) }
        for length in 1...24 {
            let file = try Self.file(text)
            let pieces = Self.values { try LinedBody(file, pieceBytes: length).forEach($0) }
            #expect(pieces.error == whole.error, "\(length)")
            if whole.error == nil { #expect(pieces.values == whole.values, "\(length)") }
        }
    }

    @Test(arguments: texts)
    func `a fingerprint of parts is that of the whole`(text: String) throws {
        for count in [1, 40, 4_000] {
            let bytes = Array(String(repeating: text, count: count).utf8)
            var whole = BodyBuffer(expecting: 0) { nil }
            var parts = BodyBuffer(expecting: 0, maximum: 7) { try? Self.file("") }
            bytes.withUnsafeBytes { whole.append($0) }
            for start in stride(from: 0, to: bytes.count, by: 5) {
                bytes[start..<min(start + 5, bytes.count)].withUnsafeBytes { parts.append($0) }
            }
            for kind in [0, 1, UInt64.max] {
                let (one, other) = (try whole.fingerprint(as: kind), try parts.fingerprint(as: kind))
                #expect(one == other, "\(count)")
            }
        }
    }

    private static func file(_ text: String) throws -> TemporaryFile {
        let file = try #require(TemporaryFile(in: [FileManager.default.temporaryDirectory.path]))
        _ = Array(text.utf8).withUnsafeBytes { file.append($0) }
        return file
    }

    /// The values of the documents that `read` passes, and the error with which it ends. A text without a value has no error.
    private static func values(
        _ read: ((Document) throws -> Void) throws -> Void
    ) -> (values: [String], error: String?) {
        var values: [String] = []
        do {
            try read { document in
                document.withRoot { root in values += root.elements.map(\.text) }
            }
        } catch FetchError.Kind.json(let reason, let offset) {
            return (values, "\(reason) (byte \(offset))")
        } catch let error as JSONError {
            return (values, error.kind == .empty ? nil : "\(error)")
        } catch {
            return (values, "\(error)")
        }
        return (values, nil)
    }
}
