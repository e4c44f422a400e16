import Foundation
import Logging
import ServiceLifecycle
import TestSupport

@testable import GarnerControl

/// The service's end of a socket in a folder of its own, on a clock that the test moves.
struct ControlRig: Sendable {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let log = Watched<[String]>([])
    let database: String

    /// - Parameter name: of the database, which is an empty file.
    init(database name: String = "garner.db") throws {
        folder = try TemporaryFolder()
        database = folder.path(name)
        try FileManager.default.createDirectory(
            atPath: URL(filePath: database).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: database))
    }

    var socket: ControlSocket? { ControlSocket(database: database, temporaryFolder: folder.url.path) }
    var path: String { socket?.path ?? "" }
    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// The number of clients that are connected and have sent no request yet.
    var silentClients: Int { clock.waits.count { $0 == .seconds(10) } }

    func server(_ handle: @escaping ControlServer.Handler) -> ControlServer {
        ControlServer(
            database: database, temporaryFolder: folder.url.path,
            logger: Logger(label: "test") { [log] _ in
                Notebook(log) { "\($0.message)\($0.metadata?["error"].map { ": \($0)" } ?? "")" }
            }, clock: clock, handle: handle)
    }

    /// Serves while the body goes on, then shuts down gracefully.
    func serve(
        _ handle: @escaping ControlServer.Handler = { _, reply in await reply(.done) },
        while body: (ServiceGroup) async throws -> Void
    ) async throws {
        let group = ServiceGroup(
            services: [server(handle)], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let serving: Void = group.run()
        do {
            await log.until { $0.last?.hasPrefix("Listening") == true }
            try await body(group)
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await serving
    }

    /// - Parameter clock: its own clock; nil for that of the service.
    func client(_ clock: ManualClock? = nil) async -> ControlClient? {
        await ControlClient(reaching: database, temporaryFolder: folder.url.path, clock: clock ?? self.clock)
    }

    func permissions(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? Int
    }
}
