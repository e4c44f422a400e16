import Foundation
import TestSupport
import Testing

/// Services and syncs whose database is taken from under them.
@Suite(.timeLimit(.minutes(3)))
struct LostDatabaseTests {
    enum Way: CaseIterable {
        case deleted, replaced, truncated

        func perform(at path: String) throws {
            switch self {
            case .deleted: try FileManager.default.removeItem(atPath: path)
            case .replaced:
                try FileManager.default.removeItem(atPath: path)
                try Data().write(to: URL(filePath: path))
            case .truncated: try Data().write(to: URL(filePath: path), options: [])
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a service that has lost its database ends with 74, so that the supervisor starts it anew`(way: Way)
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1000d }")
            let serve = try place.start(["serve"])
            try await eventually { (try? place.texts("SELECT status FROM _garner_runs")) == ["succeeded"] }
            try way.perform(at: place.database)
            let ending = try await serve.end()
            #expect(ending.code == 74)
            let what = way == .truncated ? "was cut short" : "was moved or deleted"
            expectThreeParts(
                ending.errors, beginning: "Error: the database garner.db \(what) while this program had it open")
        }
    }

    @Test(arguments: [Way.deleted, .replaced])
    func `a sync whose database is lost meanwhile does not succeed`(way: Way) async throws {
        let path = Watched("")
        try await LoopbackServer.serve({ request in
            if request.page == 3 { try? way.perform(at: path.value) }
            return .page(request.page, of: 4)
        }) { server in
            let place = try Workplace(api: server.url)
            path.value = place.database
            let ending = try await place.garner("sync")
            #expect(ending.code == 74)
            #expect(ending.errors.contains("\nzoo.animals: failed, "))
            #expect(ending.errors.contains("the database garner.db was moved or deleted"))
        }
    }

    #if os(Linux)
        /// The service runs as another user, because permissions do not restrict root.
        @Test(.enabled(if: geteuid() == 0, "only root can start a service as another user"))
        func `a service whose folder lost its permissions ends with 74`() async throws {
            try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
                let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1000d }")
                let folder = place.folder.path("state")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                chown(folder, 65534, 65534)
                chmod(place.path, 0o755)
                chmod(place.folder.path("garner.yaml"), 0o644)
                let serve = try GarnerProcess(
                    [
                        "--reuid=65534", "--regid=65534", "--clear-groups", GarnerProcess.binary, "serve", "--database",
                        "\(folder)/garner.db",
                    ], of: "/usr/bin/setpriv", in: place.folder, environment: ["HOME": "/", "PATH": "/usr/bin:/bin"])
                try await eventually { serve.errorsSoFar.contains("Run ended") || !serve.isRunning }
                chmod(folder, 0)
                let ending = try await serve.end()
                chmod(folder, 0o755)
                #expect(ending.code == 74)
                #expect(ending.errors.contains("can no longer be read and written: Permission denied"))
            }
        }
    #endif
}
