import Dispatch
import Synchronization
import Testing

@testable import Dashboard

struct HandOverTests {
    @Test(.timeLimit(.minutes(5))) func `pieces come in their order, and then the end`() async throws {
        let handOver = HandOver(pieces: 2)
        DispatchQueue(label: "test").async {
            handOver.end(Result { for number in 0..<100 { try handOver.put([UInt8(number)]) } })
        }
        var received: [UInt8] = []
        while let piece = try await handOver.next() { received += piece }
        #expect(received == Array(0..<100))
        #expect(try await handOver.next() == nil)
    }

    @Test(.timeLimit(.minutes(5))) func `an error comes after the pieces before it`() async throws {
        struct Broken: Error {}
        let handOver = HandOver(pieces: 2)
        try handOver.put([1])
        handOver.end(.failure(Broken()))
        #expect(try await handOver.next() == [1])
        await #expect(throws: Broken.self) { try await handOver.next() }
    }

    @Test(.timeLimit(.minutes(5))) func `a piece that nobody takes in time is refused, and so is what follows`() async {
        let handOver = HandOver(pieces: 2, patience: .milliseconds(1))
        let count = Mutex(0)
        #expect(throws: HandOver.Abandoned.self) {
            while true {
                try handOver.put([0])
                count.withLock { $0 += 1 }
            }
        }
        #expect(count.withLock(\.self) == 2)
        #expect(throws: HandOver.Abandoned.self) { try handOver.put([0]) }
    }

    @Test(.timeLimit(.minutes(5))) func `a piece is refused once all of them have taken too long`() async {
        let handOver = HandOver(pieces: 2, limit: .seconds(0))
        #expect(throws: HandOver.Abandoned.self) { try handOver.put([0]) }
        await #expect(throws: CancellationError.self) { try await handOver.next() }
    }

    @Test(.timeLimit(.minutes(5))) func `a cancelled reader ends the producer that stands still`() async throws {
        let handOver = HandOver(pieces: 1)
        let reader = Task { while try await handOver.next() != nil {} }
        let isRefused = await withCheckedContinuation { done in
            DispatchQueue(label: "test").async {
                try? handOver.put([0])
                reader.cancel()
                // The reader may take some pieces before it learns of its end.
                for _ in 0..<1_000_000 {
                    do { try handOver.put([0]) } catch { return done.resume(returning: true) }
                }
                done.resume(returning: false)
            }
        }
        #expect(isRefused)
        await #expect(throws: CancellationError.self) { try await reader.value }
    }
}
