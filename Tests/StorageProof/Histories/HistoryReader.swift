import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSync
import Synchronization

/// A garner of a history: its database, and a clock that stands still during a read.
actor HistoryReader {
    private let url: String
    private let path: String
    private let transports: Transports
    private let instant: Mutex<Timestamp>
    private var writer: DatabaseWriter?
    /// True if changes are noted for a publisher.
    private let publishes: Bool
    private var outbox: OutboxReader?
    /// Keeps the pages of each commit; nil if nobody does.
    private let copy: KeptCopy?
    private var receiver = RebuildingReceiver()
    /// The receiver before the last time.
    private var earlierReceiver = RebuildingReceiver()

    /// The name that it gives servers.
    static let agent = "garner/proof"

    init(
        at url: String, into path: String, publishes: Bool, copies: Bool = false, as agent: String = HistoryReader.agent
    ) {
        (self.url, self.path, self.publishes) = (url, path, publishes)
        copy = copies ? KeptCopy(of: path) : nil
        transports = Transports(userAgent: agent)
        instant = Mutex(Timestamp(millisecondsSince1970: 0))
    }

    /// One run, which the page behind which it is to be stopped may end.
    func read(
        _ world: World, at instant: Timestamp, _ scope: RunScope = RunScope(), stopBehind page: Int? = nil
    ) async throws -> RunOutcome {
        self.instant.withLock { $0 = instant }
        let writer = try await openWriter()
        for stream in world.streamsBefore(at: url) { _ = await sync(stream, into: writer, at: instant).run() }
        let sync = try sync(world.stream(at: url), into: writer, at: instant)
        let stop = StopRequest()
        return await sync.run(RunOptions(scope: scope), stop: stop) { if $0.pages == page { stop.request() } }
    }

    /// A process that another history has just started may still have a copy of this one's lock until it is a victim.
    private func openWriter() async throws -> DatabaseWriter {
        if let writer { return writer }
        try copy?.takeFile()
        var attempts = 0
        while true {
            do {
                // Each process has a token of its own.
                let token = publishes ? UUID().uuidString.lowercased() : nil
                let opened = try DatabaseWriter(
                    path: path, publishingAs: token, synchronous: .normal, commits: copy
                ) { [self] in self.instant.withLock { $0 } }
                writer = opened
                return opened
            } catch let error as PersistenceError where error.kind == .locked && attempts < 100 {
                attempts += 1
                try await ContinuousClock().sleep(for: .milliseconds(20))
            }
        }
    }

    private func sync(_ stream: StreamConfiguration, into writer: DatabaseWriter, at instant: Timestamp) -> StreamSync {
        StreamSync(
            stream, into: writer, transport: try transports.transport(for: stream),
            timing: Timing(clock: ContinuousClock(), now: { instant }, random: { 0.5 }))
    }

    /// Has a receiver that knows nothing of the file take what is noted. Nothing happens unless a read has opened the database.
    ///
    /// - Parameters:
    ///   - confirms: False if the file does not hear of it.
    ///   - isRestored: True if the receiver has forgotten what it took the last time.
    /// - Throws: A deviation of its tables from those of the file.
    func publish(confirms: Bool, isRestored: Bool) async throws {
        guard publishes, let writer else { return }
        let outbox = try outbox ?? OutboxReader(path: path)
        self.outbox = outbox
        var received = isRestored ? earlierReceiver : receiver
        try await received.receive(from: outbox, noting: writer, confirms: confirms, at: instant.withLock { $0 })
        (earlierReceiver, receiver) = (receiver, received)
    }

    /// Returns in which way the pages that were committed are not the file; nil if they are, or nobody keeps them.
    func copyProblem() throws -> HistoryProblem? { writer == nil ? nil : try copy?.problem() }

    func close() async {
        outbox?.close()
        outbox = nil
        guard let writer else { return }
        await writer.close()
        self.writer = nil
        try? copy?.replaceFile()
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
    let publishes: Bool
    /// The name that the process gives servers.
    var agent = HistoryReader.agent

    /// The word before the order on the command line.
    static let command = "read-a-history"

    /// Reads as it is told.
    static func obey(_ text: String) async throws {
        let order = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        let reader = HistoryReader(
            at: order.url, into: order.path, publishes: order.publishes, as: order.agent)
        let instant = Timestamp(millisecondsSince1970: order.milliseconds)
        _ = try await reader.read(order.world, at: instant)
        await reader.end()
    }
}
