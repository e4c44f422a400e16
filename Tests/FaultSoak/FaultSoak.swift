import Foundation

/// Makes ten thousand requests that fail, or reads the one large body that it is told, and prints as JSON what is left of
/// them: in a process of its own, since its descriptors and its memory are counted.
@main
enum FaultSoak {
    static func main() async throws {
        if let body = CommandLine.arguments.dropFirst().first.flatMap(LargeBody.init(named:)) {
            return try write(try await body.report())
        }
        // What is made once, such as threads and caches, is made before anything is counted.
        _ = try await Soak(requests: 500).run()
        try write(try await Soak(requests: 10_000).run())
    }

    private static func write(_ report: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
