import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values as lines of JSON.
enum ControlLine {
    /// With its break at the end, which JSON has nowhere inside.
    static func encoded(_ value: some Encodable) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteBuffer(bytes: try encoder.encode(value) + [UInt8(ascii: "\n")])
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ line: ByteBuffer) throws(ControlRefusal) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line.readableBytesView))
        } catch let error as DecodingError {
            throw .misunderstood(reason(for: error))
        } catch {
            throw .misunderstood("\(error)")
        }
    }

    private static func reason(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.last.map { "'\($0.stringValue)' is not what it must be" } ?? "not a JSON object"
        @unknown default: "not a JSON object"
        }
    }
}
