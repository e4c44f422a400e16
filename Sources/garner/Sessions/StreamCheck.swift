import Catalog
import Fetcher
import JSON
import Model
import Persistence
import Sync

/// Whether a stream can be read, and what its first page has where that was asked for.
struct StreamCheck {
    private static let maximumConcurrentChecks = 4

    let stream: Catalog.Stream
    let sample: Sample?
    let failure: CommandError?

    struct Sample {
        let records: Int
        let hasMore: Bool
        /// The line that makes the end of the stream's reads known, and why; nil where it is known, or nothing was found.
        var advice: String?
    }

    /// Checks all streams, some at a time; in their order.
    ///
    /// - Parameter check: throws where the stream cannot be read.
    static func all(
        _ streams: [Catalog.Stream], _ check: @escaping @Sendable (Catalog.Stream) async throws -> Sample?
    ) async -> [StreamCheck] {
        await withTaskGroup(of: (Int, StreamCheck).self) { group in
            var waiting = Array(streams.enumerated())[...]
            func startNext() {
                guard let (index, stream) = waiting.popFirst() else { return }
                group.addTask { (index, await one(stream, check)) }
            }
            for _ in 0..<maximumConcurrentChecks { startNext() }
            var checks: [(Int, StreamCheck)] = []
            while let done = await group.next() {
                checks.append(done)
                startNext()
            }
            return checks.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func one(
        _ stream: Catalog.Stream, _ check: @Sendable (Catalog.Stream) async throws -> Sample?
    ) async -> StreamCheck {
        do {
            return StreamCheck(stream: stream, sample: try await check(stream), failure: nil)
        } catch {
            return StreamCheck(stream: stream, sample: nil, failure: CommandError(error, of: stream))
        }
    }
}

extension StreamCheck.Sample {
    /// What the first page of a stream says.
    init(_ page: Page) {
        records = if case .records(let selection) = page.content { selection.count } else { 0 }
        // A read that would end here is not the whole either.
        hasMore = page.next != nil || page.verdict?.completeness == .partial
    }
}

extension CommandError {
    /// Why a stream cannot be read.
    init(_ error: any Error, of stream: Catalog.Stream) {
        self.init(error)
        self.stream = stream.name.description
        place = place ?? stream.place.description
    }
}

/// What a sync would do about one of several streams.
enum PlannedStream {
    case planned(StreamPlan)
    /// What it would ask for is made from the records of this one, which the same sync would read for the first time.
    case after(StreamName, of: StreamName)
    case impossible(CommandError)

    init(of stream: Stream, among streams: [Stream], _ plan: () throws -> StreamPlan) {
        do {
            self = .planned(try plan())
        } catch let error as PersistenceError where error.kind == .missing {
            let parent = streams.first { $0.name == stream.parent?.stream }?.name
            self = parent.map { .after($0, of: stream.name) } ?? .impossible(CommandError(error, of: stream))
        } catch {
            self = .impossible(CommandError(error, of: stream))
        }
    }

    var failure: CommandError? {
        if case .impossible(let failure) = self { failure } else { nil }
    }
}
