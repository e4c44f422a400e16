import GarnerCatalog
import GarnerControl
import Foundation
import Logging
import GarnerModel
import GarnerPersistence
import ServiceLifecycle
import TestSupport

/// Holds a workplace's database and is asked over its socket, as `garner serve` is; what it does then is the test's.
struct AskedService: Sendable {
    typealias Handler =
        @Sendable (AskedService, ControlRequest, @Sendable (ControlReply) async -> Void) async throws -> Void

    let configuration: Configuration
    let writer: DatabaseWriter
    /// The requests so far, in the order in which they came.
    let requests = Watched<[ControlRequest]>([])

    /// Serves while the body goes on.
    static func serve(
        _ place: Workplace, _ handle: @escaping Handler, while body: (AskedService) async throws -> Void
    ) async throws {
        let configuration = try Configuration.load(
            contentsOf: place.folder.path("garner.yaml"), environment: [:])
        let now: @Sendable () -> Timestamp = {
            Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
        }
        let service = AskedService(
            configuration: configuration,
            writer: try DatabaseWriter(path: place.database, synchronous: .normal, now: now))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = ControlServer(database: place.database, logger: logger, clock: ContinuousClock()) {
            request, reply in
            // Each command asks for them. They are no part of a test.
            if case .notices = request { return await reply(.notices([])) }
            service.requests.change { $0.append(request) }
            try? await handle(service, request, reply)
        }
        let group = ServiceGroup(services: [server], logger: logger)
        async let serving: Void = group.run()
        do {
            try await eventually { place.names.contains("garner.db.sock") }
            try await body(service)
        } catch {
            await group.triggerGracefulShutdown()
            try? await serving
            await service.writer.close()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await serving
        await service.writer.close()
    }

    /// Records a run that ends at once; its number.
    func run(
        _ request: RunRequest, as status: RunRecord.Status = .succeeded, failure: RunFailure? = nil
    ) async throws -> RunID {
        let stream = try configuration.streams(matching: [request.stream.description])[0]
        let run = try await writer.begin(
            stream, identity: stream.readIdentity, occasion: .manual(requests: [request.id]))
        return try await writer.end(run: run, as: status, failure: failure).id
    }
}
