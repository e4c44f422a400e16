import Foundation

/// Makes ten thousand requests that fail, and prints as JSON what is left of them: in a process of its own, since its
/// descriptors and its memory are counted.
@main
enum FaultSoak {
    static func main() async throws {
        // First, while no other memory was in use that could be used again.
        let bodies = try await LargeBody.all()
        // What is made once, such as threads and caches, is made before anything is counted.
        _ = try await Soak(requests: 500).run()
        var report = try await Soak(requests: 10_000).run()
        report.bodies = bodies
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
