import GarnerCatalog
import GarnerDatabase
import GarnerFetcher
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import GarnerSync
import TestSupport
import Testing

/// A store in a folder of its own beside a server, and streams that are synchronised from one into the other.
struct SyncRig: Sendable {
    let server: LoopbackServer
    let writer: DatabaseWriter
    let path: String
    private let transports: Transports

    /// Runs `body` with a server that answers as `handler` says.
    ///
    /// - Parameters:
    ///   - now: the store's wall clock, which it reads while it stores a page.
    ///   - synchronous: `full` to store each page in a transaction of its own.
    ///   - queryClock: the clock for the time that a query for values of partitions may take.
    static func run(
        _ handler: @escaping LoopbackServer.Handler, now: @escaping @Sendable () -> Timestamp = { epoch },
        synchronous: Synchronous = .normal, queryClock: any Clock<Duration> = ContinuousClock(),
        _ body: @escaping @Sendable (SyncRig) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await LoopbackServer.serve(handler) { server in
            let path = folder.path("garner.db")
            let rig = SyncRig(
                server: server,
                writer: try DatabaseWriter(
                    path: path, busyTimeout: .milliseconds(50), synchronous: synchronous, clock: queryClock,
                    now: now),
                path: path,
                transports: Transports(userAgent: "garner/test"))
            do {
                try await body(rig)
            } catch {
                try await rig.end()
                throw error
            }
            try await rig.end()
        }
    }

    static let epoch = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    private func end() async throws {
        await writer.close()
        try await transports.shutdown()
    }

    /// A stream of this server without retries.
    func stream(
        _ name: String = "animals", at baseURL: String? = nil, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: name), table: name, place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: baseURL ?? server.url, path: name), primaryKey: ["id"],
            retry: RetryPolicy(maxAttempts: 1), allowsPrivateNetwork: true)
        change(&stream)
        return stream
    }

    private func transport(for stream: StreamConfiguration, inPieces pieces: Int?) throws -> any Transport {
        let transport = try transports.transport(for: stream)
        return pieces.map { TransportInPieces(transport, of: $0) } ?? transport
    }

    /// - Parameter pieces: the bytes of JSON Lines that are parsed at once; nil for a whole body.
    func sync(
        _ stream: StreamConfiguration? = nil, _ options: RunOptions = RunOptions(), stop: StopRequest = StopRequest(),
        clock: any Clock<Duration> = ContinuousClock(), pieces: Int? = nil,
        progress: @escaping @Sendable (RunCounts) -> Void = { _ in }
    ) async throws -> RunOutcome {
        let stream = stream ?? self.stream()
        let timing = Timing(clock: clock, now: { Self.epoch }, random: { 0.5 })
        let sync = StreamSync(
            stream, into: writer, transport: try transport(for: stream, inPieces: pieces), timing: timing)
        return await sync.run(options, stop: stop, progress: progress)
    }

    /// The pages that were asked for so far, in order.
    var pagesAsked: [Int] { server.requests.map(\.page) }

    /// The integers that another connection reads.
    func integers(_ sql: String) throws -> [Int64] {
        try Connection(path: path, mode: .readOnly).rows(sql) { $0.integer(at: 0) }
    }

    /// Changes the database as its owner might.
    func alter(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    func texts(_ sql: String) throws -> [String] {
        try Connection(path: path, mode: .readOnly).rows(sql) { $0.text(at: 0) }
    }
}

/// A transport whose bodies leave the memory at once, and are parsed in pieces where they can be.
private struct TransportInPieces: Transport {
    let transport: any Transport
    let bodyMemory: BodyMemory

    init(_ transport: any Transport, of length: Int) {
        self.transport = transport
        var memory = BodyMemory(folders: [FileManager.default.temporaryDirectory.path])
        (memory.maximum, memory.whole, memory.piece) = (16, 16, length)
        bodyMemory = memory
    }

    var secrets: [Secret] { transport.secrets }

    func send(_ request: Request) async throws -> Response { try await transport.send(request) }
}

extension LoopbackReply {
    /// A page of two animals that links to the next one.
    static func page(
        _ number: Int, of count: Int, linkingTo next: Int? = nil, revision: Int = 1, headers: [(String, String)] = []
    ) -> LoopbackReply {
        let records = [number * 2 - 1, number * 2].map { #"{"id":\#($0),"name":"animal \#($0).\#(revision)"}"# }
        let following = next ?? (number < count ? number + 1 : nil)
        let link = following.map { #""?page=\#($0)""# } ?? "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(link)}"#, headers: headers)
    }
}

/// Blocks the thread that it is called on.
func blockBriefly() { usleep(500) }
