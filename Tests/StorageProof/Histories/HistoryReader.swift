import Catalog
import Fetcher
import Foundation
import Model
import Persistence
import Sync
import Synchronization

/// A garner of a history: its database, and a clock that stands still during a read.
actor HistoryReader {
    private let url: String
    private let path: String
    private let transports = Transports(userAgent: "garner/proof")
    private let instant: Mutex<Timestamp>
    private var writer: DatabaseWriter?

    init(at url: String, into path: String) {
        (self.url, self.path) = (url, path)
        instant = Mutex(Timestamp(millisecondsSince1970: 0))
    }

    /// One run; what happens during it says how it differs from the usual.
    func read(_ world: World, at instant: Timestamp, _ disturbance: Disturbance) async throws -> RunOutcome {
        self.instant.withLock { $0 = instant }
        let writer =
            try self.writer
            ?? DatabaseWriter(path: path, synchronous: .normal) { [self] in self.instant.withLock { $0 } }
        self.writer = writer
        if let parent = world.parentStream(at: url) { _ = await sync(parent, into: writer, at: instant).run() }
        let sync = sync(world.stream(at: url), into: writer, at: instant)
        let stop = StopRequest()
        return await sync.run(
            RunOptions(scope: RunScope(restarts: disturbance.restarts, maximumPages: disturbance.maximumPages)),
            stop: stop
        ) { if $0.pages == disturbance.stop { stop.request() } }
    }

    private func sync(_ stream: Catalog.Stream, into writer: DatabaseWriter, at instant: Timestamp) -> StreamSync {
        StreamSync(
            stream, into: writer, transport: try transports.transport(for: stream),
            timing: Timing(clock: ContinuousClock(), now: { instant }, random: { 0.5 }))
    }

    func close() async {
        await writer?.close()
        writer = nil
    }

    func end() async {
        await close()
        try? await transports.shutdown()
    }
}

/// The instructions for the one read of a process that is to be killed.
struct VictimOrder: Codable {
    let world: World
    let url: String
    let path: String
    let milliseconds: Int64

    /// The word before the order on the command line.
    static let command = "read-history"

    /// Reads as it is told.
    static func obey(_ text: String) async throws {
        let order = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        let reader = HistoryReader(at: order.url, into: order.path)
        let instant = Timestamp(millisecondsSince1970: order.milliseconds)
        _ = try await reader.read(order.world, at: instant, Disturbance())
        await reader.end()
    }
}
